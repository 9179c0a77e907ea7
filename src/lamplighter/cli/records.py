"""`lamplighter records`: what was found, how it changed, and what must not be kept."""

from typing import Annotated, Any

import typer

from lamplighter.app import open_store
from lamplighter.cli import loop, records_table
from lamplighter.cli.console import answer, print_json
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.model.record import RecordKind
from lamplighter.model.record_search import Order, Presence, RecordFilter, SortKey
from lamplighter.operations import record_search, records
from lamplighter.rules import search_query, urls
from lamplighter.settings import Settings
from lamplighter.store.tombstones import Tombstone

app = typer.Typer(help="Records: list, show, remove, restore.", no_args_is_help=True, add_completion=False)
ACTOR = "command line"
Id = Annotated[str, typer.Argument(metavar="ID", help="The record's id, or its canonical hash.")]


@app.command("list")
def list_records(
    search: Annotated[
        str, typer.Option(metavar="TEXT", help='With these words; "phrases", -exclusions and prefixes* are known.')
    ] = "",
    source: Annotated[str | None, typer.Option(metavar="URL", help="Of this source only.")] = None,
    kind: Annotated[RecordKind | None, typer.Option(help="Of this kind only.")] = None,
    gone: Annotated[bool, typer.Option("--gone", help="Those that are gone, instead of those that are there.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many.")] = 50,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """List the newest records, or those that match some words, the best match first."""
    wanted = RecordFilter(
        text=search_query.parse(search),
        presence=Presence.GONE if gone else Presence.PRESENT,
        kind=kind,
        source_url=urls.normalise(source) if source is not None else None,
    )

    async def work(settings: Settings) -> list[dict[str, Any]]:
        async with open_store(settings) as store, store.db.read() as db:
            found, _ = await record_search.search(db, wanted, Order(by=SortKey.RELEVANCE, limit=limit))
            return found

    found = loop.run(work(load_settings(data)))
    if as_json:
        return print_json(found)
    if not found:
        return answer("No such records.")
    return records_table.show(found, with_ids=True)


@app.command()
def show(record: Id, data: Data = None, as_json: Json = False) -> None:
    """Show a record: what it says and how we know, which pages show it, how it changed."""

    async def work(settings: Settings) -> dict[str, Any]:
        async with open_store(settings) as store, store.db.read() as db:
            return await records.show(db, record)

    found = loop.run(work(load_settings(data)))
    if as_json:
        return print_json(found)
    for line in records_table.lines_of(found):
        answer(line)
    return None


@app.command()
def remove(
    record: Id,
    reason: Annotated[str, typer.Option(help="Who asked for it, and why.")],
    data: Data = None,
) -> None:
    """Forget a record with its history, and never store it again."""

    async def work(settings: Settings) -> Tombstone:
        async with open_store(settings) as store:
            now = store.clock.now()
            return await store.db.write(lambda db: records.remove(db, record, reason=reason, actor=ACTOR, now=now))

    stone = loop.run(work(load_settings(data)))
    answer(f"Removed {stone.title!r}; `lamplighter records restore {stone.canonical_hash}` lets it be stored again.")


@app.command()
def restore(
    canonical_hash: Annotated[str, typer.Argument(metavar="HASH", help="The hash that `records remove` printed.")],
    data: Data = None,
) -> None:
    """Let a removed record be stored again when its page is next read."""

    async def work(settings: Settings) -> Tombstone:
        async with open_store(settings) as store:
            now = store.clock.now()
            return await store.db.write(lambda db: records.restore(db, canonical_hash, actor=ACTOR, now=now))

    stone = loop.run(work(load_settings(data)))
    answer(
        f"{stone.title!r} may be stored again, by the next reading of a page that shows it: "
        "of a list within a day of visits, of any other page when that changes."
    )
