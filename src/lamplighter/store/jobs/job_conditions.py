"""SQL conditions for the states of sources, worded like the partial indexes that find the matching jobs.

They match `rules.sources.source_state`.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, PauseReason, RunOutcome, SourceState
from lamplighter.store.schema.tables import crawl_jobs, hosts
from lamplighter.store.schema.types import literal

_STATE, _REASON = crawl_jobs.c.state, crawl_jobs.c.pause_reason
# Literals, so that both databases see that the index applies, and PostgreSQL that SELECT and GROUP BY are equal.
HAS_FAILED, IS_RETRYING = (crawl_jobs.c[name] > sa.literal_column("0") for name in ("failure_count", "retry_count"))
_WAS_STOPPED = _REASON.in_(literal(PauseReason.BREAKER, PauseReason.ROBOTS, PauseReason.TAKEDOWN))
#: failed, retried or paused by automation: the condition of ix_crawl_jobs_unwell, in the same order
IS_UNWELL = sa.or_(HAS_FAILED, IS_RETRYING, _WAS_STOPPED, _STATE.in_(literal(JobState.FAILED)))
_ENDED_BADLY = crawl_jobs.c.last_outcome.in_(literal(RunOutcome.WARN, RunOutcome.FAIL))
_IS_WELL = sa.func.coalesce(sa.not_(IS_UNWELL), sa.true())
#: neither cancelled nor deleted
IS_ACTIVE = sa.and_(_STATE != JobState.CANCELLED, crawl_jobs.c.deleted_at.is_(None))
#: jobs that a person paused or disabled need no attention
_IS_IN_USE = sa.and_(
    IS_ACTIVE, sa.func.coalesce(_REASON, "").not_in(literal(PauseReason.USER, PauseReason.SOURCE_DISABLED))
)

#: each part is queried by itself, by its own index
Parts = tuple[sa.ColumnElement[bool], ...]
_IS_KEPT = crawl_jobs.c.deleted_at.is_(None)
_IS_BETWEEN_RUNS = _STATE.in_(literal(JobState.PENDING, JobState.SCHEDULED, JobState.COMPLETED))
_WAS_PAUSED = _STATE.in_(literal(JobState.PAUSED))
_FAILED_LAST = sa.func.coalesce(crawl_jobs.c.last_outcome, "").in_(literal(RunOutcome.FAIL))
_RUNS_FAIL = sa.or_(
    sa.and_(_IS_BETWEEN_RUNS, sa.or_(HAS_FAILED, IS_RETRYING)),
    sa.and_(_WAS_PAUSED, sa.func.coalesce(_REASON, "").in_(literal(PauseReason.BREAKER))),
    _STATE.in_(literal(JobState.FAILED)),
)
IS_FAILING: Parts = (
    sa.and_(IS_UNWELL, _RUNS_FAIL, _IS_KEPT),
    sa.and_(_ENDED_BADLY, _FAILED_LAST, _IS_BETWEEN_RUNS, _IS_KEPT),
)
_RUNS_WELL = sa.and_(_IS_BETWEEN_RUNS, sa.not_(HAS_FAILED), sa.not_(IS_RETRYING), sa.not_(_FAILED_LAST), _IS_KEPT)
_IS_HELD = crawl_jobs.c.held_since.is_not(None)
_RUNS_IN_TIME = sa.and_(_RUNS_WELL, sa.not_(_IS_HELD))
_BY_SYSTEM = literal(PauseReason.BREAKER, PauseReason.ROBOTS, PauseReason.TAKEDOWN, PauseReason.SOURCE_DISABLED)
_STATES: Mapping[SourceState, Parts] = {
    SourceState.NEVER_RUN: (sa.and_(_RUNS_IN_TIME, crawl_jobs.c.last_outcome.is_(None)),),
    SourceState.RUNNING: (sa.and_(_STATE.in_(literal(JobState.RUNNING)), _IS_KEPT),),
    SourceState.WAITING: (sa.and_(_IS_HELD, _RUNS_WELL),),
    SourceState.HEALTHY: (
        sa.and_(_RUNS_IN_TIME, sa.func.coalesce(crawl_jobs.c.last_outcome, RunOutcome.WARN) != RunOutcome.WARN),
    ),
    SourceState.WARNING: (sa.and_(_ENDED_BADLY, crawl_jobs.c.last_outcome == RunOutcome.WARN, _RUNS_IN_TIME),),
    SourceState.FAILING: IS_FAILING,
    SourceState.BLOCKED: (
        sa.and_(IS_UNWELL, _WAS_PAUSED, _REASON.in_(literal(PauseReason.ROBOTS, PauseReason.TAKEDOWN)), _IS_KEPT),
    ),
    SourceState.PAUSED: (
        sa.and_(_WAS_PAUSED, sa.func.coalesce(_REASON, "").not_in(_BY_SYSTEM), _IS_KEPT),
        sa.and_(_STATE.in_(literal(JobState.CANCELLED)), _IS_KEPT),
    ),
    SourceState.DISABLED: (
        sa.and_(_WAS_PAUSED, _REASON.in_(literal(PauseReason.SOURCE_DISABLED)), _IS_KEPT),
        crawl_jobs.c.deleted_at.is_not(None),
    ),
}


def shut_hosts(now: datetime) -> sa.CompoundSelect[tuple[int]]:
    """The hosts that get no requests now: disabled, blocked, or without a proxy; each part has its own index."""
    parts = (~hosts.c.enabled, hosts.c.blocked_until > now, hosts.c.proxy_wait_until > now)
    return sa.union_all(*(sa.select(hosts.c.id).where(part) for part in parts))


def waits(now: datetime) -> Parts:
    """Jobs that run, or are due, while their host gets no requests."""
    is_shut_out = crawl_jobs.c.host_id.in_(shut_hosts(now))
    is_due = sa.and_(_STATE.in_(literal(JobState.PENDING, JobState.SCHEDULED)), crawl_jobs.c.next_run_at <= now)
    return tuple(sa.and_(which, _IS_KEPT, is_shut_out) for which in (_STATE.in_(literal(JobState.RUNNING)), is_due))


def in_state(state: SourceState, *, now: datetime) -> Parts:
    """Jobs whose source is in this state."""
    runs, is_due = waits(now)
    if state is SourceState.WAITING:
        return (*_STATES[state], runs, sa.and_(is_due, _RUNS_WELL))
    if state not in (SourceState.RUNNING, SourceState.NEVER_RUN, SourceState.HEALTHY, SourceState.WARNING):
        return _STATES[state]
    does_not_wait = sa.func.coalesce(sa.not_(sa.or_(runs, is_due)), sa.true())
    return tuple(sa.and_(part, does_not_wait) for part in _STATES[state])


def has_status(states: Collection[JobState]) -> sa.ColumnElement[bool]:
    """Jobs that people see in one of these states: those whose runs fail are failed, whatever state they are in."""
    is_failing = sa.or_(*IS_FAILING)
    others = [state for state in states if state is not JobState.FAILED]
    found = [sa.and_(_STATE.in_(others), sa.not_(is_failing))] if others else []
    return sa.or_(*found, is_failing) if JobState.FAILED in states else sa.or_(*found)


#: its pages show far less than usual
IS_DRIFTING = sa.and_(_ENDED_BADLY, crawl_jobs.c.last_drifted, IS_ACTIVE)
#: failing, blocked, paused by its breaker; drifting; or advised to be changed
NEEDS_ATTENTION: Parts = (
    sa.and_(IS_UNWELL, _IS_IN_USE),
    sa.and_(_ENDED_BADLY, crawl_jobs.c.last_drifted, _IS_WELL, _IS_IN_USE),
    sa.and_(crawl_jobs.c.last_advice.is_not(None), sa.not_(crawl_jobs.c.last_drifted), _IS_WELL, _IS_IN_USE),
)
