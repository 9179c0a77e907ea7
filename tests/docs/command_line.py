"""Would the program understand this command? It is taken apart, not carried out."""

import re
import shlex
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import typer
from typer._click.core import Context
from typer._click.exceptions import UsageError

from lamplighter.cli.main import app

#: with what our program is called; the image of the deployment begins with it, too
_NAMES = ("lamplighter", ".venv/bin/lamplighter", "docker compose run --rm api")
#: settings may stand before it
_CALLED = re.compile(rf"(?:\S+=\S* )*(?:{'|'.join(map(re.escape, _NAMES))})(?P<words> .*|$)")


def commands_in(script: str) -> Iterator[list[str]]:
    """The words of each command of ours that a script has, on whichever side of a pipe."""
    for line in script.replace("\\\n", " ").splitlines():
        if not any(name in line for name in _NAMES):
            continue
        words = shlex.shlex(line, posix=True, punctuation_chars="();|&")
        words.whitespace_split = True
        for is_end, command in groupby(words, lambda word: word != "" and set(word) <= set("();|&")):
            if is_end:
                continue
            said = list(command)
            for quoted in (word for word in said if " " in word):
                yield from commands_in(quoted)
            if called := _CALLED.match(" ".join(map(shlex.quote, said))):
                yield shlex.split(called["words"])


def complaint_about(given: list[str]) -> str | None:
    """Why the program would refuse these words; None when it would not.

    Arguments that are left out do not count: a sentence may speak of `lamplighter sources add` as such.
    """
    given = list(given)
    command: Any = typer.main.get_command(app)
    name = "lamplighter"
    while hasattr(command, "list_commands"):
        if not given or given[0].startswith("-"):
            break
        name, known = f"{name} {given[0]}", command.list_commands(None)
        if given[0] not in known:
            return f"there is no {name}; there is {', '.join(known)}"
        command = command.get_command(None, given.pop(0))
    try:
        _, left, _ = command.make_parser(Context(command, info_name=name)).parse_args(args=given)
    except UsageError as error:
        return error.format_message()
    return f"{name} does not take {' '.join(left)!r}" if left else None
