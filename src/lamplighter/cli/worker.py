"""`lamplighter worker`: more rounds on the same database, without web pages."""

import typer

from lamplighter.app import open_service
from lamplighter.cli import loop
from lamplighter.cli.console import say
from lamplighter.cli.options import Data, NoScheduler, settings_of
from lamplighter.settings import Settings

app = typer.Typer(add_completion=False)


@app.command()
def worker(data: Data = None, no_scheduler: NoScheduler = False) -> None:
    """Start more workers on the shared database."""
    loop.run(_work(settings_of(data, no_scheduler=no_scheduler)))


async def _work(settings: Settings) -> None:
    async with open_service(settings) as service:
        with loop.stopping_on_signals(service.stopping.set):
            say("Lamplighter works without web pages; Ctrl-C stops it.")
            await service.run()
