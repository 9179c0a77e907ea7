"""The documentation says what the code says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lamplighter import crash_points
from lamplighter.cli.main import app

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "lamplighter"
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

#: `lamplighter sources add …` as it stands in a code block or a code span, and what follows on its line
COMMAND = re.compile(r"lamplighter ([a-z]+(?: [a-z]+(?=[ `\n]))?)([^`\n#]*)")
LINK = re.compile(r"\]\((?!https?://)([^)#]+)\)")
#: a code span that can only be a path
PATH = re.compile(r"`([\w./-]+/[\w.-]+\.(?:py|md|lock|toml|png)|[\w.-]+/[\w./-]*/)`")


@pytest.mark.parametrize("script", sorted(path.name for path in (ROOT / "scripts").glob("write_*.py")))
def test_what_is_written_from_the_code_is_up_to_date(script: str) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / script, "--check"],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr


def test_what_happens_at_each_crash_point_is_told() -> None:
    told = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

    assert [point for point in crash_points.POINTS if f"| `{point}` |" not in told] == []


@pytest.mark.parametrize(("command", "rest"), sorted(set(COMMAND.findall(README))))
def test_a_command_of_the_readme_exists_with_its_options(command: str, rest: str) -> None:
    asked = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "200", "TERM": "dumb"})

    assert asked.exit_code == 0
    assert [option for option in re.findall(r"--[a-z-]+", rest) if option not in asked.stdout] == []


def test_a_make_target_of_the_readme_exists() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)

    assert set(re.findall(r"(?:^|`)make ([a-z]+)", README, re.MULTILINE)) <= set(targets)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_that_is_named_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    linked = [name for name in LINK.findall(text) if not (document.parent / name).exists()]
    # Modules are named from the package on, everything else from the repository.
    named = [name for name in PATH.findall(text) if not any((base / name).exists() for base in (ROOT, PACKAGE))]

    assert linked + named == []


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "docs" / "adr").glob("*.md"))]

    assert numbers == list(range(1, len(numbers) + 1))


def test_every_module_has_its_line_in_the_tree() -> None:
    told = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    modules = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"]
    in_one_line = ("demo/sites/", "store/migrations/")

    missing = [module for module in modules if module not in told and not module.startswith(in_one_line)]

    assert missing == []
