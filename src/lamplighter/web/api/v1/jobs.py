"""Jobs: the standing orders to crawl sources, what can be done with them, and how they are doing."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import HTTPException, Query, Response

from lamplighter.model.crawl import CrawlJob
from lamplighter.operations import job_bulk, job_health, job_orders, job_views, jobs
from lamplighter.operations.job_bulk import Means
from lamplighter.store import crawl_jobs, crawl_runs
from lamplighter.store.database import Connection
from lamplighter.web.api.paging import listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.v1 import examples_jobs as examples
from lamplighter.web.api.v1.shapes_job_views import (
    BySourceOut,
    ForcedOut,
    JobListOut,
    JobOut,
    StatsOut,
    by_source_out,
    job_out,
    stats_out,
)
from lamplighter.web.api.v1.shapes_jobs import (
    BulkIn,
    BulkOut,
    DeletedOut,
    JobChanges,
    JobIn,
    JobListIn,
    Schedule,
    StatusCountsOut,
    bulk_out,
)
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api", tag="jobs")
#: a source that is enabled has its job by itself
_SUCCESSOR = '</api/v1/sources>; rel="successor-version"'
Work = Callable[..., Awaitable[object]]


@ROUTES.get("/v1/jobs", response_model=JobListOut, example=examples.JOBS)
async def list_jobs(view: View, asked: Annotated[JobListIn, Query()]) -> Any:
    """Jobs with their sources, filtered and sorted."""
    part = {"limit": asked.limit, "offset": asked.offset}
    how: dict[str, Any] = {"norms": view.norms, "sort": asked.sort, "descending": asked.order == "desc", **part}
    page = await view.db.look(lambda db: job_views.listed(db, asked.which(), **how))
    return listed("jobs", [job_out(each) for each in page.jobs], total=page.total, **part)


@ROUTES.post(
    "/v1/jobs", status=201, errors=(404, 409, 410), response_model=JobOut, example=examples.JOB, deprecated=True
)
async def order(view: View, caller: Asking, body: JobIn, response: Response) -> Any:
    """Sets the schedule of a source by hand. A source has its job by itself; its own interval is the better way."""
    if not view.settings.manual_jobs:
        raise HTTPException(410, "jobs are not created by hand here; add a source, and it gets its job by itself")
    now, source_id = view.clock.now(), str(body.source_id)

    async def work(db: Connection) -> Any:
        job = await job_orders.order(
            db, source_id, body.wish(), url=body.url, actor=caller.name, now=now, norms=view.norms
        )
        return await job_views.one(db, job.public_id, norms=view.norms)

    shown = await view.db.write(work)
    view.jobs_changed()
    response.headers["Deprecation"] = "true"
    response.headers["Link"] = _SUCCESSOR
    return job_out(shown)


@ROUTES.get("/v1/jobs/status-counts", response_model=StatusCountsOut, example=examples.COUNTS)
async def status_counts(view: View) -> Any:
    """How many jobs are in each state."""
    async with view.db.read() as db:
        return await job_views.status_counts(db)


@ROUTES.get("/v1/jobs/stats", response_model=StatsOut, example=examples.STATS)
async def stats(view: View) -> Any:
    """How all jobs are doing, and what the last 24 hours brought."""
    async with view.db.read() as db:
        return stats_out(await job_health.overview(db, now=view.clock.now()))


@ROUTES.post("/v1/jobs/bulk", response_model=BulkOut, example=examples.BULK)
async def bulk(view: View, caller: Asking, body: BulkIn) -> Any:
    """One action for many jobs: those named, or all that match a filter."""
    ids = [str(job_id) for job_id in body.ids or ()]
    if body.filter is not None:
        async with view.db.read() as db:
            ids = await job_bulk.matching(db, body.filter.which())
    if body.preview:
        return bulk_out(body.action, total=len(ids), done=None)
    means = Means(norms=view.norms, run_deadline=_deadline(view), clock=view.clock)
    done = await job_bulk.act(view.db, body.action, ids, actor=caller.name, means=means)
    view.jobs_changed()
    view.hosts_changed()
    return bulk_out(body.action, total=len(ids), done=done)


@ROUTES.get("/v1/jobs/by-source/{source_id}", response_model=BySourceOut, example=examples.BY_SOURCE)
async def by_source(source_id: UUID, view: View) -> Any:
    """The job of a source, how it is doing, and its latest runs."""
    async with view.db.read() as db:
        shown = await job_views.of_source(db, str(source_id), norms=view.norms)
        return by_source_out(shown, await job_health.of_job(db, shown.job, now=view.clock.now()))


@ROUTES.get("/v1/jobs/{job_id}", response_model=JobOut, example=examples.JOB)
async def show(job_id: UUID, view: View) -> Any:
    """One job."""
    async with view.db.read() as db:
        return job_out(await job_views.one(db, str(job_id), norms=view.norms))


@ROUTES.put("/v1/jobs/{job_id}", errors=(409,), response_model=JobOut, example=examples.JOB)
async def change(job_id: UUID, view: View, caller: Asking, body: JobChanges) -> Any:
    """Changes what is said of a job, and leaves the rest; a schedule set so holds until it is given back."""
    return await _done(view, caller, job_id, job_orders.change, wish=body.wish(), norms=view.norms)


@ROUTES.delete("/v1/jobs/{job_id}", response_model=DeletedOut, example=examples.DELETED)
async def delete(job_id: UUID, view: View, caller: Asking) -> Any:
    """Cancels a job and hides it; its history is kept. Enabling its source, or ordering it anew, brings it back."""
    now = view.clock.now()

    async def work(db: Connection) -> CrawlJob | None:
        job = await jobs.get(db, str(job_id))
        await jobs.delete(db, job, actor=caller.name, now=now)
        return await crawl_jobs.get(db, job.id)

    gone = await view.db.write(work)
    assert gone is not None
    return {"id": gone.public_id, "status": gone.state, "deleted_at": gone.deleted_at}


@ROUTES.post("/v1/jobs/{job_id}/pause", errors=(409,), response_model=JobOut, example=examples.JOB)
async def pause(job_id: UUID, view: View, caller: Asking) -> Any:
    """Leaves a job alone until somebody resumes it."""
    return await _done(view, caller, job_id, jobs.pause)


@ROUTES.post("/v1/jobs/{job_id}/resume", errors=(409,), response_model=JobOut, example=examples.JOB)
async def resume(job_id: UUID, view: View, caller: Asking) -> Any:
    """Lets a paused job go on, its failures forgotten."""
    return await _done(view, caller, job_id, jobs.resume)


@ROUTES.post("/v1/jobs/{job_id}/cancel", errors=(409,), response_model=JobOut, example=examples.JOB)
async def cancel(job_id: UUID, view: View, caller: Asking) -> Any:
    """Ends a job for good, and the run that goes on with it."""
    return await _done(view, caller, job_id, jobs.cancel)


@ROUTES.post("/v1/jobs/{job_id}/retry", errors=(409,), response_model=JobOut, example=examples.JOB)
async def retry(job_id: UUID, view: View, caller: Asking) -> Any:
    """Gives a failed job all its tries anew, beginning now."""
    return await _done(view, caller, job_id, jobs.retry)


@ROUTES.post("/v1/jobs/{job_id}/force-run", errors=(409,), response_model=ForcedOut, example=examples.FORCED)
@ROUTES.post("/v2/jobs/{job_id}/force-run", errors=(409,), response_model=ForcedOut, example=examples.FORCED)
async def force_run(job_id: UUID, view: View, caller: Asking) -> Any:
    """Opens a run now, whatever the schedule says; a paused job runs this once and stays paused."""
    now, deadline = view.clock.now(), _deadline(view)

    async def work(db: Connection) -> Any:
        job = await jobs.get(db, str(job_id))
        run_id = await jobs.force_run(db, job, actor=caller.name, now=now, deadline=deadline, norms=view.norms)
        run = await crawl_runs.get(db, run_id)
        assert run is not None
        return await job_views.one(db, job.public_id, norms=view.norms), run.public_id

    shown, execution_id = await view.db.write(work)
    view.hosts_changed()
    return job_out(shown) | {"execution_id": execution_id}


@ROUTES.put("/v1/jobs/{job_id}/override", errors=(409,), response_model=JobOut, example=examples.JOB)
async def override(job_id: UUID, view: View, caller: Asking, body: Schedule) -> Any:
    """Sets a part of the schedule by hand, over what the source says."""
    wish = job_orders.Wish(schedule=body.schedule())
    return await _done(view, caller, job_id, job_orders.change, wish=wish, norms=view.norms)


@ROUTES.delete("/v1/jobs/{job_id}/override", response_model=JobOut, example=examples.JOB)
@ROUTES.post("/v1/jobs/{job_id}/auto", response_model=JobOut, example=examples.JOB)
async def back_to_automatic(job_id: UUID, view: View, caller: Asking) -> Any:
    """Forgets what was set by hand: the source's own word holds again."""
    return await _done(view, caller, job_id, job_orders.back_to_automatic, norms=view.norms)


async def _done(view: ServiceView, caller: Asking, job_id: UUID, work: Work, **about: Any) -> dict[str, Any]:
    """Does something with a job, and shows how it stands then."""
    now = view.clock.now()

    async def whole(db: Connection) -> Any:
        job = await jobs.get(db, str(job_id))
        await work(db, job, actor=caller.name, now=now, **about)
        return await job_views.one(db, job.public_id, norms=view.norms)

    shown = await view.db.write(whole)
    view.jobs_changed()
    return job_out(shown)


def _deadline(view: ServiceView) -> timedelta:
    return timedelta(minutes=view.settings.run_deadline_minutes)
