"""The command as a whole: help, exit codes, settings."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from lamplighter import __version__, crash_points
from lamplighter.cli.main import COMMANDS, app
from lamplighter.cli.sources.sources import SourceCommands
from lamplighter.cli.sources.sources import app as sources_app
from tests.cli.conftest import Lamplighter
from tests.repository import ROOT


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(lamplighter: Lamplighter, command: str) -> None:
    answer = lamplighter(command, "--help")

    assert answer.code == 0
    assert f"lamplighter {command}" in answer.out.replace("root", "lamplighter")


def test_help_lists_every_command(lamplighter: Lamplighter) -> None:
    out = lamplighter("--help").out

    assert [command for command in COMMANDS if f" {command} " not in out] == []


@pytest.mark.parametrize(("command", "line"), [(name, line) for name, (_, line) in COMMANDS.items()])
def test_the_line_of_a_command_is_how_its_own_help_begins(command: str, line: str) -> None:
    whole: Any = typer.main.get_command(app)

    assert whole.get_command(typer.Context(whole), command).help == line


@pytest.mark.parametrize(("command", "line"), [(name, line) for name, (_, line) in SourceCommands.table.items()])
def test_the_line_of_a_command_about_sources_is_how_its_own_help_begins(command: str, line: str) -> None:
    group: Any = typer.main.get_command(sources_app)

    assert group.get_command(typer.Context(group), command).help == line


def test_the_version_is_told(lamplighter: Lamplighter) -> None:
    assert lamplighter("--version").out == f"lamplighter {__version__}\n"


def test_an_unknown_command_is_wrong_use(lamplighter: Lamplighter) -> None:
    assert lamplighter("dance").code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("sources", "export", "--tag", "a\udcff"),
        ("events", "retry", "a\udcff"),
        ("schedule", "tag", "a\udcff", "learned"),
        ("hosts", "takedown", "x.example", "--reason", "a\udcff"),
        ("user", "add", "a\udcff"),
    ],
    ids=" ".join,
)
def test_what_is_not_utf_8_is_wrong_use(lamplighter: Lamplighter, words: tuple[str, ...]) -> None:
    answer = lamplighter(*words)

    assert answer.code == 2
    assert r"'a\udcff' is not UTF-8" in answer.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(("proxies", "enable", "abc"), "'abc' cannot be used: it must be a whole number", id="no number"),
        pytest.param(("proxies", "enable", "0"), "'0' cannot be used: it must be at least 1", id="too small"),
        pytest.param(("sources", "bulk", "dance"), "'dance' is not one of 'enable'", id="no choice"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_in_our_words(
    lamplighter: Lamplighter, words: tuple[str, ...], said: str
) -> None:
    answer = lamplighter(*words)

    assert answer.code == 2
    assert said in " ".join(answer.err.replace("│", " ").split())
    assert "Input should be" not in answer.err


def test_a_file_may_be_called_anything(lamplighter: Lamplighter, tmp_path: Path) -> None:
    rules = tmp_path / "a\udcff.txt"
    rules.write_text("User-agent: *\nDisallow: /private\n")

    assert lamplighter("robots", rules, "--url", "/").code == 0
    assert lamplighter("robots", rules, "--url", "/private").code == 1


def test_an_unknown_setting_names_the_nearest(lamplighter: Lamplighter) -> None:
    answer = lamplighter("sources", "list", LAMPLIGHTER_DATADIR="x")

    assert answer.code == 2
    assert "did you mean LAMPLIGHTER_DATA_DIR?" in answer.err


def test_a_database_that_is_none_is_an_error_without_a_traceback(
    lamplighter: Lamplighter, environment: dict[str, str]
) -> None:
    data = Path(environment["LAMPLIGHTER_DATA_DIR"])
    data.mkdir()
    (data / "lamplighter.db").write_bytes(b"this is not a database, but it is long enough to be read as one" * 50)

    answer = lamplighter("sources", "list")

    assert answer.code == 1
    assert "not a database" in answer.err


def test_a_database_server_that_is_away_is_an_error_without_a_traceback(lamplighter: Lamplighter) -> None:
    answer = lamplighter("sources", "list", LAMPLIGHTER_DATABASE_URL="postgresql+asyncpg://nobody@127.0.0.1:1/none")

    assert answer.code == 1
    assert answer.err.startswith("Error: ")


def test_crash_points_are_listed(lamplighter: Lamplighter) -> None:
    answer = lamplighter("debug", "crash-points")

    assert [line.split()[0] for line in answer.out.splitlines()] == list(crash_points.POINTS)


def test_the_module_is_the_command(environment: dict[str, str]) -> None:
    source = str(ROOT / "src")
    done = subprocess.run(
        [sys.executable, "-m", "lamplighter", "--version"],
        env=environment | {"PYTHONPATH": source},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (done.returncode, done.stdout) == (0, f"lamplighter {__version__}\n")
