"""SQL about the latest run of a source that says anything of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import Outcome
from lamplighter.store.tables import crawl_jobs, crawl_runs, sources
from lamplighter.store.types import literal

#: a run that was cancelled, or goes on, says nothing
_TELLING = (Outcome.OK, Outcome.WARN, Outcome.FAIL)


class LastRun(NamedTuple):
    """The latest run that says something of the source."""

    started_at: datetime
    finished_at: datetime | None
    outcome: Outcome
    message: str | None
    records_found: int


def last_run_of(values: Sequence[Any]) -> LastRun | None:
    """The run that its columns hold; None where there was none to join."""
    run = LastRun._make(values)
    return run._replace(outcome=Outcome(run.outcome)) if run.outcome is not None else None


def _latest_run() -> sa.ScalarSelect[int]:
    run = crawl_runs.alias()
    query = sa.select(run.c.id).where(run.c.source_id == sources.c.id, run.c.outcome.in_(literal(*_TELLING)))
    return query.order_by(run.c.started_at.desc(), run.c.id.desc()).limit(1).correlate(sources).scalar_subquery()


WITH_JOB = sources.outerjoin(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
#: every source, with its job and its latest run if there are any
WITH_JOB_AND_RUN = WITH_JOB.outerjoin(crawl_runs, crawl_runs.c.id == _latest_run())
