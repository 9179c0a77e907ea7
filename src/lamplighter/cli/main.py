"""The `lamplighter` command: lists all commands, and turns errors into exit codes."""

import os
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperGroup

from lamplighter import __version__
from lamplighter.cli.terminal.console import answer, exit_code_of
from lamplighter.cli.terminal.lazy_commands import LazyCommands
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
    "recipes": ("sources", "Recipes: learn one from examples, go back to the one before."),
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
    "settings": ("fleet", "Settings that can be changed while the service runs: show, set, reset."),
    "instances": ("fleet", "Show the processes on this database, and which of them leads."),
    "alerts": ("alerts", "Show firing and pending alerts; exit code 1 if any fires."),
    "archive": ("records", "The page archive: statistics and cleanup."),
    "export": ("records", "Export archived pages."),
    "notifications": ("alerts", "Notifications: channels, rules and the log."),
    "user": ("access", "Users: add, list, disable, set passwords."),
    "token": ("access", "API tokens: create, list, revoke."),
    "secrets": ("access", "Secrets that recipes use."),
    "db": ("fleet", "The database: schema, backup, restore."),
    "completion": ("fleet", "Print the completion of commands and options for bash, zsh or fish."),
    "bench": ("fleet", "Run the benchmarks; exit code 1 if a target is missed or a benchmark fails."),
    "debug": ("fleet", "Helpers for external tests."),
}


class Commands(LazyCommands):
    """All commands."""

    table: ClassVar = {name: (f"{folder}.{name}", line) for name, (folder, line) in COMMANDS.items()}

    def command_of(self, app: typer.Typer, name: str) -> Any:
        """The command or the group of commands of a module."""
        command = typer.main.get_command(app)
        command.name = name
        if isinstance(command, TyperGroup):
            command.help = COMMANDS[name][1]
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
    # The validation library would look through all installed packages for plugins of its own, of which we use none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if "_LAMPLIGHTER_COMPLETE" in os.environ:
        # Only a shell that asks what may come next needs this.
        from typer._completion_classes import completion_init

        completion_init()
    app(prog_name="lamplighter")
