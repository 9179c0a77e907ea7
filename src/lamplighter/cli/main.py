"""The `lamplighter` command: puts the groups together."""

from typing import Annotated

import typer

from lamplighter import __version__
from lamplighter.cli import crawl, db, debug, explain, extract, robots, serve, sources
from lamplighter.cli.console import answer
from lamplighter.cli.failing import Commands

app = typer.Typer(
    name="lamplighter",
    cls=Commands,
    help="A crawler that makes its rounds: visits each source as often as it changes, never more often than the site allows.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(serve.serve)
app.command()(serve.worker)
app.command()(crawl.crawl)
app.command()(extract.extract)
app.command()(robots.robots)
app.command()(explain.explain)
app.add_typer(sources.app, name="sources")
app.add_typer(db.app, name="db")
app.add_typer(debug.app, name="debug")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        answer(f"lamplighter {__version__}")
        raise typer.Exit()


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options before the command."""


def run() -> None:
    """The console script."""
    app()
