"""`lamplighter completion`: prints what a shell needs to complete commands."""

from typing import Annotated, Literal

import typer
from typer._completion_shared import get_completion_script

from lamplighter.cli.terminal.console import answer

app = typer.Typer(no_args_is_help=True, add_completion=False)
#: tells the program that a shell asks what may come next
VARIABLE = "_LAMPLIGHTER_COMPLETE"


@app.command()
def completion(shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="The shell.")]) -> None:
    """Print the completion of commands and options for bash, zsh or fish."""
    answer(get_completion_script(prog_name="lamplighter", complete_var=VARIABLE, shell=shell))
