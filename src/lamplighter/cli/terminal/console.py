"""Console output: results to standard output, everything else to standard error, an expected error as one sentence."""

import re
from collections.abc import Iterable
from typing import Any

import orjson
from rich.console import Console
from rich.text import Text

from lamplighter.errors import BadInput, LamplighterError

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

#: exit codes
FAILED = 1
WRONG_USE = 2

#: what a terminal would obey instead of showing
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def plain(text: object) -> Text:
    """Untrusted text as one safe line, without markup and escape sequences."""
    return Text(_CONTROL.sub(" ", str(text)))


def say(message: str) -> None:
    """Prints a message to standard error."""
    err.print(plain(message), soft_wrap=True)


def answer(message: str) -> None:
    """Prints one unwrapped line to standard output."""
    out.print(plain(message), soft_wrap=True)


def answer_lines(lines: Iterable[str]) -> None:
    """Prints each line to standard output."""
    for line in lines:
        answer(line)


def print_json(value: Any) -> None:
    """Prints one indented JSON value."""
    print(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def print_json_or_lines(as_json: bool, value: Any, lines: Iterable[str]) -> None:
    """Prints the JSON value or, for people, the lines."""
    if as_json:
        print_json(value)
    else:
        answer_lines(lines)


def print_json_line(value: Any) -> None:
    """Prints one JSON value on one line."""
    print(orjson.dumps(value).decode())


def exit_code_of(error: Exception) -> int | None:
    """Prints an expected error and returns its exit code; None for an unexpected error."""
    match error:
        case BadInput():
            say(f"Error: {error}")
            return WRONG_USE
        case LamplighterError() | OSError():
            say(f"Error: {error}")
            return FAILED
    # Known by name, so that a command that only prints help need not load the database library.
    if any(kind.__name__ == "DBAPIError" for kind in type(error).__mro__):
        say(f"Error: the database does not answer as it should: {getattr(error, 'orig', error)}")
        return FAILED
    return None
