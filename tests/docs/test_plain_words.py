"""Texts that people read use standard words: templates, messages in the code, README and documentation."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repository import ROOT

#: phrase that must not come back -> what to write instead
BANNED = {
    "runs go on": "active runs",
    "run goes on": "a run is active",
    "goes on by itself": "resumes automatically",
    "could not be had": "could not be fetched",
    "cannot be had": "cannot be fetched",
    "was had": "was fetched",
    "had a complaint": "ended with a warning",
    "is no number of ours": "is not a plain number",
    "was given up (": "name what failed: dead letters, notifications",
    "left alone": "backing off (a host), cooling down (a proxy), paused (a source)",
    "stands still": "is paused",
    "again and again": "repeatedly, recurring",
    "is asked for": "is fetched",
    "asks nothing of": "sends no request to",
    "what became of": "result, status",
    "what came of": "result",
    "Somebody": "say who: the operator, the worker, the site, the caller",
    "somebody": "say who: the operator, the worker, the site, the caller",
    "Whoever": "say who: the operator, the worker, the site, the caller",
    "whoever": "say who: the operator, the worker, the site, the caller",
    "1 pages": "1 page: use `counted`",
    ">Stands<": "State",
    ">Goes on<": "Resumes",
    ">Further<": "Next",
    "Links deep": "Link depth",
    "The event of this source": "Show the event of this source",
}
#: templates, pages, and the packages whose messages people read; docstrings are not among them
TEMPLATES = sorted((ROOT / "src" / "lamplighter" / "web" / "templates").rglob("*.html"))
#: written by a benchmark
LEFT_OUT = {"benchmarks.md", "soak.md"}
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(page for page in (ROOT / "docs").glob("*.md") if page.name not in LEFT_OUT),
    *sorted((ROOT / "docs" / "how-to").glob("*.md")),
]
CODE = sorted((ROOT / "src" / "lamplighter").rglob("*.py"))


def _docstrings(tree: ast.AST) -> Iterator[ast.AST]:
    """The docstrings of a module, and strings that are comments on a field."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def _messages(file: Path) -> str:
    """The sentences among the string literals of a module, without its docstrings, one to a line."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    skipped = {id(node) for node in _docstrings(tree)}
    texts = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and " " in node.value
        and id(node) not in skipped
    )
    return "\n".join(texts)


def _prose(file: Path) -> str:
    """A text on one line: without the comments of templates, and without the code of pages."""
    text = file.read_text(encoding="utf-8")
    without = re.sub(r"\{#.*?#\}", "", text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"```.*?```|`[^`\n]*`|\]\([^)]*\)", " ", without, flags=re.DOTALL))


@pytest.mark.parametrize("file", [*TEMPLATES, *PAGES], ids=lambda file: str(file.relative_to(ROOT)))
def test_a_text_says_it_in_standard_words(file: Path) -> None:
    text = _prose(file)

    assert {phrase: instead for phrase, instead in BANNED.items() if phrase in text} == {}


def test_the_messages_of_the_code_say_it_in_standard_words() -> None:
    messages = {str(file.relative_to(ROOT)): _messages(file) for file in CODE}

    assert [(name, phrase) for name, text in messages.items() for phrase in BANNED if phrase in text] == []
