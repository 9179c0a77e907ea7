"""`lamplighter worker`: more rounds on the same database, without web pages."""

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
    async with open_service(settings, kind="worker") as service:
        with loop.stopping_on_signals(service.stopping.set):
            say(f"Lamplighter works without web pages ({', '.join(sorted(service.duties))}); Ctrl-C stops it.")
            await service.run()
