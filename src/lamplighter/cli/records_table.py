"""Records as a table for a terminal."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from lamplighter.cli.console import plain

#: an empty cell
NONE = "-"


def of(records: Sequence[dict[str, Any]]) -> Table:
    """One row per record, whatever its kind: what it is called, by whom or how much, when, and where it stands."""
    table = Table(box=None, pad_edge=False)
    table.add_column("Title", ratio=4, overflow="ellipsis", no_wrap=True)
    table.add_column("By / price", ratio=2, overflow="ellipsis", no_wrap=True)
    table.add_column("Date", no_wrap=True)
    table.add_column("URL", ratio=5, overflow="fold")
    for record in records:
        table.add_row(*(plain(cell) for cell in (record["title"], _detail(record), _date(record), record["url"])))
    return table


def _detail(record: dict[str, Any]) -> str:
    fields = record["fields"]
    if fields.get("price") is not None:
        return f"{fields['price']} {fields.get('currency') or ''}".strip()
    return str(record["organisation"] or fields.get("author") or NONE)


def _date(record: dict[str, Any]) -> str:
    """A deadline is what matters of a job, the day of publication of anything else."""
    if record["deadline"]:
        return f"until {record['deadline']}"
    return (record["published_at"] or NONE)[:10]
