"""Executions: what the runs of jobs did."""

from typing import Any
from uuid import UUID

from lamplighter.operations import executions, job_views, run_waits
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.v1 import examples_jobs as examples
from lamplighter.web.api.v1.shapes_executions import (
    ExecutionListOut,
    ExecutionOut,
    JobStatsOut,
    SourceExecutionListOut,
    execution_out,
    job_stats_out,
    source_execution_out,
)
from lamplighter.web.view import View

ROUTES = Routes("/api/v1", tag="executions")


@ROUTES.get("/jobs/{job_id}/executions", response_model=ExecutionListOut, example=examples.EXECUTIONS)
async def of_job(job_id: UUID, view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The runs of a job, the latest first."""
    async with view.db.read() as db:
        page = await executions.of_job(db, str(job_id), limit=limit, offset=offset)
    rows = [execution_out(each) for each in page.executions]
    return listed("executions", rows, total=page.total, limit=limit, offset=offset)


@ROUTES.get("/jobs/{job_id}/stats", response_model=JobStatsOut, example=examples.JOB_STATS)
async def stats(job_id: UUID, view: View) -> Any:
    """What the runs of a job that are kept come to."""
    async with view.db.read() as db:
        shown = await job_views.one(db, str(job_id), norms=view.norms)
        summary = await executions.statistics(db, shown.job)
    return job_stats_out(shown.job.public_id, summary, next_run_at=shown.job.next_run_at)


@ROUTES.get("/executions/{execution_id}", response_model=ExecutionOut, example=examples.EXECUTION)
async def show(execution_id: UUID, view: View) -> Any:
    """One run."""
    async with view.db.read() as db:
        execution = await executions.one(db, str(execution_id))
        run, wait = execution.run, None
        if run.finished_at is None:
            wait = await run_waits.of_run(db, run.id, defaults=view.norms.host, now=view.clock.now())
    return execution_out(execution, wait=wait)


@ROUTES.get(
    "/sources/{source_id}/executions", response_model=SourceExecutionListOut, example=examples.SOURCE_EXECUTIONS
)
async def of_source(source_id: UUID, view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The runs of a source, the latest first."""
    async with view.db.read() as db:
        page = await executions.of_source(db, str(source_id), limit=limit, offset=offset)
    rows = [source_execution_out(each) for each in page.executions]
    return listed("executions", rows, total=page.total, limit=limit, offset=offset)
