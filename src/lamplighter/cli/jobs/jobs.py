"""`lamplighter jobs`: pause, stop, resume, cancel, retry and run crawl jobs."""

from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Annotated, Any, TypeVar

import typer

from lamplighter.app import source_defaults
from lamplighter.cli.terminal.console import answer
from lamplighter.cli.terminal.options import Data, load_settings
from lamplighter.cli.terminal.transaction import in_transaction
from lamplighter.errors import NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlJob
from lamplighter.operations.jobs import job_waits, jobs
from lamplighter.rules.hosts import waiting
from lamplighter.rules.hosts.waiting import Wait
from lamplighter.rules.schedule.lifecycle import JobAction
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection

app = typer.Typer(no_args_is_help=True, add_completion=False)
Url = Annotated[str, typer.Argument(help="The URL of the job's source.")]
T = TypeVar("T")


@app.command()
def pause(
    url: Url,
    stop_run: Annotated[bool, typer.Option("--stop-run", help="End its active run now.")] = False,
    data: Data = None,
) -> None:
    """Pause the crawl job of a source until you resume it; an active run is finished first."""
    _do(load_settings(data), url, jobs.pause, stop_run=stop_run)
    answer(f"{url} is paused.")


@app.command()
def stop(url: Url, data: Data = None) -> None:
    """End the active run of a source now; the next one comes as planned."""
    _do(load_settings(data), url, jobs.stop)
    answer(f"The run of {url} was stopped.")


@app.command()
def resume(url: Url, data: Data = None) -> None:
    """Resume a paused crawl job and reset its failures."""
    answer(f"{url} runs next {_do(load_settings(data), url, jobs.resume):%Y-%m-%d %H:%M} UTC.")


@app.command()
def cancel(url: Url, data: Data = None) -> None:
    """Cancel a job for good, with its active run."""
    _do(load_settings(data), url, jobs.cancel)
    answer(f"{url} is cancelled.")


@app.command()
def retry(url: Url, data: Data = None) -> None:
    """Retry a job that failed, or keeps failing, now, with all its retries."""
    _do(load_settings(data), url, jobs.retry)
    answer(f"{url} will be retried.")


@app.command("run")
def run_now(url: Url, data: Data = None) -> None:
    """Start a run now, regardless of the schedule; a paused job runs once. A running service executes it."""
    settings = load_settings(data)
    deadline = timedelta(minutes=settings.run_deadline_minutes)

    async def run(db: Connection, job: CrawlJob, *, stamp: Stamp) -> tuple[int, Wait | None]:
        defaults = source_defaults(settings)
        run_id = await jobs.force_run(db, job, stamp=stamp, deadline=deadline, source_defaults=defaults)
        return run_id, await job_waits.of_source(db, job.source_id, now=stamp.now)

    run_id, wait = _do(settings, url, run)
    answer(f"Run {run_id} of {url} was started." if wait is None else f"Run {run_id} of {url}: {waiting.started(wait)}")


def _do(settings: Settings, url: str, verb: Callable[..., Coroutine[Any, Any, T]], **given: Any) -> T:
    """Runs one operation on the job of a source; a refusal names these commands instead of the API's actions."""

    async def work(db: Connection, stamp: Stamp) -> T:
        return await verb(db, await jobs.find(db, url), stamp=stamp, **given)

    try:
        return in_transaction(settings, work)
    except NotPossible as refused:
        message = str(refused).replace(JobAction.FORCE_RUN, "run")
        raise NotPossible(message, code=refused.code, possible=refused.possible) from None
