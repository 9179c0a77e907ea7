"""SQL about the lines that a run writes down for its operator."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import run_log_lines


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


async def of_run(db: Connection, run_id: int, *, limit: int = 200) -> Sequence[Any]:
    """The lines of a run, oldest first."""
    query = sa.select(run_log_lines).where(run_log_lines.c.run_id == run_id)
    return (await db.execute(query.order_by(run_log_lines.c.id).limit(limit))).all()
