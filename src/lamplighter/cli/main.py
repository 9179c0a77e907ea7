"""The `lamplighter` command: loads the module of a command, and turns errors into exit codes."""

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
from lamplighter.cli.terminal.console import answer, exit_code_of
from lamplighter.validation_words import words_of

#: every command with the folder of its module and the first line of its help, in the order of the help
COMMANDS = {
    "serve": ("fleet", "Start the service: dashboard, scheduler and workers in one process."),
    "worker": ("fleet", "Start more workers on the shared database."),
    "pause": ("fleet", "Pause all crawling in every process until `lamplighter resume`."),
    "resume": ("fleet", "Resume all crawling after `lamplighter pause`."),
    "crawl": ("runs", "Crawl URLs once, now; shows the progress, then the records."),
    "extract": ("sources", "Extract the records, links and feeds of a page; stores nothing."),
    "trial": ("sources", "Test a page without storing it: fetch, extract, feeds."),
    "robots": ("hosts", "Check a URL against a robots.txt: exit code 0 if it is allowed, 1 if not."),
    "explain": ("sources", "Explain what would happen to a URL now; sends no request to the site."),
    "sources": ("sources", "Sources: list, add, change, remove, import, export."),
    "jobs": ("jobs", "Crawl jobs: pause, stop, resume, cancel, retry, run now."),
    "events": ("events", "Events: the event log and the dead letters."),
    "schedule": ("jobs", "The schedule: next 24 hours, fetch budget, rebalancing."),
    "simulate": (
        "jobs",
        "Compare the scheduling policies by replaying change histories, each with the same number of fetches.",
    ),
    "records": ("records", "Records: list, show, remove, restore."),
    "index": ("records", "The search index of records."),
    "hosts": ("hosts", "Hosts: policies and takedowns."),
    "proxies": ("proxies", "Proxies: list, add, enable, disable, assign, test, and recommended numbers."),
    "instances": ("fleet", "Show the processes on this database, and which of them leads."),
    "alerts": ("alerts", "Show firing and pending alerts; exit code 1 if any fires."),
    "archive": ("records", "The page archive: statistics and cleanup."),
    "export": ("records", "Export archived pages."),
    "notifications": ("alerts", "Notifications: channels, rules and the log."),
    "user": ("access", "Users: add, list, disable, set passwords."),
    "token": ("access", "API tokens: create, list, revoke."),
    "secrets": ("access", "Secrets that recipes use."),
    "db": ("fleet", "The database: schema, backup, restore."),
    "bench": ("fleet", "Run the benchmarks; exit code 1 if a target is missed or a benchmark fails."),
    "debug": ("fleet", "Helpers for external tests."),
}
#: what Python makes of a byte of the command line that is not UTF-8
_NOT_UTF_8 = re.compile("[\ud800-\udfff]")


class Commands(TyperGroup):
    """The command group; imports each command only when it is needed, because some take a second to load."""

    _is_listing = False

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Formats the help with a line for each command."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Loads the command with this name."""
        if cmd_name not in COMMANDS:
            return None
        if self._is_listing:
            return TyperCommand(cmd_name, help=COMMANDS[cmd_name][1])
        command = typer.main.get_command(_loaded(cmd_name).app)
        command.name = cmd_name
        if isinstance(command, TyperGroup):
            command.help = COMMANDS[cmd_name][1]
        _demand_text(command)
        return command

    def invoke(self, ctx: Any) -> Any:
        """Runs the command; an expected error becomes one sentence and an exit code."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            _use_our_words(error)
            raise
        except Exception as error:
            code = exit_code_of(error)
            if code is None:
                raise
            raise typer.Exit(code) from None


def _use_our_words(error: typer.BadParameter) -> None:
    """Says in our words what is wrong with a value; Typer leaves that to its validation library."""
    faults: list[dict[str, Any]] = getattr(error.__cause__, "errors", list)()
    if faults and faults[0]["type"] != "value_error":  # those are Typer's own words
        error.message = f"{faults[0]['input']!r} cannot be used: it {words_of(faults[0])}"


def _demand_text(command: Any) -> None:
    """Refuses arguments that are not UTF-8, except file names."""
    for part in getattr(command, "commands", {}).values():
        _demand_text(part)
    for param in command.params:
        # A file name or a URL: the command itself decides which of the two it is.
        if not param.name.startswith("path"):
            param.callback = partial(_text, param.callback)


def _text(then: Callable[..., Any] | None, ctx: Any, param: Any, value: Any) -> Any:
    for each in value if isinstance(value, list | tuple) else [value]:
        if isinstance(each, str) and _NOT_UTF_8.search(each):
            raise typer.BadParameter(f"{each!r} is not UTF-8; use UTF-8", ctx, param)
    return value if then is None else then(ctx, param, value)


def _loaded(command: str) -> ModuleType:
    """Imports the module of a command without garbage collection, which would take up to a seventh of the time."""
    name = f"lamplighter.cli.{COMMANDS[command][0]}.{command}"
    if name in sys.modules:
        return sys.modules[name]
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        gc.enable()


app = typer.Typer(cls=Commands, no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)


def _print_version(is_given: bool) -> None:
    if is_given:
        answer(f"lamplighter {__version__}")
        raise typer.Exit()


@app.callback()
def lamplighter(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """A polite recrawl service: visits sources as often as they change, and never more often than allowed."""


def run() -> None:
    """The console script."""
    app(prog_name="lamplighter")
