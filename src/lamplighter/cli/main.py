"""The `lamplighter` command: finds the module of a command, and turns what it raises into an exit code."""

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lamplighter import __version__
from lamplighter.cli.console import answer
from lamplighter.cli.failing import exit_code_of

#: every command, in the order of the help
COMMANDS = (
    *("serve", "worker", "pause", "resume", "crawl", "extract", "trial", "robots", "explain"),
    *(
        "sources",
        "jobs",
        "events",
        "schedule",
        "simulate",
        "records",
        "index",
        "hosts",
        "proxies",
        "instances",
        "alerts",
    ),
    *("archive", "export", "notifications"),
    *("user", "token", "secrets", "db", "debug"),
)


class Commands(TyperGroup):
    """The commands, each imported only when it is needed: the service behind some of them takes a second to load."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command with this name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"lamplighter.cli.{cmd_name}")
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        return command

    def invoke(self, ctx: Any) -> Any:
        """Runs the command; an error that can be foreseen becomes one sentence and an exit code."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            code = exit_code_of(error)
            if code is None:
                raise
            raise typer.Exit(code) from None


app = typer.Typer(cls=Commands, no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        answer(f"lamplighter {__version__}")
        raise typer.Exit()


@app.callback()
def lamplighter(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """A crawler that makes its rounds: comes back less often where nothing changes, never more often than it may."""


def run() -> None:
    """The console script."""
    app(prog_name="lamplighter")
