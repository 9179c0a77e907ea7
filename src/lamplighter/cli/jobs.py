"""`lamplighter jobs`: pause, resume, cancel, retry, run now."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Annotated, TypeVar

import typer

from lamplighter.app import norms
from lamplighter.cli.console import answer
from lamplighter.cli.options import Data, load_settings
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.errors import NotPossible
from lamplighter.operations import jobs
from lamplighter.rules.lifecycle import Action
from lamplighter.settings import Settings
from lamplighter.store.database import Connection

app = typer.Typer(help="Crawl jobs: pause, resume, cancel, retry, run now.", no_args_is_help=True, add_completion=False)
Url = Annotated[str, typer.Argument(help="The URL of the job's source.")]
T = TypeVar("T")


@app.command()
def pause(url: Url, data: Data = None) -> None:
    """Leave a source alone until you resume it."""

    async def work(db: Connection, now: datetime) -> None:
        await jobs.pause(db, await jobs.find(db, url), actor=ACTOR, now=now)

    _done(load_settings(data), work)
    answer(f"{url} is paused.")


@app.command()
def resume(url: Url, data: Data = None) -> None:
    """Let a paused source go on, its failures forgotten."""

    async def work(db: Connection, now: datetime) -> datetime:
        return await jobs.resume(db, await jobs.find(db, url), actor=ACTOR, now=now)

    answer(f"{url} runs next {_done(load_settings(data), work):%Y-%m-%d %H:%M} UTC.")


@app.command()
def cancel(url: Url, data: Data = None) -> None:
    """End a job for good, and the run that goes on with it."""

    async def work(db: Connection, now: datetime) -> None:
        await jobs.cancel(db, await jobs.find(db, url), actor=ACTOR, now=now)

    _done(load_settings(data), work)
    answer(f"{url} is cancelled.")


@app.command()
def retry(url: Url, data: Data = None) -> None:
    """Give a failed job all its tries anew, beginning now."""

    async def work(db: Connection, now: datetime) -> None:
        await jobs.retry(db, await jobs.find(db, url), actor=ACTOR, now=now)

    _done(load_settings(data), work)
    answer(f"{url} is tried again.")


@app.command("run")
def run_now(url: Url, data: Data = None) -> None:
    """Open a run now, whatever the schedule says; a paused job runs this once. A running service carries it out."""
    settings = load_settings(data)

    async def work(db: Connection, now: datetime) -> int:
        job = await jobs.find(db, url)
        deadline = timedelta(minutes=settings.run_deadline_minutes)
        return await jobs.force_run(db, job, actor=ACTOR, now=now, deadline=deadline, norms=norms(settings))

    answer(f"Run {_done(settings, work)} of {url} is opened.")


def _done(settings: Settings, work: Callable[[Connection, datetime], Awaitable[T]]) -> T:
    """Does one thing; a refusal names what is possible by these commands, where the API's force-run is `run`."""
    try:
        return in_transaction(settings, work)
    except NotPossible as refused:
        told = str(refused).replace(Action.FORCE_RUN, "run")
        raise NotPossible(told, code=refused.code, possible=refused.possible) from None
