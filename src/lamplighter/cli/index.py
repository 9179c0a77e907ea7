"""`lamplighter index`: what records are found in."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lamplighter.app import RecordIndex, open_store
from lamplighter.cli import loop
from lamplighter.cli.console import answer, err, print_json
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.model.search_index import IndexOrder
from lamplighter.operations import search_index
from lamplighter.operations.search_index import Standing
from lamplighter.settings import Settings
from lamplighter.store import records

app = typer.Typer(help="The index that records are found in.", no_args_is_help=True, add_completion=False)


@app.command()
def status(data: Data = None, as_json: Json = False) -> None:
    """Show what records are found in, what a search server has not been told yet, and the numbers of both sides."""

    async def work(settings: Settings) -> Standing:
        async with open_store(settings) as store:
            index = RecordIndex(settings, store)
            try:
                return await search_index.standing(store.db, index.server)
            finally:
                await index.close()

    found = loop.run(work(load_settings(data)))
    if as_json:
        return print_json(_json_of(found))
    for line in _lines_of(found):
        answer(line)
    return None


@app.command()
def reindex(data: Data = None, as_json: Json = False) -> None:
    """Make the search server's index anew, beside the one in use, and put it in its place."""
    written = _carry_out(load_settings(data), IndexOrder.REINDEX)
    if as_json:
        return print_json({"written": written})
    return answer(f"The index was made anew with {written} records.")


@app.command()
def reconcile(data: Data = None, as_json: Json = False) -> None:
    """Compare the search server's index with the records, correct it, and try again what was given up."""
    differing = _carry_out(load_settings(data), IndexOrder.RECONCILE)
    if as_json:
        return print_json({"differing": differing})
    return answer(f"{differing} records differed." if differing else "The index is as the records are.")


@app.command()
def off(data: Data = None) -> None:
    """Note no longer what a search server would have to be told; to be used when there is to be none any more."""
    in_transaction(load_settings(data), lambda db, now: search_index.turn_off(db, actor=ACTOR, now=now))
    answer(
        "Nothing is noted for a search server any more; a process that starts with LAMPLIGHTER_INDEX_URL begins anew."
    )


def _carry_out(settings: Settings, what: IndexOrder) -> int:
    async def work(told: Callable[[int, int], None]) -> int:
        async with open_store(settings) as store:
            index = RecordIndex(settings, store)
            try:
                search_index.outside(index.server)
                assert index.keeper is not None, "a server is never without its keeper"
                async with store.db.read() as db:
                    total = await records.count(db)
                return await index.keeper.carry_out(what, lambda done: told(done, total))
            finally:
                await index.close()

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=err, transient=True) as progress:
        bar = progress.add_task(what.capitalize(), total=None)
        return loop.run(work(lambda done, total: progress.update(bar, completed=done, total=total)))


def _json_of(found: Standing) -> dict[str, Any]:
    parked = [each._asdict() for each in found.parked]
    return asdict(found.waiting) | {
        "parked_records": parked,
        "in_database": found.in_database,
        "in_index": found.in_index,
        "ordered": found.ordered,
        "done": found.done,
        "reconciled_at": found.reconciled_at,
    }


def _lines_of(found: Standing) -> list[str]:
    waiting = found.waiting
    lines = [f"Records are found in: {waiting.engine}"]
    if waiting.trouble is not None:
        lines.append(f"Away: {waiting.trouble}")
    known = "unknown" if found.in_index is None else str(found.in_index)
    lines.append(
        f"Records: {found.in_database}" + ("" if waiting.engine == search_index.EMBEDDED else f", found there: {known}")
    )
    since = f", the oldest since {waiting.oldest_at:%Y-%m-%d %H:%M:%S}" if waiting.oldest_at is not None else ""
    if waiting.engine != search_index.EMBEDDED or waiting.pending:
        lines.append(f"To be told: {waiting.pending}{since}")
    if found.ordered is not None:
        lines.append(f"Ordered: {found.ordered}" + (f", {found.done} done" if found.done is not None else ""))
    if waiting.parked:
        lines.append(f"Given up: {waiting.parked}")
        lines += [f"  record {each.record_id}: {each.detail}" for each in found.parked]
    return lines
