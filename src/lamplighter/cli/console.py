"""Where the commands write: answers to standard output, everything else to standard error."""

import re
from typing import Any

import orjson
from rich.console import Console
from rich.text import Text

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

#: what a terminal would obey instead of showing
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def plain(text: object) -> Text:
    """Text of unknown origin as one harmless line: no markup, no escape sequences."""
    return Text(_CONTROL.sub(" ", str(text)))


def say(message: str) -> None:
    """A remark for the person at the terminal."""
    err.print(plain(message), soft_wrap=True)


def answer(message: str) -> None:
    """One line of the answer, never broken."""
    out.print(plain(message), soft_wrap=True)


def print_json(value: Any) -> None:
    """The whole answer as one indented JSON value."""
    print(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def print_json_line(value: Any) -> None:
    """One of several JSON answers, on one line."""
    print(orjson.dumps(value).decode())
