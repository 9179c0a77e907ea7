"""How the commands fail: one sentence on standard error and an exit code, never a traceback for what can be foreseen."""

from typing import Any

import typer
from sqlalchemy.exc import DBAPIError
from typer.core import TyperGroup

from lamplighter.cli.console import say
from lamplighter.errors import BadInput, LamplighterError

FAILED = 1
WRONG_USE = 2


class Commands(TyperGroup):
    """The commands, with their foreseeable errors turned into exit codes."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that was asked for."""
        try:
            return super().invoke(ctx)
        except LamplighterError as error:
            say(f"Error: {error}")
            raise typer.Exit(WRONG_USE if isinstance(error, BadInput) else FAILED) from None
        except DBAPIError as error:
            say(f"Error: the database does not answer as it should: {error.orig}")
            raise typer.Exit(FAILED) from None
        except OSError as error:
            say(f"Error: {error}")
            raise typer.Exit(FAILED) from None
