"""`lamplighter records`: lists, shows, removes and restores records."""

from typing import Annotated

import typer

from lamplighter.cli.records import record_files, records_table
from lamplighter.cli.terminal.console import answer, print_json, print_json_or_lines
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import in_reading, in_transaction
from lamplighter.model.record import RecordKind
from lamplighter.model.record_search import Presence, RecordFilter, RecordOrder, SortKey
from lamplighter.operations.records import record_search, records
from lamplighter.rules.records import search_query
from lamplighter.rules.urls import urls

app = typer.Typer(no_args_is_help=True, add_completion=False)
app.command()(record_files.export)
Id = Annotated[str, typer.Argument(metavar="ID", help="The record's id, or its canonical hash.")]


@app.command("list")
def list_records(
    search: Annotated[
        str, typer.Option(metavar="TEXT", help='Search words; "phrases", -exclusions and prefixes* work.')
    ] = "",
    source: Annotated[str | None, typer.Option(metavar="URL", help="Only records of this source.")] = None,
    kind: Annotated[RecordKind | None, typer.Option(help="Only records of this kind.")] = None,
    gone: Annotated[bool, typer.Option("--gone", help="Only records that are gone.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Maximum number to show.")] = 50,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """List the newest records, or search them, the best match first."""
    wanted = RecordFilter(
        text=search_query.parse(search),
        presence=Presence.GONE if gone else Presence.PRESENT,
        kind=kind,
        source_url=urls.normalise(source) if source is not None else None,
    )
    order = RecordOrder(by=SortKey.RELEVANCE, limit=limit)
    found, _ = in_reading(load_settings(data), lambda db, stamp: record_search.search(db, wanted, order))
    if as_json:
        return print_json(found)
    if not found:
        return answer("No records found.")
    return records_table.show(found, with_ids=True)


@app.command()
def show(record: Id, data: Data = None, as_json: Json = False) -> None:
    """Show a record: fields with their evidence, pages and history."""
    found = in_reading(load_settings(data), lambda db, stamp: records.show(db, record))
    print_json_or_lines(as_json, found, records_table.lines_of(found))


@app.command()
def remove(
    record: Id,
    reason: Annotated[str, typer.Option(help="Who requested it, and why.")],
    data: Data = None,
) -> None:
    """Remove a record with its history, and never store it again."""
    stone = in_transaction(
        load_settings(data), lambda db, stamp: records.remove(db, record, reason=reason, stamp=stamp)
    )
    answer(f"Removed {stone.title!r}; `lamplighter records restore {stone.canonical_hash}` allows it again.")


@app.command()
def restore(
    canonical_hash: Annotated[str, typer.Argument(metavar="HASH", help="The hash that `records remove` printed.")],
    data: Data = None,
) -> None:
    """Allow a removed record to be stored again when its page is next parsed."""
    stone = in_transaction(load_settings(data), lambda db, stamp: records.restore(db, canonical_hash, stamp=stamp))
    answer(
        f"{stone.title!r} may be stored again, when a page that shows it is next parsed: "
        "a list within a day, any other page when it changes."
    )
