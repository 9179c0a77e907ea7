"""Queries for run logs: the lines that a run writes."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter import telemetry
from lamplighter.model.run_log import LogAction, LogLevel
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_runs, run_log_lines
from lamplighter.store.schema.types import UtcTime

#: characters of a message, of a URL and of a field's value; longer ones are cut
_LONGEST_MESSAGE = 1000
_LONGEST_URL = 2000
_LONGEST_FIELD = 300


class RunLogLine(NamedTuple):
    """A line of a run's log."""

    id: int
    run_id: int
    at: datetime
    level: str
    category: str
    message: str
    url: str | None
    #: a `model.run_log.LogAction`; None in old lines
    action: str | None
    #: its data, for programs; None without data
    fields: Mapping[str, Any] | None


class LogFilter(NamedTuple):
    """Which lines; None means any."""

    #: this level and higher ones
    level: LogLevel | None = None
    category: str | None = None
    action: str | None = None


#: every line
ALL = LogFilter()


class LogExtent(NamedTuple):
    """Extent of a run's log."""

    lines: int
    first_at: datetime
    last_at: datetime


_LINE = tuple(run_log_lines.c[name] for name in RunLogLine._fields)
_WRITE = sa.insert(run_log_lines)


async def write(db: Connection, lines: Sequence[dict[str, Any]]) -> None:
    """Writes lines made by `line`."""
    if lines:
        await db.execute(_WRITE, lines)


def line(
    run_id: int,
    action: LogAction,
    message: str,
    *,
    at: datetime,
    url: str | None = None,
    level: LogLevel | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Builds a line for `write`; `level` defaults to the action's level."""
    return {
        "run_id": run_id,
        "at": at,
        "level": level or action.level,
        "category": action.category,
        "action": action,
        "message": _shown(message, _LONGEST_MESSAGE),
        "url": _shown(url, _LONGEST_URL) if url is not None else None,
        "fields": {name: _field(value) for name, value in fields.items() if value is not None} or None,
    }


def _shown(text: str, longest: int) -> str:
    """Masks, then cuts: the mask would not recognise a password that was cut."""
    text = telemetry.masked(text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _field(value: Any) -> Any:
    return _shown(value, _LONGEST_FIELD) if isinstance(value, str) else value


async def of_run(
    db: Connection, run_id: int, *, after: int = 0, which: LogFilter = ALL, search: str | None = None, limit: int = 200
) -> list[RunLogLine]:
    """The lines of a run after the one with this id, oldest first; `search` is in the message or the URL."""
    query = sa.select(*_LINE).where(*_which(run_id, which), run_log_lines.c.id > after)
    if search is not None:
        query = query.where(queries.contains(search, run_log_lines.c.message, run_log_lines.c.url))
    return [RunLogLine._make(row) for row in await db.execute(query.order_by(run_log_lines.c.id).limit(limit))]


async def latest(db: Connection, run_id: int, *, limit: int) -> list[RunLogLine]:
    """The last lines of a run, oldest first."""
    query = sa.select(*_LINE).where(run_log_lines.c.run_id == run_id).order_by(run_log_lines.c.id.desc())
    return [RunLogLine._make(row) for row in await db.execute(query.limit(limit))][::-1]


async def about(db: Connection, source_id: int, url: str, *, runs: int, limit: int) -> list[RunLogLine]:
    """Lines of a source's latest runs about one URL, the latest first."""
    latest_runs = sa.select(crawl_runs.c.id).where(crawl_runs.c.source_id == source_id)
    latest_runs = latest_runs.order_by(crawl_runs.c.started_at.desc()).limit(runs)
    query = sa.select(*_LINE).where(run_log_lines.c.run_id.in_(latest_runs), run_log_lines.c.url == url)
    return [RunLogLine._make(row) for row in await db.execute(query.order_by(run_log_lines.c.id.desc()).limit(limit))]


async def count(db: Connection, run_id: int, which: LogFilter = ALL) -> int:
    """How many matching lines a run has."""
    return await queries.count(db, run_log_lines, *_which(run_id, which))


async def categories(db: Connection, run_id: int) -> list[str]:
    """The categories in a log."""
    query = sa.select(run_log_lines.c.category).distinct().where(run_log_lines.c.run_id == run_id)
    return sorted(await db.scalars(query))


async def actions(db: Connection, run_id: int) -> list[str]:
    """The actions in a run's log; old lines have none."""
    action = run_log_lines.c.action
    query = sa.select(action).distinct().where(run_log_lines.c.run_id == run_id, action.is_not(None))
    return sorted(await db.scalars(query))


async def run_of_line(db: Connection, line_id: int) -> int | None:
    """The run of this line; None when the line was deleted."""
    found: int | None = await db.scalar(sa.select(run_log_lines.c.run_id).where(run_log_lines.c.id == line_id))
    return found


async def extents(db: Connection, run_ids: Iterable[int]) -> dict[int, LogExtent]:
    """Run -> extent of its log; runs without a line are omitted."""
    at = run_log_lines.c.at
    spans = (sa.func.min(at, type_=UtcTime), sa.func.max(at, type_=UtcTime))
    query = sa.select(run_log_lines.c.run_id, sa.func.count(), *spans).group_by(run_log_lines.c.run_id)
    rows = await db.execute(query.where(run_log_lines.c.run_id.in_(sorted(run_ids))))
    return {row[0]: LogExtent._make(row[1:]) for row in rows}


def _which(run_id: int, which: LogFilter) -> list[sa.ColumnElement[bool]]:
    chosen = [run_log_lines.c.run_id == run_id]
    if which.level is not None:
        chosen.append(run_log_lines.c.level.in_(which.level.and_above))
    if which.category is not None:
        chosen.append(run_log_lines.c.category == which.category)
    if which.action is not None:
        chosen.append(run_log_lines.c.action == which.action)
    return chosen
