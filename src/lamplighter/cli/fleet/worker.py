"""`lamplighter worker`: additional workers on the same database, without web pages."""

from contextlib import AsyncExitStack
from enum import StrEnum
from typing import Annotated

import typer

from lamplighter.app import open_service
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import say
from lamplighter.cli.terminal.options import Data, NoScheduler, settings_of
from lamplighter.settings import Settings

app = typer.Typer(add_completion=False)


class WorkerHalf(StrEnum):
    """The one duty that a worker may be limited to."""

    FETCH = "fetch"
    PARSE = "parse"


@app.command()
def worker(
    data: Data = None,
    only: Annotated[
        WorkerHalf | None,
        typer.Option(help="Only fetch pages, or only parse fetched pages.", show_default="both"),
    ] = None,
    no_scheduler: NoScheduler = False,
) -> None:
    """Start more workers on the shared database."""
    loop.run(_work(settings_of(data, no_scheduler=no_scheduler, duties=only)))


async def _work(settings: Settings) -> None:
    async with AsyncExitStack() as stack:
        service = await stack.enter_async_context(open_service(settings, kind="worker"))
        stack.enter_context(loop.stopping_on_signals(service.stopping.set))
        if settings.metrics_port is not None:
            # Imported only here: the web code takes some forty megabytes.
            from lamplighter.cli.fleet.serve import answering_monitors

            await stack.enter_async_context(answering_monitors(service, port=settings.metrics_port))
        say(f"Lamplighter is running without web pages ({', '.join(sorted(service.duties))}); Ctrl-C stops it.")
        await service.run()
