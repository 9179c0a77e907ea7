"""SQL conditions for job health, each worded like the partial index that finds the matching jobs.

They match `operations.jobs.job_health.judge`.
"""

from collections.abc import Mapping

import sqlalchemy as sa

from lamplighter.model.crawl import JobHealthState, JobState, PauseReason, RunOutcome
from lamplighter.store.schema.tables import crawl_jobs
from lamplighter.store.schema.types import literal

_STATE, _REASON = crawl_jobs.c.state, crawl_jobs.c.pause_reason
# Literals, so that both databases see that the index applies, and PostgreSQL that SELECT and GROUP BY are equal.
HAS_FAILED, IS_RETRYING = (crawl_jobs.c[name] > sa.literal_column("0") for name in ("failure_count", "retry_count"))
_WAS_STOPPED = _REASON.in_(literal(PauseReason.BREAKER, PauseReason.ROBOTS, PauseReason.TAKEDOWN))
#: failed, retried or paused by automation: the condition of ix_crawl_jobs_unwell, in the same order
IS_UNWELL = sa.or_(HAS_FAILED, IS_RETRYING, _WAS_STOPPED, _STATE.in_(literal(JobState.FAILED)))
_ENDED_BADLY = crawl_jobs.c.last_outcome.in_(literal(RunOutcome.WARN, RunOutcome.FAIL))
_IS_WELL = sa.func.coalesce(sa.not_(IS_UNWELL), sa.true())
#: only its latest run ended with a warning or failed
HAS_COMPLAINED = sa.and_(_ENDED_BADLY, _IS_WELL)
#: cancelled and deleted jobs have no health
IS_ACTIVE = sa.and_(_STATE != JobState.CANCELLED, crawl_jobs.c.deleted_at.is_(None))
_HAS_BROKEN = sa.or_(
    HAS_FAILED, _STATE.in_(literal(JobState.FAILED)), sa.func.coalesce(_REASON, "").in_(literal(PauseReason.BREAKER))
)
#: jobs that a person paused or disabled need no attention
_IS_IN_USE = sa.and_(
    IS_ACTIVE, sa.func.coalesce(_REASON, "").not_in(literal(PauseReason.USER, PauseReason.SOURCE_DISABLED))
)

#: each part is queried by itself, by its own index
Parts = tuple[sa.ColumnElement[bool], ...]
HEALTH: Mapping[JobHealthState, Parts] = {
    JobHealthState.FAILED: (sa.and_(IS_UNWELL, _HAS_BROKEN, IS_ACTIVE),),
    JobHealthState.WARNING: (sa.and_(IS_UNWELL, sa.not_(_HAS_BROKEN), IS_ACTIVE), sa.and_(HAS_COMPLAINED, IS_ACTIVE)),
    JobHealthState.HEALTHY: (
        sa.and_(
            _IS_WELL,
            sa.func.coalesce(crawl_jobs.c.last_outcome, "").not_in([RunOutcome.WARN, RunOutcome.FAIL]),
            IS_ACTIVE,
        ),
    ),
}
#: its pages show far less than usual
IS_DRIFTING = sa.and_(_ENDED_BADLY, crawl_jobs.c.last_drifted, IS_ACTIVE)
#: failing, blocked, paused by its breaker; or drifting
NEEDS_ATTENTION: Parts = (
    sa.and_(IS_UNWELL, _IS_IN_USE),
    sa.and_(_ENDED_BADLY, crawl_jobs.c.last_drifted, _IS_WELL, _IS_IN_USE),
)
