"""SQL conditions that filter sources: by status, tags, name, health and more."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, PauseReason, SourceState
from lamplighter.model.source import SourceStatus
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import job_conditions
from lamplighter.store.schema.tables import crawl_jobs, source_tags, sources
from lamplighter.store.schema.types import literal

Conditions = list[sa.ColumnElement[bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFilter:
    """Which sources; None and empty texts do not filter."""

    #: part of the name or the URL
    search: str | None = None
    status: SourceStatus | None = None
    enabled: bool | None = None
    least_priority: int | None = None
    most_priority: int | None = None
    #: the kind of its records; "auto" for sources without one
    kind: str | None = None
    tag: str | None = None
    #: name or address, with the port unless it is the scheme's default
    host: str | None = None
    organisation_type: str | None = None
    #: whether its last runs failed
    has_failures: bool | None = None
    state: SourceState | None = None
    #: the time of `state`, which needs it
    at: datetime | None = field(default=None, compare=False)
    #: True: only sources that drift
    is_drifting: bool = False
    #: True: only sources that fail, are blocked, were paused by their breaker, or drift
    needs_attention: bool = False
    #: None: deleted or not
    deleted: bool | None = False


_IS_DELETED = sources.c.deleted_at.is_not(None)
_IS_BLOCKED = sa.and_(
    crawl_jobs.c.state.in_(literal(JobState.PAUSED)),
    crawl_jobs.c.pause_reason.in_(literal(PauseReason.ROBOTS, PauseReason.TAKEDOWN)),
)
_HAS_STOPPED = crawl_jobs.c.state.in_(literal(JobState.PAUSED, JobState.CANCELLED, JobState.FAILED))
#: the status of a source, in a query that joins its job
status_word = sa.case(
    (_IS_DELETED, SourceStatus.DELETED),
    (_IS_BLOCKED, SourceStatus.BLOCKED),
    (sa.not_(sources.c.enabled), SourceStatus.PAUSED),
    (_HAS_STOPPED, SourceStatus.PAUSED),
    else_=SourceStatus.ACTIVE,
)


def _of_job(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Sources whose job matches: far cheaper than a join of every job to its source."""
    return sources.c.id.in_(sa.select(crawl_jobs.c.source_id).where(condition))


#: the same, as filters
_BY_STATUS: Mapping[SourceStatus, sa.ColumnElement[bool]] = {
    SourceStatus.DELETED: _IS_DELETED,
    SourceStatus.BLOCKED: _of_job(_IS_BLOCKED),
    SourceStatus.PAUSED: sa.or_(
        sa.and_(sources.c.enabled, _of_job(sa.and_(_HAS_STOPPED, sa.func.coalesce(sa.not_(_IS_BLOCKED), sa.true())))),
        sa.and_(sa.not_(sources.c.enabled), sa.not_(_of_job(_IS_BLOCKED))),
    ),
    SourceStatus.ACTIVE: sa.and_(sources.c.enabled, sa.not_(_of_job(_HAS_STOPPED))),
}
_HAS_FAILED = _of_job(
    sa.or_(*(crawl_jobs.c[name] > sa.literal_column("0") for name in ("failure_count", "retry_count")))
)


_HAS_NO_JOB = sources.c.id.not_in(sa.select(crawl_jobs.c.source_id))
_WITHOUT_JOB = {
    SourceState.NEVER_RUN: sa.and_(sources.c.enabled, _HAS_NO_JOB),
    SourceState.DISABLED: sa.and_(sa.not_(sources.c.enabled), _HAS_NO_JOB),
}


def conditions(db: Connection, which: SourceFilter) -> Conditions:
    """The conditions of a filter."""
    exact = {"enabled": which.enabled, "organisation_type": which.organisation_type}
    found = [sources.c[name] == value for name, value in exact.items() if value is not None]
    found.append(sources.c.is_implicit.is_(sa.false()))
    if which.status is not None:
        found.append(_BY_STATUS[which.status])
    if which.deleted is not None and which.status is not SourceStatus.DELETED:
        found.append(_IS_DELETED if which.deleted else sa.not_(_IS_DELETED))
    if which.search:
        found.append(_mentions(db, which.search))
    if which.least_priority is not None:
        found.append(sources.c.priority >= which.least_priority)
    if which.most_priority is not None:
        found.append(sources.c.priority <= which.most_priority)
    if which.kind:
        found.append(sources.c.kind.is_(None) if which.kind == "auto" else sources.c.kind == which.kind)
    if which.tag:
        found.append(sources.c.id.in_(sa.select(source_tags.c.source_id).where(source_tags.c.tag == which.tag)))
    if which.host:
        starts = (f"{scheme}://{which.host.lower()}/" for scheme in ("http", "https"))
        found.append(sa.or_(*(_begins(db, sources.c.url, start) for start in starts)))
    if which.has_failures is not None:
        found.append(_HAS_FAILED if which.has_failures else sa.not_(_HAS_FAILED))
    if which.state is not None:
        assert which.at is not None, "what a source waits for depends on the time"
        parts = list(map(_of_job, job_conditions.in_state(which.state, now=which.at)))
        if which.state in _WITHOUT_JOB:
            parts.append(_WITHOUT_JOB[which.state])
        found.append(sa.or_(*parts))
    if which.is_drifting:
        found.append(_of_job(job_conditions.IS_DRIFTING))
    if which.needs_attention:
        found.append(sa.or_(*map(_of_job, job_conditions.NEEDS_ATTENTION)))
    return found


def _mentions(db: Connection, text: str) -> sa.ColumnElement[bool]:
    """Whether the name or the URL contains a text, ignoring case; no index helps."""
    pattern = f"%{_PATTERN_SIGNS.sub(lambda sign: _ESCAPE + sign[0], text)}%"
    if _is_sqlite(db):  # whose LIKE ignores case
        return sa.or_(*(sources.c[name].like(pattern, escape=_ESCAPE) for name in ("name", "url")))
    # On PostgreSQL one lower() of both takes little more than half the time of two ILIKE.
    both = sources.c.name.concat(_BETWEEN).concat(sources.c.url)
    return sa.func.lower(both).like(sa.select(sa.func.lower(pattern)).scalar_subquery(), escape=_ESCAPE)


def _begins(db: Connection, column: sa.ColumnElement[str], start: str) -> sa.ColumnElement[bool]:
    """Whether a column starts with a text: by its index on SQLite; PostgreSQL may not sort by bytes."""
    if not _is_sqlite(db):
        return column.startswith(start, autoescape=True)
    return sa.and_(column >= start, column < start[:-1] + chr(ord(start[-1]) + 1))


def _is_sqlite(db: Connection) -> bool:
    return db.dialect.name == "sqlite"


_ESCAPE = "\\"
#: in no name, no URL and no search
_BETWEEN: sa.ColumnClause[str] = sa.literal_column(r"E'\x1f'")
_PATTERN_SIGNS = re.compile(r"[%_\\]")
