"""`lamplighter events`: the event log and the dead letters."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, TypeVar

import typer

from lamplighter.app import Store, open_carrier, open_store
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import answer, print_json
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import ACTOR
from lamplighter.model.access import Stamp
from lamplighter.model.event import DeadLetter
from lamplighter.operations.events import dead_letters
from lamplighter.operations.events.dead_letters import DeadLetterPage
from lamplighter.ports import Events
from lamplighter.settings import Settings
from lamplighter.store.events import events
from lamplighter.store.events.events import LoggedEvent

app = typer.Typer(help="Events: the event log and the dead letters.", no_args_is_help=True, add_completion=False)
T = TypeVar("T")
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number to show.")]


@app.command("list")
def list_events(limit: Limit = 50, as_json: Json = False, data: Data = None) -> None:
    """Show the events of the last days, newest first."""

    async def work(store: Store, _: Events) -> list[LoggedEvent]:
        async with store.db.read() as db:
            return (await events.newest(db, limit=limit, offset=0))[0]

    found = _do(load_settings(data), work)
    if as_json:
        print_json([event._asdict() for event in found])
        return
    for event in found:
        about = event.source_public_id or "-"
        answer(f"{event.created_at:%Y-%m-%d %H:%M:%S}  {event.type}  {about}  {event.result}  {event.detail or ''}")


@app.command("dead-letters")
def list_dead_letters(limit: Limit = 50, as_json: Json = False, data: Data = None) -> None:
    """Show the dead letters with their reasons."""

    async def work(_: Store, carrier: Events) -> DeadLetterPage:
        return await dead_letters.listed(carrier, limit=limit, offset=0)

    page = _do(load_settings(data), work)
    if as_json:
        print_json([asdict(letter) for letter in page.letters])
        return
    for letter in page.letters:
        answer(f"{letter.id}  {letter.at:%Y-%m-%d %H:%M:%S}  after {letter.tries}  {letter.reason}")


@app.command()
def retry(letter_id: Annotated[str, typer.Argument(help="Its id, as listed.")], data: Data = None) -> None:
    """Retry a dead letter."""

    async def work(store: Store, carrier: Events) -> DeadLetter:
        return await dead_letters.retry(store.db, carrier, letter_id, stamp=Stamp(ACTOR, store.clock.now()))

    answer(f"{_do(load_settings(data), work).id} will be processed again.")


def _do(settings: Settings, work: Callable[[Store, Events], Awaitable[T]]) -> T:
    async def whole() -> T:
        async with open_store(settings) as store, open_carrier(settings, store) as carrier:
            return await work(store, carrier)

    return loop.run(whole())
