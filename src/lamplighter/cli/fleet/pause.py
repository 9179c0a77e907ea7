"""`lamplighter pause`: pauses all crawling in every process of the installation."""

from typing import Annotated

import typer

from lamplighter.cli.terminal.console import answer
from lamplighter.cli.terminal.options import Data, load_settings
from lamplighter.cli.terminal.transaction import in_transaction
from lamplighter.operations.fleet import crawl_pause

app = typer.Typer(add_completion=False)


@app.command()
def pause(
    reason: Annotated[str, typer.Option(help="The reason, shown to all users.", show_default="none")] = "",
    data: Data = None,
) -> None:
    """Pause all crawling in every process until `lamplighter resume`."""
    begun = in_transaction(load_settings(data), lambda db, stamp: crawl_pause.pause(db, reason=reason, stamp=stamp))
    answer(f"{begun.sentence[0].upper()}{begun.sentence[1:]}")
