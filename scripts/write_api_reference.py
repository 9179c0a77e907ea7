"""Writes docs/reference/api.md from the routes themselves; with --check only says whether the file is up to date."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lamplighter.web.api.description import describe, operations
from lamplighter.web.server import assembled

FILE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "api.md"
OPENING = """\
# The API

Written by `scripts/write_api_reference.py` from the routes; `make docs` writes it anew. A running service shows the
same at `/docs`, and gives it to programs at `/openapi.json` with the shapes of every request and answer.

"""


def main() -> int:
    """Writes the file; with --check 1 when it would change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is out of date")
    text = OPENING + "\n".join(lines(describe(assembled()))) + "\n"
    if not parser.parse_args().check:
        FILE.write_text(text, encoding="utf-8")
        return 0
    if FILE.exists() and FILE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/reference/api.md does not say what the routes say; `make docs` writes it anew.", file=sys.stderr)
    return 1


def lines(document: dict[str, Any]) -> Iterator[str]:
    """The reference, line by line: one table for each part of the API."""
    yield document["info"]["description"]
    parts: dict[str, list[str]] = {}
    for path, method, operation in operations(document):
        parts.setdefault(operation["tags"][0], []).append(_row(path, method, operation))
    for tag, rows in parts.items():
        yield f"## {tag.capitalize()}\n"
        yield "| Call | What it does | Role | Parameters | Answers |\n|---|---|---|---|---|"
        yield from rows
        yield ""


def _row(path: str, method: str, operation: dict[str, Any]) -> str:
    given = [f"`{one['name']}`{'*' if one.get('required') else ''}" for one in operation.get("parameters", ())]
    if "requestBody" in operation:
        given.append("body")
    said = " ".join((operation.get("description") or operation["summary"]).split()).replace("|", "\\|")
    answers = ", ".join(operation["responses"])
    return f"| `{method.upper()} {path}` | {said} | {operation['x-role']} | {', '.join(given)} | {answers} |"


if __name__ == "__main__":
    sys.exit(main())
