"""Jobs: the schedules of sources, actions on them, and their health."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any
from uuid import UUID

from fastapi import HTTPException, Query, Response

from lamplighter.model.crawl import CrawlJob
from lamplighter.operations.jobs import job_bulk, job_health, job_overrides, job_views, jobs
from lamplighter.operations.jobs.job_bulk import JobActionContext
from lamplighter.rules.hosts import waiting
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs
from lamplighter.web.api.envelope import listed, part_of
from lamplighter.web.api.v1.jobs import shapes_job_views as views
from lamplighter.web.api.v1.jobs import shapes_jobs as shapes
from lamplighter.web.routes import Routes
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api", tag="jobs")
#: an enabled source gets its job automatically
_SUCCESSOR = '</api/v1/sources>; rel="successor-version"'
Work = Callable[..., Awaitable[object]]


@ROUTES.get("/v1/jobs", response_model=part_of("jobs", views.JobOut))
async def list_jobs(view: View, query: Annotated[shapes.JobListIn, Query()]) -> Any:
    """Jobs with their sources, filtered and sorted."""
    part = {"limit": query.limit, "offset": query.offset}
    how: dict[str, Any] = {
        "source_defaults": view.source_defaults,
        "sort": query.sort,
        "descending": query.order == "desc",
        "now": view.clock.now(),
        **part,
    }
    page = await view.db.look(lambda db: job_views.listed(db, query.which(), **how))
    return listed("jobs", [views.job_out(each) for each in page.rows], total=page.total, **part)


@ROUTES.post("/v1/jobs", status=201, errors=(404, 409, 410), response_model=views.JobOut, deprecated=True)
async def order(view: View, caller: Asking, body: shapes.JobIn, response: Response) -> Any:
    """Sets the schedule of a source by hand. Sources get jobs automatically; better set the source's interval."""
    if not view.settings.manual_jobs:
        raise HTTPException(410, "jobs are not created by hand here; add a source, and it gets its job by itself")
    stamp, source_id = view.stamp(caller), str(body.source_id)

    async def work(db: Connection) -> Any:
        job = await job_overrides.order(
            db, source_id, body.submitted(), url=body.url, stamp=stamp, source_defaults=view.source_defaults
        )
        return await job_views.one(db, job.public_id, source_defaults=view.source_defaults, now=view.clock.now())

    shown = await view.db.write(work)
    response.headers["Deprecation"] = "true"
    response.headers["Link"] = _SUCCESSOR
    return views.job_out(shown)


@ROUTES.get("/v1/jobs/status-counts", response_model=shapes.StatusCountsOut)
async def status_counts(view: View) -> Any:
    """How many jobs are in each state."""
    return await view.read(lambda db: job_views.status_counts(db))


@ROUTES.get("/v1/jobs/stats", response_model=views.StatsOut)
async def stats(view: View) -> Any:
    """The health of all jobs, and figures of the last 24 hours."""
    return views.stats_out(await view.read(lambda db: job_health.overview(db, now=view.clock.now())))


@ROUTES.post("/v1/jobs/bulk", response_model=shapes.JobBulkOut)
async def bulk(view: View, caller: Asking, body: shapes.JobBulkIn) -> Any:
    """Applies one action to many jobs: by ids, or by a filter."""
    ids = [str(job_id) for job_id in body.ids or ()]
    if body.filter is not None:
        which = body.filter.which()
        ids = await view.read(lambda db: job_bulk.matching(db, which))
    if body.preview:
        return shapes.bulk_out(body.action, total=len(ids), done=None)
    means = JobActionContext(source_defaults=view.source_defaults, run_deadline=view.run_deadline, clock=view.clock)
    done = await job_bulk.act(view.db, body.action, ids, actor=caller.name, means=means)
    return shapes.bulk_out(body.action, total=len(ids), done=done)


@ROUTES.get("/v1/jobs/by-source/{source_id}", response_model=views.BySourceOut)
async def by_source(source_id: UUID, view: View) -> Any:
    """The job of a source, its health, and its latest runs."""
    async with view.db.read() as db:
        shown = await job_views.of_source(
            db, str(source_id), source_defaults=view.source_defaults, now=view.clock.now()
        )
        return views.by_source_out(shown, await job_health.of_job(db, shown.job, now=view.clock.now()))


@ROUTES.get("/v1/jobs/{job_id}", response_model=views.JobOut)
async def show(job_id: UUID, view: View) -> Any:
    """One job."""
    async with view.db.read() as db:
        return views.job_out(
            await job_views.one(db, str(job_id), source_defaults=view.source_defaults, now=view.clock.now())
        )


@ROUTES.put("/v1/jobs/{job_id}", errors=(409,), response_model=views.JobOut)
async def change(job_id: UUID, view: View, caller: Asking, body: shapes.JobChanges) -> Any:
    """Changes the given fields and keeps the others; a schedule set here holds until it is reset."""
    return await _done(
        view, caller, job_id, job_overrides.change, submitted=body.submitted(), source_defaults=view.source_defaults
    )


@ROUTES.delete("/v1/jobs/{job_id}", response_model=shapes.JobDeletedOut)
async def delete(job_id: UUID, view: View, caller: Asking) -> Any:
    """Cancels a job and hides it; its history is kept. Enabling its source, or a new order, restores it."""
    stamp = view.stamp(caller)

    async def work(db: Connection) -> CrawlJob | None:
        job = await jobs.get(db, str(job_id))
        await jobs.delete(db, job, stamp=stamp)
        return await crawl_jobs.get(db, job.id)

    gone = await view.db.write(work)
    assert gone is not None
    return {"id": gone.public_id, "status": gone.state, "deleted_at": gone.deleted_at}


@ROUTES.post("/v1/jobs/{job_id}/pause", errors=(409,), response_model=views.JobOut)
async def pause(
    job_id: UUID,
    view: View,
    caller: Asking,
    stop_run: Annotated[bool, Query(description="End its active run now instead of letting it finish.")] = False,
) -> Any:
    """Pauses a job until it is resumed; an active run is finished first, or stopped."""
    return await _done(view, caller, job_id, jobs.pause, stop_run=stop_run)


@ROUTES.post("/v1/jobs/{job_id}/stop", errors=(409,), response_model=views.JobOut)
async def stop(job_id: UUID, view: View, caller: Asking) -> Any:
    """Ends the active run of a job now; the next one comes as planned."""
    return await _done(view, caller, job_id, jobs.stop)


@ROUTES.post("/v1/jobs/{job_id}/resume", errors=(409,), response_model=views.JobOut)
async def resume(job_id: UUID, view: View, caller: Asking) -> Any:
    """Resumes a paused job and resets its failures."""
    return await _done(view, caller, job_id, jobs.resume)


@ROUTES.post("/v1/jobs/{job_id}/cancel", errors=(409,), response_model=views.JobOut)
async def cancel(job_id: UUID, view: View, caller: Asking) -> Any:
    """Cancels a job for good, and its current run."""
    return await _done(view, caller, job_id, jobs.cancel)


@ROUTES.post("/v1/jobs/{job_id}/retry", errors=(409,), response_model=views.JobOut)
async def retry(job_id: UUID, view: View, caller: Asking) -> Any:
    """Runs a job that failed, or keeps failing, now, with all its retries."""
    return await _done(view, caller, job_id, jobs.retry)


@ROUTES.post("/v1/jobs/{job_id}/force-run", errors=(409,), response_model=views.ForcedOut)
@ROUTES.post("/v2/jobs/{job_id}/force-run", errors=(409,), response_model=views.ForcedOut)
async def force_run(job_id: UUID, view: View, caller: Asking) -> Any:
    """Opens a run now, whatever the schedule says; a paused job runs once and stays paused."""
    stamp, deadline = view.stamp(caller), view.run_deadline

    async def work(db: Connection) -> Any:
        job = await jobs.get(db, str(job_id))
        run_id = await jobs.force_run(db, job, stamp=stamp, deadline=deadline, source_defaults=view.source_defaults)
        run = await crawl_runs.get(db, run_id)
        assert run is not None
        return await job_views.one(
            db, job.public_id, source_defaults=view.source_defaults, now=view.clock.now()
        ), run.public_id

    shown, execution_id = await view.db.write(work)
    message = waiting.started(shown.waiting)
    return views.job_out(shown) | {"execution_id": execution_id, "message": message}


@ROUTES.put("/v1/jobs/{job_id}/override", errors=(409,), response_model=views.JobOut)
async def override(job_id: UUID, view: View, caller: Asking, body: shapes.ScheduleIn) -> Any:
    """Overrides a part of the source's schedule."""
    submitted = job_overrides.JobOverride(schedule=body.schedule())
    return await _done(
        view, caller, job_id, job_overrides.change, submitted=submitted, source_defaults=view.source_defaults
    )


@ROUTES.delete("/v1/jobs/{job_id}/override", response_model=views.JobOut)
@ROUTES.post("/v1/jobs/{job_id}/auto", response_model=views.JobOut)
async def back_to_automatic(job_id: UUID, view: View, caller: Asking) -> Any:
    """Removes the override: the source's own schedule applies again."""
    return await _done(view, caller, job_id, job_overrides.back_to_automatic, source_defaults=view.source_defaults)


async def _done(view: ServiceView, caller: Asking, job_id: UUID, work: Work, **about: Any) -> dict[str, Any]:
    """Applies an action to a job and returns its new state."""
    stamp = view.stamp(caller)

    async def whole(db: Connection) -> Any:
        job = await jobs.get(db, str(job_id))
        await work(db, job, stamp=stamp, **about)
        return await job_views.one(db, job.public_id, source_defaults=view.source_defaults, now=view.clock.now())

    shown = await view.db.write(whole)
    return views.job_out(shown)
