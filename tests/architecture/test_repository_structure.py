"""The floor plan is checked: each limit finds what breaks it, and this repository keeps all of them."""

import ast
import sys
from pathlib import Path

import pytest

from tests.repository import ROOT

sys.path.append(str(ROOT / "scripts"))

import repository_structure as structure

HERE = structure.SRC / "store" / "made_up.py"


def _oversized(text: str) -> list[str]:
    return list(structure.oversized(HERE, ast.parse(text), text))


def test_this_repository_keeps_the_floor_plan() -> None:
    assert list(structure.findings()) == []


def test_a_class_name_stands_for_one_thing() -> None:
    trees = {HERE: ast.parse("class Host: ..."), HERE.with_name("other.py"): ast.parse("class Host: ...")}

    (finding,) = structure.repeated_classes(trees)

    assert finding == "class Host is defined in src/lamplighter/store/made_up.py and src/lamplighter/store/other.py"


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        pytest.param("x = 1\n" * 401, "401 lines; 400 are the most", id="a module"),
        pytest.param("def f():\n" + "    x = 1\n" * 60, "f has 61 lines; 60 are the most", id="a function"),
        pytest.param(
            f"class A:\n    def __init__(self, {', '.join(f'p{n}' for n in range(11))}): ...\n",
            "a constructor with 11 parameters; 10 are the most",
            id="a constructor",
        ),
    ],
)
def test_what_is_too_long_is_found(text: str, finding: str) -> None:
    assert [each for each in _oversized(text) if each.endswith(finding)] != []


def test_a_folder_with_too_many_modules_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(structure, "ROOT", tmp_path)
    folder = tmp_path / "src" / "room"
    folder.mkdir(parents=True)
    for number in range(26):
        (folder / f"module_{number}.py").touch()

    assert list(structure.crowded_folders()) == ["src/room: 26 modules; 25 are the most"]


def test_a_readme_without_the_commands_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(structure, "ROOT", tmp_path)
    (tmp_path / "README.md").write_text("make run\n" + "\n" * 140, encoding="utf-8")

    assert list(structure.unhelpful_readme()) == [
        "README.md: 141 lines; 140 are the most",
        "README.md: does not show `make test`",
    ]
