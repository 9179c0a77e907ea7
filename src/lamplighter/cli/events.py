"""`lamplighter events`: what happened to sources, and what became of the news of it."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, TypeVar

import typer

from lamplighter.app import Store, open_carrier, open_store
from lamplighter.cli import loop
from lamplighter.cli.console import answer, print_json
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.cli.transaction import ACTOR
from lamplighter.model.event import DeadLetter
from lamplighter.operations import dead_letters, event_log
from lamplighter.operations.dead_letters import DeadLetterPage
from lamplighter.operations.event_log import EventPage
from lamplighter.ports import Events
from lamplighter.settings import Settings

app = typer.Typer(
    help="Events: what happened to sources, and what became of the news.", no_args_is_help=True, add_completion=False
)
T = TypeVar("T")
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="The most to show.")]


@app.command("list")
def list_events(limit: Limit = 50, as_json: Json = False, data: Data = None) -> None:
    """Show the events of the last days, the latest first."""

    async def work(store: Store, _: Events) -> EventPage:
        async with store.db.read() as db:
            return await event_log.listed(db, source_id=None, kind=None, result=None, limit=limit, offset=0)

    page = _do(load_settings(data), work)
    if as_json:
        print_json([event._asdict() for event in page.events])
        return
    for event in page.events:
        about = event.source_public_id or "-"
        answer(f"{event.created_at:%Y-%m-%d %H:%M:%S}  {event.type}  {about}  {event.result}  {event.detail or ''}")


@app.command("dead-letters")
def list_dead_letters(limit: Limit = 50, as_json: Json = False, data: Data = None) -> None:
    """Show the events that could not be handled, and why."""

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
    """Have an event handled once more that was put aside."""

    async def work(store: Store, carrier: Events) -> DeadLetter:
        return await dead_letters.retry(store.db, carrier, letter_id, actor=ACTOR, now=store.clock.now())

    answer(f"{_do(load_settings(data), work).id} is handled once more.")


def _do(settings: Settings, work: Callable[[Store, Events], Awaitable[T]]) -> T:
    async def whole() -> T:
        async with open_store(settings) as store, open_carrier(settings, store) as carrier:
            return await work(store, carrier)

    return loop.run(whole())
