"""`lamplighter events`: the event log and the dead letters."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, TypeVar

import typer

from lamplighter.app import Store, open_carrier, open_store
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import answer, print_json_or_lines
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import ACTOR, in_reading
from lamplighter.model.access import Stamp
from lamplighter.model.event import DeadLetter
from lamplighter.operations.events import dead_letters
from lamplighter.operations.list_part import ListPart
from lamplighter.ports import Events
from lamplighter.settings import Settings
from lamplighter.store.events import events
from lamplighter.store.events.events import EventFilter

app = typer.Typer(no_args_is_help=True, add_completion=False)
T = TypeVar("T")
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number to show.")]


@app.command("list")
def list_events(
    source: Annotated[str | None, typer.Option(help="Part of the name of the source.")] = None,
    limit: Limit = 50,
    as_json: Json = False,
    data: Data = None,
) -> None:
    """Show the events of the last days, newest first."""
    which = EventFilter(source_name=source)
    found, _ = in_reading(load_settings(data), lambda db, stamp: events.newest(db, which, limit=limit, offset=0))
    lines = (
        f"{event.created_at:%Y-%m-%d %H:%M:%S}  {event.type}  {event.source_public_id or '-'}  {event.result}  "
        f"{event.detail or ''}"
        for event in found
    )
    print_json_or_lines(as_json, [event._asdict() for event in found], lines)


@app.command("dead-letters")
def list_dead_letters(limit: Limit = 50, as_json: Json = False, data: Data = None) -> None:
    """Show the dead letters with their reasons."""

    async def work(_: Store, carrier: Events) -> ListPart[DeadLetter]:
        return await dead_letters.listed(carrier, limit=limit, offset=0)

    page = _do(load_settings(data), work)
    lines = (f"{each.id}  {each.at:%Y-%m-%d %H:%M:%S}  after {each.tries}  {each.reason}" for each in page.rows)
    print_json_or_lines(as_json, [asdict(letter) for letter in page.rows], lines)


@app.command()
def retry(letter_id: Annotated[str, typer.Argument(help="Its id, as listed.")], data: Data = None) -> None:
    """Retry a dead letter."""

    async def work(store: Store, carrier: Events) -> DeadLetter:
        return await dead_letters.retry(store.db, carrier, letter_id, stamp=Stamp(ACTOR, store.clock.now()))

    answer(f"{_do(load_settings(data), work).id} will be processed again.")


@app.command()
def discard(letter_id: Annotated[str, typer.Argument(help="Its id, as listed.")], data: Data = None) -> None:
    """Discard a dead letter: its change is not applied."""

    async def work(store: Store, carrier: Events) -> DeadLetter:
        return await dead_letters.discard(store.db, carrier, letter_id, stamp=Stamp(ACTOR, store.clock.now()))

    answer(f"{_do(load_settings(data), work).id} was discarded.")


def _do(settings: Settings, work: Callable[[Store, Events], Awaitable[T]]) -> T:
    async def whole() -> T:
        async with open_store(settings) as store, open_carrier(settings, store) as carrier:
            return await work(store, carrier)

    return loop.run(whole())
