"""`lamplighter worker`: more rounds on the same database, without web pages."""

from contextlib import AsyncExitStack
from enum import StrEnum
from typing import Annotated

import typer

from lamplighter.app import open_service
from lamplighter.cli import loop
from lamplighter.cli.console import say
from lamplighter.cli.options import Data, NoScheduler, settings_of
from lamplighter.settings import Settings

app = typer.Typer(add_completion=False)


class Only(StrEnum):
    """The half of the work that a worker may be there for alone."""

    FETCH = "fetch"
    PARSE = "parse"


@app.command()
def worker(
    data: Data = None,
    only: Annotated[
        Only | None,
        typer.Option(help="Ask sites for pages, or read what was got, and nothing else.", show_default="both"),
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
            # Not for everybody: the web's code takes some forty megabytes.
            from lamplighter.cli.monitors import answering_monitors

            await stack.enter_async_context(answering_monitors(service, port=settings.metrics_port))
        say(f"Lamplighter works without web pages ({', '.join(sorted(service.duties))}); Ctrl-C stops it.")
        await service.run()
