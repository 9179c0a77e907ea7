"""The documentation says what the code says."""

import re
import runpy
import sys
import tomllib
from pathlib import Path

import pytest

from lamplighter import crash_points
from lamplighter.store.schema.tables import metadata
from tests.repository import ROOT

PACKAGE = ROOT / "src" / "lamplighter"
ARCHITECTURE, DURABILITY, TABLES = (
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("architecture", "durability", "tables")
)
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

#: a code span that can only be a path
PATH = re.compile(r"`([\w./-]+/[\w.-]+\.(?:py|md|lock|toml|png)|[\w.-]+/[\w./-]*/)`")


def section(page: str, heading: str) -> str:
    """What a page says under a heading."""
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("script", sorted(path.name for path in (ROOT / "scripts").glob("write_*.py")))
def test_what_is_written_from_the_code_is_up_to_date(
    script: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [script, "--check"])
    monkeypatch.setattr(sys, "path", [*sys.path])  # where some of them look for the tests

    # In this process, which has loaded the program already: a new one would load it seven times.
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "scripts" / script), run_name="__main__")

    assert ended.value.code == 0, capsys.readouterr().err


def test_what_happens_at_each_crash_point_is_told() -> None:
    assert set(
        re.findall(r"^\| `(\w+\.\w+)` \|", section(DURABILITY, "What happens at each crash point"), re.M)
    ) == set(crash_points.POINTS)


def test_every_table_and_no_other_is_told() -> None:
    named = re.findall(r"^\| (`.*?`) \|", TABLES, re.M)

    assert {name for names in named for name in re.findall(r"`(\w+)`", names)} == set(metadata.tables)


def test_the_layers_are_told_as_they_are_kept() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (kept,) = [rule for rule in project["tool"]["importlinter"]["contracts"] if rule["id"] == "layers"]
    rows = re.findall(r"^\| (`.*?`) \|", section(ARCHITECTURE, "The layers"), re.M)

    told = [set(re.findall(r"`(\w+)`", row)) for row in rows]

    assert told == [set(re.findall(r"\w+", layer)) for layer in kept["layers"] if layer != "(__main__)"]


def test_every_loop_of_the_background_is_told() -> None:
    code = (PACKAGE / "app" / "background.py").read_text(encoding="utf-8")
    told = section(DURABILITY, "What runs in the background")

    names = re.findall(r'(?:Loop\(\s*name=|leading\()"([\w ]+)"', code)

    assert len(names) > 15
    assert [name for name in names if not re.search(rf"^\| (?:leader only: )?(?:\w+, )?{name}[:,]", told, re.M)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_that_is_named_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    # Modules are named from the package on, everything else from the repository.
    named = [name for name in PATH.findall(text) if not any((base / name).exists() for base in (ROOT, PACKAGE))]

    assert named == []


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "docs" / "adr").glob("*.md"))]

    assert numbers == list(range(1, len(numbers) + 1))


def test_every_room_has_its_line_and_no_line_is_without_its_room() -> None:
    rooms = section(ARCHITECTURE, "The rooms")
    named = {name for row in re.findall(r"^\| (`.*?`) \|", rooms, re.M) for name in re.findall(r"`([\w/]+)`", row)}
    shared = {name for name in named if "/" not in name}
    folders = {path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("__init__.py")} - {Path(".")}
    # A layer has its own table, and a room that several layers have has one line for all of them.
    inner = {folder.as_posix() for folder in folders if len(folder.parts) > 1 and folder.name not in shared}
    layers_within = {"web/api", "web/api/v1", "web/dashboard", "store/migrations/versions"}

    assert inner - layers_within - named == set()
    assert {name for name in named - shared if Path(name) not in folders} == set()
    assert {name for name in shared if not any(folder.name == name for folder in folders)} == set()
