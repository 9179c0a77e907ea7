"""How much is loaded before a command answers: modules are counted, because seconds depend on the machine."""

import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.cli.fleet.served import PATIENCE_SECONDS, free_ports, health
from tests.repository import ROOT

#: what only crawling, serving pages, migrating or logging needs
_HEAVY = ("fastapi", "numpy", "turbohtml", "alembic", "structlog", "pycurl", "aiohttp", "jinja2")
#: what a service needs only for people, for programs, for prices or for a terminal
_LATER = ("fastapi", "jinja2", "jwt", "aiosmtplib", "rich.console", "pygments", "sqlalchemy.dialects.postgresql")
_ROOMS = ("lamplighter.crawl", "lamplighter.fetch", "lamplighter.extract", "lamplighter.web")


def _modules(importtime: str) -> set[str]:
    """The modules of a `-X importtime` log."""
    return {line.rpartition("|")[2].strip() for line in importtime.splitlines() if line.startswith("import time:")}


def _loaded_by(environment: dict[str, str], *words: str) -> set[str]:
    command = [sys.executable, "-X", "importtime", "-m", "lamplighter", *words]
    env = environment | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
    return _modules(done.stderr)


@pytest.mark.parametrize(
    ("words", "most"), [(("--help",), 360), (("sources", "--help"), 460), (("sources", "list"), 590)], ids=str
)
def test_a_command_that_only_tells_something_loads_little(
    environment: dict[str, str], words: tuple[str, ...], most: int
) -> None:
    _loaded_by(environment, *words)  # creates the database

    loaded = _loaded_by(environment, *words)

    assert [name for name in (*_HEAVY, *_ROOMS) if name in loaded] == []
    assert len(loaded) < most


def test_a_list_in_a_pipe_loads_neither_the_terminal_nor_the_other_database(environment: dict[str, str]) -> None:
    loaded = _loaded_by(environment, "sources", "list")

    assert "sqlalchemy" in loaded
    assert [name for name in ("rich.console", "sqlalchemy.dialects.postgresql") if name in loaded] == []


def test_dashboard_and_api_are_loaded_with_the_first_request_for_them(
    environment: dict[str, str], tmp_path: Path
) -> None:
    port, log = free_ports(1), tmp_path / "imported"
    with log.open("w") as said:
        service = subprocess.Popen(
            [sys.executable, "-X", "importtime", "-m", "lamplighter", "serve", "--port", str(port)],
            env=environment | {"PYTHONPATH": str(ROOT / "src")},
            stderr=said,
        )
    try:
        told = health(port)
        at_first = _modules(log.read_text())
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_SECONDS) as answer:
            page = answer.read().decode()
        later = _modules(log.read_text())
        told_again = health(port)
    finally:
        service.kill()
        service.wait()

    assert (told["status"], told_again["status"]) == ("ok", "ok")
    assert "lamplighter.web.all_routes" not in at_first
    assert [name for name in _LATER if name in at_first] == []
    assert len(at_first) < 1300
    assert "Lamplighter" in page
    assert "lamplighter.web.all_routes" in later
