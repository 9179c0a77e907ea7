"""Confirmation prompts before permanent deletions."""

import sys
from typing import Annotated

import typer

from lamplighter.cli.terminal.console import say
from lamplighter.cli.terminal.failing import FAILED
from lamplighter.errors import BadInput

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation; required without a terminal.")]


def confirm(summary: str) -> None:
    """Asks for confirmation and returns if the user agrees; `summary` begins the question."""
    if not sys.stdin.isatty():
        raise BadInput(f"{summary} would be removed for good; nothing was removed. Add --yes to confirm")
    if not typer.confirm(f"{summary} will be removed for good. Continue?", err=True):
        say("Nothing was removed.")
        raise typer.Exit(FAILED)
