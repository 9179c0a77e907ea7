"""`lamplighter jobs`: pause, resume, cancel, retry, run now."""

from datetime import datetime, timedelta
from typing import Annotated

import typer

from lamplighter.app import norms
from lamplighter.cli.console import answer
from lamplighter.cli.options import Data, load_settings
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.operations import jobs
from lamplighter.store.database import Connection

app = typer.Typer(help="Crawl jobs: pause, resume, cancel, retry, run now.", no_args_is_help=True, add_completion=False)
Url = Annotated[str, typer.Argument(help="The URL of the job's source.")]


@app.command()
def pause(url: Url, data: Data = None) -> None:
    """Leave a source alone until you resume it."""

    async def work(db: Connection, now: datetime) -> None:
        await jobs.pause(db, await jobs.find(db, url), actor=ACTOR, now=now)

    in_transaction(load_settings(data), work)
    answer(f"{url} is paused.")


@app.command()
def resume(url: Url, data: Data = None) -> None:
    """Let a paused source go on, its failures forgotten."""

    async def work(db: Connection, now: datetime) -> datetime:
        return await jobs.resume(db, await jobs.find(db, url), actor=ACTOR, now=now)

    answer(f"{url} runs next {in_transaction(load_settings(data), work):%Y-%m-%d %H:%M} UTC.")


@app.command()
def cancel(url: Url, data: Data = None) -> None:
    """End a job for good, and the run that goes on with it."""

    async def work(db: Connection, now: datetime) -> None:
        await jobs.cancel(db, await jobs.find(db, url), actor=ACTOR, now=now)

    in_transaction(load_settings(data), work)
    answer(f"{url} is cancelled.")


@app.command()
def retry(url: Url, data: Data = None) -> None:
    """Give a failed job all its tries anew, beginning now."""

    async def work(db: Connection, now: datetime) -> None:
        await jobs.retry(db, await jobs.find(db, url), actor=ACTOR, now=now)

    in_transaction(load_settings(data), work)
    answer(f"{url} is tried again.")


@app.command("run")
def run_now(url: Url, data: Data = None) -> None:
    """Open a run now, whatever the schedule says; a paused job runs this once. A running service carries it out."""
    settings = load_settings(data)

    async def work(db: Connection, now: datetime) -> int:
        job = await jobs.find(db, url)
        deadline = timedelta(minutes=settings.run_deadline_minutes)
        return await jobs.force_run(db, job, actor=ACTOR, now=now, deadline=deadline, norms=norms(settings))

    answer(f"Run {in_transaction(settings, work)} of {url} is opened.")
