"""`lamplighter index`: the search index of records."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lamplighter.app import RecordIndex, Store
from lamplighter.cli.terminal.console import answer, err, print_json_or_lines
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import in_transaction, with_store
from lamplighter.model.search_index import IndexOrder
from lamplighter.operations.records import search_index
from lamplighter.operations.records.search_index import SearchIndexStatus
from lamplighter.rules.formats.plural import counted
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Database
from lamplighter.store.records import records

app = typer.Typer(no_args_is_help=True, add_completion=False)
T = TypeVar("T")


@app.command()
def status(data: Data = None, as_json: Json = False) -> None:
    """Show the search engine, its backlog, and the record counts of both sides."""

    async def work(db: Database, index: RecordIndex) -> SearchIndexStatus:
        return await search_index.status(db, index.server)

    found = _with_index(load_settings(data), work)
    print_json_or_lines(as_json, _json_of(found), _lines_of(found))


@app.command()
def reindex(data: Data = None, as_json: Json = False) -> None:
    """Rebuild the search server's index beside the one in use, then switch to it."""
    written = _carry_out(load_settings(data), IndexOrder.REINDEX)
    line = f"The index was rebuilt with {counted(written, 'record')}."
    print_json_or_lines(as_json, {"written": written}, [line])


@app.command()
def reconcile(data: Data = None, as_json: Json = False) -> None:
    """Compare the search index with the records, correct it, and retry refused records."""
    differing = _carry_out(load_settings(data), IndexOrder.RECONCILE)
    line = f"{counted(differing, 'record')} differed." if differing else "The index matches the records."
    print_json_or_lines(as_json, {"differing": differing}, [line])


@app.command()
def off(data: Data = None) -> None:
    """Stop queueing records for a search server; use it when you no longer have one."""
    in_transaction(load_settings(data), lambda db, stamp: search_index.turn_off(db, stamp=stamp))
    answer(
        "Nothing is queued for a search server any more; a process that starts with LAMPLIGHTER_INDEX_URL begins again."
    )


def _carry_out(settings: Settings, what: IndexOrder) -> int:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=err(), transient=True) as progress:
        bar = progress.add_task(what.capitalize(), total=None)

        async def work(db: Database, index: RecordIndex) -> int:
            search_index.outside(index.server)
            assert index.keeper is not None, "a server is never without its keeper"
            total = await db.look(records.count)
            return await index.keeper.carry_out(what, lambda done: progress.update(bar, completed=done, total=total))

        return _with_index(settings, work)


def _with_index(settings: Settings, work: Callable[[Database, RecordIndex], Awaitable[T]]) -> T:
    async def whole(store: Store) -> T:
        index = RecordIndex(settings, store.db, clock=store.clock)
        try:
            return await work(store.db, index)
        finally:
            await index.close()

    return with_store(settings, whole)


def _json_of(found: SearchIndexStatus) -> dict[str, Any]:
    counts = {name: getattr(found, name) for name in ("in_database", "in_index", "ordered", "done", "reconciled_at")}
    return asdict(found.waiting) | {"parked_records": [each._asdict() for each in found.parked]} | counts


def _lines_of(found: SearchIndexStatus) -> list[str]:
    waiting = found.waiting
    lines = [f"Search engine: {waiting.engine}"]
    if waiting.trouble is not None:
        lines.append(f"Away: {waiting.trouble}")
    known = "unknown" if found.in_index is None else str(found.in_index)
    lines.append(
        f"Records: {found.in_database}" + ("" if waiting.engine == search_index.EMBEDDED else f", indexed: {known}")
    )
    since = f", the oldest since {waiting.oldest_at:%Y-%m-%d %H:%M:%S}" if waiting.oldest_at is not None else ""
    if waiting.engine != search_index.EMBEDDED or waiting.pending:
        lines.append(f"To index: {waiting.pending}{since}")
    if found.ordered is not None:
        lines.append(f"Ordered: {found.ordered}" + (f", {found.done} done" if found.done is not None else ""))
    if waiting.parked:
        lines.append(f"Refused: {waiting.parked}")
        lines += [f"  record {each.record_id}: {each.detail}" for each in found.parked]
    return lines
