"""`lamplighter resume`: all crawling goes on where it was paused."""

import typer

from lamplighter.cli.console import answer
from lamplighter.cli.options import Data, load_settings
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.operations import standstill

app = typer.Typer(add_completion=False)


@app.command()
def resume(data: Data = None) -> None:
    """Let all crawling go on where `lamplighter pause` stopped it."""
    ended = in_transaction(load_settings(data), lambda db, now: standstill.resume(db, actor=ACTOR, now=now))
    answer(f"Crawling goes on; it was paused since {ended.since:%Y-%m-%d %H:%M} UTC by {ended.paused_by}")
