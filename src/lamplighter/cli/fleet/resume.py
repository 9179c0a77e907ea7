"""`lamplighter resume`: resumes all crawling after a pause."""

import typer

from lamplighter.cli.terminal.console import answer
from lamplighter.cli.terminal.options import Data, load_settings
from lamplighter.cli.terminal.transaction import in_transaction
from lamplighter.operations.fleet import crawl_pause

app = typer.Typer(add_completion=False)


@app.command()
def resume(data: Data = None) -> None:
    """Resume all crawling after `lamplighter pause`."""
    ended = in_transaction(load_settings(data), lambda db, stamp: crawl_pause.resume(db, stamp=stamp))
    answer(f"Crawling is resumed; it was paused since {ended.since:%Y-%m-%d %H:%M} UTC by {ended.paused_by}")
