"""`lamplighter pause`: all crawling stands still, in every process of the installation."""

from typing import Annotated

import typer

from lamplighter.cli.console import answer
from lamplighter.cli.options import Data, load_settings
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.operations import standstill

app = typer.Typer(add_completion=False)


@app.command()
def pause(
    reason: Annotated[str, typer.Option(help="Why, for whoever wonders.", show_default="none")] = "",
    data: Data = None,
) -> None:
    """Pause all crawling: no run is opened and no page asked for, in any process, until `lamplighter resume`."""
    begun = in_transaction(
        load_settings(data), lambda db, now: standstill.pause(db, reason=reason, actor=ACTOR, now=now)
    )
    answer(f"{begun.sentence[0].upper()}{begun.sentence[1:]}")
