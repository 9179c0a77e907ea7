"""Does every known bug of other crawlers have its test?"""

import ast
from collections import Counter

import pytest

from tests.repository import ROOT
from tests.security.known_bugs import BUGS, Bug

_OWN = "tests/security/"


def test_no_bug_stands_there_twice() -> None:
    assert [name for name, count in Counter(bug.name for bug in BUGS).items() if count > 1] == []


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_every_bug_has_its_test(bug: Bug) -> None:
    path, _, name = bug.test.partition("::")

    tree = ast.parse((ROOT / path).read_text())

    assert name in {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    words = bug.name.lower().strip("#").replace("-", "_")
    assert not path.startswith(_OWN) or name.startswith(f"test_{words}_")
