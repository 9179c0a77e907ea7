"""Groups of commands that import a command only when it is needed, because some take half a second to load."""

import gc
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

#: what Python makes of a byte of the command line that is not UTF-8
_NOT_UTF_8 = re.compile("[\ud800-\udfff]")


class LazyCommands(TyperGroup):
    """A group whose help needs none of its commands."""

    #: each command with its module in `lamplighter.cli` and the first line of its help, in the order of the help
    table: ClassVar[Mapping[str, tuple[str, str]]]
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
        return list(self.table)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Loads the command with this name."""
        if cmd_name not in self.table:
            return None
        module, line = self.table[cmd_name]
        if self._is_listing:
            return TyperCommand(cmd_name, help=line)
        with _without_garbage_collection():
            command = self.command_of(import_module(f"lamplighter.cli.{module}").app, cmd_name)
            _demand_text(command)
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Finds the command; a mistyped one is answered with the nearest."""
        near = get_close_matches(args[0], self.table, n=2) if args and args[0] not in self.table else []
        if near:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {' or '.join(map(repr, near))}?")
        return super().resolve_command(ctx, args)

    def command_of(self, app: typer.Typer, name: str) -> Any:
        """The command of this name among those of a module, or its only one."""
        command = typer.main.get_command(app)
        return getattr(command, "commands", {}).get(name, command)


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


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Loads code: looking for garbage in it would take up to a seventh of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
