"""Asks before something is removed that cannot be brought back."""

import sys
from typing import Annotated

import typer

from lamplighter.cli.console import say
from lamplighter.cli.failing import FAILED
from lamplighter.errors import BadInput

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask; needed where nobody could answer.")]


def confirm(what_goes: str) -> None:
    """Returns if somebody at a terminal agrees; `what_goes` begins a sentence."""
    if not sys.stdin.isatty():
        raise BadInput(f"{what_goes} would be removed for good; nothing was. Add --yes if that is meant")
    if not typer.confirm(f"{what_goes} will be removed for good. Go on?", err=True):
        say("Nothing was removed.")
        raise typer.Exit(FAILED)
