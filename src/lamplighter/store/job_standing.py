"""Conditions on how a job is doing, each in the words of the index that finds the few to which it applies.

They say the same as `operations.job_health.judge`.
"""

from collections.abc import Mapping

import sqlalchemy as sa

from lamplighter.model.crawl import Health, JobState, Outcome, PauseReason
from lamplighter.store.tables import crawl_jobs
from lamplighter.store.types import literal

_STATE, _REASON = crawl_jobs.c.state, crawl_jobs.c.pause_reason
# Not bound: so both databases see that the index has it, and PostgreSQL that what is selected is what is grouped by.
HAS_FAILED, IS_RETRYING = (crawl_jobs.c[name] > sa.literal_column("0") for name in ("failure_count", "retry_count"))
_WAS_STOPPED = _REASON.in_(literal(PauseReason.BREAKER, PauseReason.ROBOTS, PauseReason.TAKEDOWN))
#: failed, tried again or stopped by automation: as ix_crawl_jobs_unwell says it, in the same order
IS_UNWELL = sa.or_(HAS_FAILED, IS_RETRYING, _WAS_STOPPED, _STATE.in_(literal(JobState.FAILED)))
_ENDED_BADLY = crawl_jobs.c.last_outcome.in_(literal(Outcome.WARN, Outcome.FAIL))
_IS_WELL = sa.func.coalesce(sa.not_(IS_UNWELL), sa.true())
#: nothing but its latest run speaks against it
HAS_COMPLAINED = sa.and_(_ENDED_BADLY, _IS_WELL)
#: cancelled and deleted jobs have no health
IS_ACTIVE = sa.and_(_STATE != JobState.CANCELLED, crawl_jobs.c.deleted_at.is_(None))
_HAS_BROKEN = sa.or_(
    HAS_FAILED,
    _STATE.in_(literal(JobState.FAILED)),
    sa.func.coalesce(_REASON, "").in_(literal(PauseReason.BREAKER)),
)
#: what a person has put aside asks nobody for attention
_IS_IN_USE = sa.and_(
    IS_ACTIVE, sa.func.coalesce(_REASON, "").not_in(literal(PauseReason.USER, PauseReason.SOURCE_DISABLED))
)

#: its parts are sought one by one, each by an index of its own
Parts = tuple[sa.ColumnElement[bool], ...]
HEALTH: Mapping[Health, Parts] = {
    Health.FAILED: (sa.and_(IS_UNWELL, _HAS_BROKEN, IS_ACTIVE),),
    Health.WARNING: (sa.and_(IS_UNWELL, sa.not_(_HAS_BROKEN), IS_ACTIVE), sa.and_(HAS_COMPLAINED, IS_ACTIVE)),
    Health.HEALTHY: (
        sa.and_(
            _IS_WELL, sa.func.coalesce(crawl_jobs.c.last_outcome, "").not_in([Outcome.WARN, Outcome.FAIL]), IS_ACTIVE
        ),
    ),
}
#: its pages showed far less than usual
IS_DRIFTING = sa.and_(_ENDED_BADLY, crawl_jobs.c.last_drifted, IS_ACTIVE)
#: failing, blocked, stopped by its breaker; or drifting
NEEDS_ATTENTION: Parts = (
    sa.and_(IS_UNWELL, _IS_IN_USE),
    sa.and_(_ENDED_BADLY, crawl_jobs.c.last_drifted, _IS_WELL, _IS_IN_USE),
)
