"""SQL about the lines that a run writes down for its operator."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_runs, run_log_lines
from lamplighter.store.types import UtcTime


class Line(NamedTuple):
    """One line, as it was written."""

    id: int
    run_id: int
    at: datetime
    level: str
    category: str
    message: str
    url: str | None


class Extent(NamedTuple):
    """How much a run has written."""

    lines: int
    first_at: datetime
    last_at: datetime


_LINE = tuple(run_log_lines.c[name] for name in Line._fields)


async def write(db: Connection, lines: Sequence[dict[str, Any]]) -> None:
    """Appends lines: run_id, at, level, category, message, url."""
    if lines:
        await db.execute(sa.insert(run_log_lines), lines)


def line(
    run_id: int, *, at: datetime, category: str, message: str, url: str | None = None, level: str = "info"
) -> dict[str, Any]:
    """One line, ready to be written."""
    return {"run_id": run_id, "at": at, "level": level, "category": category, "message": message, "url": url}


async def first_note(db: Connection, run_id: int) -> str | None:
    """The first thing that was odd about reading the run's pages."""
    query = sa.select(run_log_lines.c.message).where(
        run_log_lines.c.run_id == run_id, run_log_lines.c.category == "parse"
    )
    found: str | None = await db.scalar(query.order_by(run_log_lines.c.id).limit(1))
    return found


async def of_run(
    db: Connection,
    run_id: int,
    *,
    after: int = 0,
    level: str | None = None,
    category: str | None = None,
    search: str | None = None,
    limit: int = 200,
) -> list[Line]:
    """The lines of a run that follow the one with this id, oldest first; `search` stands in the message or the URL."""
    query = sa.select(*_LINE).where(*_which(run_id, level, category), run_log_lines.c.id > after)
    if search is not None:
        found = (
            sa.func.lower(run_log_lines.c[name]).contains(search.lower(), autoescape=True)
            for name in ("message", "url")
        )
        query = query.where(sa.or_(*found))
    return [Line._make(row) for row in await db.execute(query.order_by(run_log_lines.c.id).limit(limit))]


async def latest(db: Connection, run_id: int, *, limit: int) -> list[Line]:
    """The last lines of a run, oldest first."""
    query = sa.select(*_LINE).where(run_log_lines.c.run_id == run_id).order_by(run_log_lines.c.id.desc())
    return [Line._make(row) for row in await db.execute(query.limit(limit))][::-1]


async def about(db: Connection, source_id: int, url: str, *, runs: int, limit: int) -> list[Line]:
    """What the latest runs of a source wrote of one URL, the latest first."""
    latest_runs = sa.select(crawl_runs.c.id).where(crawl_runs.c.source_id == source_id)
    latest_runs = latest_runs.order_by(crawl_runs.c.started_at.desc()).limit(runs)
    query = sa.select(*_LINE).where(run_log_lines.c.run_id.in_(latest_runs), run_log_lines.c.url == url)
    return [Line._make(row) for row in await db.execute(query.order_by(run_log_lines.c.id.desc()).limit(limit))]


async def count(db: Connection, run_id: int, *, level: str | None = None, category: str | None = None) -> int:
    """How many such lines a run has written."""
    query = sa.select(sa.func.count()).select_from(run_log_lines).where(*_which(run_id, level, category))
    return int(await db.scalar(query))


async def categories(db: Connection, run_id: int) -> list[str]:
    """What a run has written about."""
    query = sa.select(run_log_lines.c.category).distinct().where(run_log_lines.c.run_id == run_id)
    return sorted(await db.scalars(query))


async def run_of_line(db: Connection, line_id: int) -> int | None:
    """Which run wrote this line; None when it is not kept any more."""
    found: int | None = await db.scalar(sa.select(run_log_lines.c.run_id).where(run_log_lines.c.id == line_id))
    return found


async def extents(db: Connection, run_ids: Iterable[int]) -> dict[int, Extent]:
    """How much each of these runs has written; those without a line are left out."""
    at = run_log_lines.c.at
    spans = (sa.func.min(at, type_=UtcTime), sa.func.max(at, type_=UtcTime))
    query = sa.select(run_log_lines.c.run_id, sa.func.count(), *spans).group_by(run_log_lines.c.run_id)
    rows = await db.execute(query.where(run_log_lines.c.run_id.in_(sorted(run_ids))))
    return {row[0]: Extent._make(row[1:]) for row in rows}


def _which(run_id: int, level: str | None, category: str | None) -> list[sa.ColumnElement[bool]]:
    which = [run_log_lines.c.run_id == run_id]
    if level is not None:
        which.append(run_log_lines.c.level == level)
    if category is not None:
        which.append(run_log_lines.c.category == category)
    return which
