"""Which tests are named after which rows of the matrix, as the test files themselves say."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
_ROOT = TESTS.parent
_HERE = Path(__file__).resolve().parent
#: what a test is named after stands before its sentence; one may be named after several rows
_NAMED_AFTER = re.compile(r"test_((?:[a-k]\d{1,2}_)+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A test function."""

    #: of the file, from the root of the repository
    path: str
    name: str
    line: int

    __test__ = False


@dataclass(slots=True)
class Named:
    """The tests that are named after one row."""

    #: those of this folder: one per row
    telling: list[Test] = field(default_factory=list)
    others: list[Test] = field(default_factory=list)


@cache
def named_tests() -> Mapping[str, Named]:
    """The tests of every row that has any, by the row's id."""
    found: defaultdict[str, Named] = defaultdict(Named)
    for path in sorted(TESTS.rglob("test_*.py")):
        for test in _tests_in(path):
            for row in _rows_of(test.name):
                named = found[row]
                (named.telling if path.parent == _HERE else named.others).append(test)
    return found


def _tests_in(path: Path) -> Iterator[Test]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield Test(path=path.relative_to(_ROOT).as_posix(), name=node.name, line=node.lineno)


def _rows_of(name: str) -> list[str]:
    named_after = _NAMED_AFTER.match(name)
    return [] if named_after is None else named_after[1].upper().split("_")[:-1]
