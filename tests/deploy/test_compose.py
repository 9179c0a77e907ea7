"""deploy/compose.yaml: safe as it stands, and made of settings and commands that exist."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lamplighter import settings
from lamplighter.adapters.key_ring import KeyRing
from lamplighter.cli.main import app
from tests.deploy.files import COMPOSE, FOLDER, SECRET, SERVICES, VARIABLE, interpolated

EXAMPLE = (FOLDER / ".env.example").read_text()
SETTINGS: dict[str, str] = COMPOSE["x-settings"]


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    """The variables as the one-line command in .env.example writes them."""
    command = re.search(r'python3 -c "(.*)" > \.env', EXAMPLE)
    assert command is not None
    text = subprocess.run([sys.executable, "-c", command[1]], cwd=FOLDER, check=True, capture_output=True, text=True)
    return dict(line.split("=", 1) for line in text.stdout.splitlines() if "=" in line and not line.startswith("#"))


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_says_how_it_is_and_comes_back_by_itself(name: str) -> None:
    service = SERVICES[name]

    assert service["restart"] == "no" or (service["restart"] == "unless-stopped" and "test" in service["healthcheck"])


@pytest.mark.parametrize("name", [name for name in SERVICES if SERVICES[name]["restart"] != "no"])
def test_no_service_takes_all_of_the_machine(name: str) -> None:
    assert SERVICES[name]["deploy"]["resources"]["limits"]["memory"]


@pytest.mark.parametrize("name", [name for name in SERVICES if "build" not in SERVICES[name]])
def test_the_image_of_an_engine_is_a_certain_version(name: str) -> None:
    _, _, tag = SERVICES[name]["image"].partition(":")

    assert re.search(r"\d+[.-]\d+", tag), tag


def test_only_the_api_is_published_and_only_on_this_machine() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}

    assert published == {"api": ["127.0.0.1:${PORT:-8060}:8060"]}


def test_no_secret_has_a_default() -> None:
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            if SECRET.search(name):
                assert re.fullmatch(r"\$\{\w+:\?[^}]+\}", value), name
            for variable, mark, _ in VARIABLE.findall(value):
                assert not SECRET.search(variable) or mark == "?", variable


def test_every_variable_is_explained_in_the_example_and_every_secret_is_empty_there() -> None:
    said = dict(re.findall(r"^(\w+)=(.*)$", EXAMPLE, re.MULTILINE))
    used = {found[0] for found in VARIABLE.findall((FOLDER / "compose.yaml").read_text())}

    assert used == said.keys()
    assert all(not value for name, value in said.items() if SECRET.search(name))


def test_the_command_in_the_example_fills_in_all_that_is_missing(generated: dict[str, str]) -> None:
    assert all(generated.values())
    assert len(generated["AUTH_JWT_SECRET"]) >= 32
    assert KeyRing([generated["ENCRYPTION_KEYS"]], named="it").encrypt("a")


def test_the_settings_are_in_order_once_the_variables_are_set(
    generated: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (SETTINGS | SERVICES["worker"]["environment"]).items():
        monkeypatch.setenv(name, interpolated(value, generated))

    chosen = settings.load()

    assert not chosen.is_dev
    assert chosen.jwt_secret == generated["AUTH_JWT_SECRET"]
    assert chosen.duties == "fetch,parse,schedule"


@pytest.mark.parametrize("name", ["api", "worker"])
def test_a_process_has_more_time_to_stop_than_it_gives_itself(name: str) -> None:
    given = float(SERVICES[name]["stop_grace_period"].removesuffix("s"))

    assert given > float(SERVICES[name]["environment"]["LAMPLIGHTER_GRACE_SECONDS"])


@pytest.mark.parametrize("name", ["api", "worker"])
def test_a_process_runs_a_command_that_exists_and_can_write_nothing_that_stays(name: str) -> None:
    service: dict[str, Any] = SERVICES[name]

    assert CliRunner().invoke(app, [*service["command"], "--help"]).exit_code == 0
    assert service["read_only"] is True
    assert "volumes" not in service


def test_processes_wait_for_their_engines() -> None:
    waited_for: dict[str, Any] = SERVICES["worker"]["depends_on"]

    assert waited_for.keys() == {"postgres", "redis", "rabbitmq", "meilisearch", "buckets"}
    assert {each["condition"] for each in waited_for.values()} <= {"service_healthy", "service_completed_successfully"}


def test_redis_reads_a_file_that_nobody_else_can_and_does_not_run_as_root(tmp_path: Path) -> None:
    *shell, script = SERVICES["redis"]["command"]
    said = script.replace("$$", "$").replace("/tmp/", f"{tmp_path}/")
    for name in ("chown", "docker-entrypoint.sh"):
        (tmp_path / name).write_text('#!/bin/sh\necho "${0##*/} $*"\n')
        (tmp_path / name).chmod(0o700)

    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "REDIS_PASSWORD": "secret"}
    done = subprocess.run([*shell, said], env=env, check=True, capture_output=True, text=True)

    file = tmp_path / "redis.conf"
    # The image's script becomes the user redis, when it is to start the server.
    assert done.stdout.splitlines() == [f"chown redis {file}", f"docker-entrypoint.sh redis-server {file}"]
    assert file.read_text().splitlines()[:2] == ["requirepass secret", "appendonly yes"]
    assert file.stat().st_mode & 0o077 == 0
