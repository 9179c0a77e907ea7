"""Executions: the runs of jobs."""

from typing import Any
from uuid import UUID

from lamplighter.operations.jobs import job_views
from lamplighter.operations.runs import activity, run_history
from lamplighter.store.runs import run_lists
from lamplighter.web.api.envelope import listed, part_of
from lamplighter.web.api.v1.runs import shapes_executions as shapes
from lamplighter.web.routes import Routes
from lamplighter.web.values import Limit, Offset
from lamplighter.web.view import View

ROUTES = Routes("/api/v1", tag="executions")


@ROUTES.get("/jobs/{job_id}/executions", response_model=part_of("executions", shapes.ExecutionOut))
async def of_job(job_id: UUID, view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The runs of a job, the latest first."""
    page = await view.read(lambda db: run_history.of_job(db, str(job_id), limit=limit, offset=offset))
    rows = [shapes.execution_out(each) for each in page.executions]
    return listed("executions", rows, total=page.total, limit=limit, offset=offset)


@ROUTES.get("/jobs/{job_id}/stats", response_model=shapes.JobStatsOut)
async def stats(job_id: UUID, view: View) -> Any:
    """Figures of a job's stored runs."""
    async with view.db.read() as db:
        shown = await job_views.one(db, str(job_id), source_defaults=view.source_defaults)
        summary = await run_lists.summary(db, job_id=shown.job.id)
    return shapes.job_stats_out(shown.job.public_id, summary, next_run_at=shown.job.next_run_at)


@ROUTES.get("/executions/{execution_id}", response_model=shapes.ExecutionOut)
async def show(execution_id: UUID, view: View) -> Any:
    """One run."""
    async with view.db.read() as db:
        execution = await run_history.execution(db, str(execution_id))
        run, wait = execution.run, None
        if run.finished_at is None:
            wait = await activity.wait_of_run(db, run.id, defaults=view.source_defaults.host, now=view.clock.now())
    return shapes.execution_out(execution, wait=wait)


@ROUTES.get("/sources/{source_id}/executions", response_model=part_of("executions", shapes.SourceExecutionOut))
async def of_source(source_id: UUID, view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The runs of a source, the latest first."""
    page = await view.read(lambda db: run_history.of_source(db, str(source_id), limit=limit, offset=offset))
    rows = [shapes.source_execution_out(each) for each in page.executions]
    return listed("executions", rows, total=page.total, limit=limit, offset=offset)
