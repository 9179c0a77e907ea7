"""Writes docs/reference/commands.md from the commands themselves; with --check only says whether it is up to date."""

import argparse
import sys
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path
from typing import Any

import typer

from lamplighter.cli.main import app

FILE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "commands.md"
OPENING = """\
# Commands

Written by `scripts/write_command_reference.py` from `src/lamplighter/cli/`; `make docs` writes it anew. `--help` after
any of them says the same.

They work on the database that the [settings](settings.md) name, whether or not a service runs on it. Most take
`--data FOLDER`, the data folder. Exit codes: 0 it was done, 1 it could not be, 2 the call or a setting was wrong.

"""
#: options that are told once, at the top
_EVERYWHERE = {"data"}


def main() -> int:
    """Writes the file; with --check 1 when it would change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is out of date")
    text = OPENING + "\n".join(lines(typer.main.get_command(app), "lamplighter"))
    if not parser.parse_args().check:
        FILE.write_text(text, encoding="utf-8")
        return 0
    if FILE.exists() and FILE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/reference/commands.md does not say what the commands say; `make docs` writes it anew.", file=sys.stderr)
    return 1


def lines(command: Any, name: str) -> Iterator[str]:
    """The reference, line by line: a heading for each command that can be run."""
    # Typer's own copy of click has no public names for these classes.
    if hasattr(command, "list_commands"):
        for word in command.list_commands(None):
            yield from lines(command.get_command(None, word), f"{name} {word}")
        return
    options = [one for one in command.params if one.param_type_name == "option" and one.name not in _EVERYWHERE]
    arguments = "".join(f" {_argument(one)}" for one in command.params if one.param_type_name == "argument")
    yield f"## {name}\n"
    yield f"`{name}{arguments}`\n"
    yield f"{_folded(command.help or '')}\n"
    if not options:
        return
    yield "| Option | Meaning |\n|---|---|"
    yield from map(_row, options)
    yield ""


def _argument(given: Any) -> str:
    word = given.metavar or f"{given.name.upper()}{'…' if given.nargs == -1 else ''}"
    return word if given.required else f"[{word}]"


def _row(option: Any) -> str:
    names = " / ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    kind = option.type_descriptor.annotation
    choices = ", ".join(f"`{choice.value}`" for choice in kind) if isinstance(kind, EnumType) else ""
    meaning = _folded(option.help or "").replace("|", "\\|")
    return f"| {names} | {meaning}{f' One of {choices}.' if choices else ''} |"


def _folded(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
