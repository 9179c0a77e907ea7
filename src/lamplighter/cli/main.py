"""The `lamplighter` command: finds the module of a command, and turns what it raises into an exit code."""

import gc
import re
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from lamplighter import __version__
from lamplighter.cli.console import answer
from lamplighter.cli.failing import exit_code_of

#: every command with what its help says first, in the order of the help: to list them, none has to be loaded
COMMANDS = {
    "serve": "Start the service: dashboard, scheduler and workers in one process.",
    "worker": "Start more workers on the shared database.",
    "pause": "Pause all crawling: no run is opened and no page asked for, in any process, until `lamplighter resume`.",
    "resume": "Let all crawling go on where `lamplighter pause` stopped it.",
    "crawl": "Crawl once, now, politely: shows the progress, then the records.",
    "extract": "Show what a page says: its records, links and feeds. Writes nothing.",
    "trial": "Trials that store no page and no record: fetch, extract, feeds.",
    "robots": "Judge a URL by a robots.txt: exit code 0 when it is allowed, 1 when not.",
    "explain": "Say what would happen to a URL now, and why; asks nothing of the site.",
    "sources": "What is watched: list, add, change, remove, import, export.",
    "jobs": "Crawl jobs: pause, resume, cancel, retry, run now.",
    "events": "Events: what happened to sources, and what became of the news.",
    "schedule": "The schedule: the coming day, the budget, rebalancing.",
    "simulate": "Replay histories of change against the scheduling policies, each with the same number of fetches.",
    "records": "Records: list, show, remove, restore.",
    "index": "The index that records are found in.",
    "hosts": "Hosts: their policies, and takedowns.",
    "proxies": "Proxies: list, add, switch, assign, test, and how many are needed.",
    "instances": "Show the processes that work on this database, and which of them leads.",
    "alerts": "Show the alerts that fire, and those that have not held for long enough; exit code 1 when any fires.",
    "archive": "The archive: how much it holds, and sweeping it.",
    "export": "Export what the archive keeps.",
    "notifications": "Who is told of what, and what became of it.",
    "user": "Users: who may log in.",
    "token": "API tokens: what programs prove themselves with.",
    "secrets": "Secrets that recipes name.",
    "db": "The database: schema, backup, restore.",
    "bench": "Measure this machine; exit code 1 when a promise is not kept or a part could not be measured.",
    "debug": "For tests from outside.",
}
#: what Python makes of a byte of the command line that is not UTF-8
_NOT_UTF_8 = re.compile("[\ud800-\udfff]")


class Commands(TyperGroup):
    """The commands, each imported only when it is needed: the service behind some of them takes a second to load."""

    _is_listing = False

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, with a line for each command."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command with this name."""
        if cmd_name not in COMMANDS:
            return None
        if self._is_listing:
            return TyperCommand(cmd_name, help=COMMANDS[cmd_name])
        command = typer.main.get_command(_loaded(cmd_name).app)
        command.name = cmd_name
        _demand_text(command)
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


def _demand_text(command: Any) -> None:
    """Has all that is given to a command refused that is not UTF-8; files alone may be called anything."""
    for part in getattr(command, "commands", {}).values():
        _demand_text(part)
    for param in command.params:
        # A file's name or a URL: which of the two is told by the command itself.
        if not param.name.startswith("path"):
            param.callback = partial(_text, param.callback)


def _text(then: Callable[..., Any] | None, ctx: Any, param: Any, value: Any) -> Any:
    for each in value if isinstance(value, list | tuple) else [value]:
        if isinstance(each, str) and _NOT_UTF_8.search(each):
            raise typer.BadParameter(f"{each!r} is not UTF-8, as all text here is; give it in UTF-8", ctx, param)
    return value if then is None else then(ctx, param, value)


def _loaded(command: str) -> ModuleType:
    """The module of a command, with all that it needs.

    All of it stays: to look through it for garbage meanwhile would take up to a seventh of the time.
    """
    name = f"lamplighter.cli.{command}"
    if name in sys.modules:
        return sys.modules[name]
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        gc.enable()


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
