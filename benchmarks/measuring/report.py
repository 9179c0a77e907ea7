"""How are the results shown? As a table to read, and as JSON to keep and compare."""

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.contenders import Contender, Result

Row = Result | Contender


def table(rows: Sequence[Row], *, title: str) -> Table:
    """One line per contender; a contender without a result is one that is not built."""
    grid = Table(title=title)
    grid.add_column("contender")
    for name in ("CPU s / 1,000 pages", "pages/s", "peak RSS MB", "pages", "records", "requests"):
        grid.add_column(name, justify="right")
    grid.add_column("what it does")
    for row in rows:
        grid.add_row(*_cells(row), style=_style(row))
    return grid


def _cells(row: Row) -> tuple[str, ...]:
    if isinstance(row, Contender):
        return (row.name, *("-",) * 6, "not built")
    pages, records = (str(row.tally.pages), str(row.tally.items)) if row.tally else ("?", "?")
    return (
        row.contender.name,
        f"{row.cpu_seconds_per_1000:.2f}",
        f"{row.pages_per_second:.0f}",
        f"{row.peak_rss_mb:.0f}",
        pages,
        records,
        str(row.requests),
        row.complaint or row.contender.does,
    )


def _style(row: Row) -> str | None:
    if isinstance(row, Contender):
        return "dim"
    return "red" if row.complaint else None


def write_json(rows: Sequence[Row], path: Path) -> None:
    """Keeps the figures with the machine and the moment they belong to."""
    document = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "results": [_as_json(row) for row in rows if isinstance(row, Result)],
        "not_built": [row.name for row in rows if isinstance(row, Contender)],
    }
    path.write_text(json.dumps(document, indent=2) + "\n")


def _as_json(result: Result) -> dict[str, Any]:
    return {
        "contender": result.contender.name,
        "does": result.contender.does,
        "complaint": result.complaint,
        "pages": result.expected,
        "requests": result.requests,
        "records": result.tally.items if result.tally else None,
        "links": result.tally.links if result.tally else None,
        "cpu_seconds": round(result.measurement.cpu.total_seconds(), 3),
        "wall_seconds": round(result.measurement.wall.total_seconds(), 3),
        "cpu_seconds_per_1000": round(result.cpu_seconds_per_1000, 3),
        "pages_per_second": round(result.pages_per_second, 1),
        "peak_rss_mb": round(result.peak_rss_mb, 1),
    }
