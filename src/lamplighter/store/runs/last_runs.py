"""SQL for the latest run of a source that was not cancelled."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import RunOutcome
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, sources
from lamplighter.store.schema.types import literal

#: cancelled and open runs do not count
_TELLING = (RunOutcome.OK, RunOutcome.WARN, RunOutcome.FAIL)


class LastRun(NamedTuple):
    """A source's latest ended, uncancelled run."""

    started_at: datetime
    finished_at: datetime | None
    outcome: RunOutcome
    message: str | None
    records_found: int


def last_run_of(values: Sequence[Any]) -> LastRun | None:
    """Converts columns to a run; None where the join found none."""
    run = LastRun._make(values)
    return run._replace(outcome=RunOutcome(run.outcome)) if run.outcome is not None else None


def _latest_run() -> sa.ScalarSelect[int]:
    run = crawl_runs.alias()
    query = sa.select(run.c.id).where(run.c.source_id == sources.c.id, run.c.outcome.in_(literal(*_TELLING)))
    return query.order_by(run.c.started_at.desc(), run.c.id.desc()).limit(1).correlate(sources).scalar_subquery()


WITH_JOB = sources.outerjoin(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
#: every source, with its job and its latest run, if any
WITH_JOB_AND_RUN = WITH_JOB.outerjoin(crawl_runs, crawl_runs.c.id == _latest_run())
