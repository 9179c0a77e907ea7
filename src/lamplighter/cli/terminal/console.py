"""Console output: results to standard output, everything else to standard error, an expected error as one sentence."""

import os
import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO

import orjson

from lamplighter.errors import BadInput, LamplighterError

if TYPE_CHECKING:
    from rich.console import Console

#: exit codes
FAILED = 1
WRONG_USE = 2

#: what a terminal would obey instead of showing
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


@cache
def err() -> "Console":
    """Standard error as a terminal, for progress bars."""
    from rich.console import Console  # most commands show none, and it takes as long to load as they take

    return Console(stderr=True, highlight=False)


def plain(text: object) -> str:
    """Untrusted text as one safe line, without escape sequences."""
    return _CONTROL.sub(" ", str(text))


def say(message: str) -> None:
    """Prints a message to standard error."""
    _put(plain(message), sys.stderr)


def answer(message: str) -> None:
    """Prints one unwrapped line to standard output."""
    _put(plain(message), sys.stdout)


def _put(line: str, file: TextIO) -> None:
    try:
        print(line, file=file, flush=True)
    except BrokenPipeError:  # its reader wants no more, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), file.fileno())
        raise SystemExit(FAILED) from None


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
