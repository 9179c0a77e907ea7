"""The service as a process: starts, answers, stops."""

import asyncio
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator

import pytest

from lamplighter.cli.fleet.serve import check_access
from lamplighter.demo.sites import SITES
from lamplighter.settings import load
from tests.cli.conftest import Lamplighter
from tests.cli.fleet.served import PATIENCE_SECONDS, free_ports, health
from tests.repository import ROOT
from tests.servers import postgres
from tests.web.access.clients import SECRET

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    """Starts the service with these words; it is ended with the test."""
    started: list[subprocess.Popen[str]] = []

    def run(*words: str) -> subprocess.Popen[str]:
        source = str(ROOT / "src")
        process = subprocess.Popen(
            [sys.executable, "-m", "lamplighter", *words],
            env=environment | {"PYTHONPATH": source},
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=PATIENCE_SECONDS)


def test_the_demo_is_watched_with_an_empty_database_and_a_signal_stops_it_all(
    start: Start, environment: dict[str, str]
) -> None:
    environment["LAMPLIGHTER_DEMO_PAST_DAYS"] = "0"
    port = free_ports(len(SITES) + 1)

    service = start("serve", "--port", str(port), "--demo")
    told = health(port)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not health(port)["records"] and time.monotonic() < deadline:
        time.sleep(0.2)
    found = health(port)["records"]
    service.send_signal(signal.SIGTERM)
    _, err = service.communicate(timeout=PATIENCE_SECONDS)

    assert told["status"] == "ok"
    assert told["sources"] == len(SITES)
    assert found > 0
    assert service.returncode == 0
    assert f"http://127.0.0.1:{port}/\n" in err
    for site in SITES:
        assert re.search(rf"^  {site.name} +http://127\.0\.0\.1:{port + 1 + SITES.index(site)}/", err, re.MULTILINE)


def test_the_pages_are_there_while_the_past_of_the_demo_is_made_and_a_signal_ends_that_too(start: Start) -> None:
    port = free_ports(len(SITES) + 1)

    service = start("serve", "--port", str(port), "--demo")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not health(port)["records"] and time.monotonic() < deadline:
        time.sleep(0.2)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_SECONDS) as answer:
        page = answer.read().decode()
    service.send_signal(signal.SIGTERM)
    service.communicate(timeout=PATIENCE_SECONDS)

    assert "are being made at this moment" in page
    assert service.returncode == 0


def test_whoever_shares_the_database_of_a_demo_is_told_what_its_workers_need(
    start: Start, environment: dict[str, str], postgres_url: str
) -> None:
    environment["LAMPLIGHTER_DATABASE_URL"] = url = asyncio.run(postgres.create_database(postgres_url))
    port = free_ports(len(SITES) + 1)

    service = start("serve", "--port", str(port), "--demo", "--no-scheduler")
    health(port)
    service.send_signal(signal.SIGTERM)
    _, err = service.communicate(timeout=PATIENCE_SECONDS)
    asyncio.run(postgres.drop_database(url))

    hosts = ",".join(f"127.0.0.1:{port + number}" for number in range(1, len(SITES) + 1))
    assert f"LAMPLIGHTER_ALLOW_HOSTS={hosts} " in err


def test_the_demo_is_left_out_when_something_else_is_watched(start: Start, lamplighter: Lamplighter) -> None:
    lamplighter("sources", "add", "http://127.0.0.1:9/jobs")
    port = free_ports(len(SITES) + 1)

    start("serve", "--port", str(port), "--demo", "--no-scheduler")
    told = health(port)

    assert told["sources"] == 1
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port + 1), timeout=2)


def test_a_second_service_on_one_sqlite_folder_is_refused_and_told_what_to_do(
    start: Start, lamplighter: Lamplighter
) -> None:
    first = start("serve", "--port", str(free_ports(1)))
    assert first.stderr is not None
    assert "running" in first.stderr.readline()

    second = lamplighter("serve", "--port", str(free_ports(1)))
    first.kill()
    first.wait(PATIENCE_SECONDS)
    third = start("serve", "--port", str(free_ports(1)))

    assert second.code != 0
    assert f"(process {first.pid})" in second.err
    assert "LAMPLIGHTER_DATABASE_URL" in second.err
    assert third.stderr is not None
    assert "running" in third.stderr.readline()


def test_a_worker_stops_when_asked(start: Start) -> None:
    worker = start("worker", "--no-scheduler")
    assert worker.stderr is not None
    assert "running without web pages" in worker.stderr.readline()

    worker.send_signal(signal.SIGINT)

    assert worker.wait(PATIENCE_SECONDS) == 0


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.2", "::", "example.com"])
def test_a_host_that_others_could_reach_is_refused(lamplighter: Lamplighter, host: str) -> None:
    answer = lamplighter("serve", "--host", host)

    assert answer.code == 2
    assert "127.0.0.1" in answer.err


def test_where_people_log_in_others_may_reach_it() -> None:
    check_access(load({}, host="0.0.0.0", auth_jwt_secret=SECRET))


@pytest.mark.parametrize("url", ["http://localhost:8060", "http://127.0.0.1:8060/", "http://[::1]:8060"])
def test_a_public_url_on_this_machine_needs_no_login(url: str) -> None:
    check_access(load({}, public_url=url))


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"LAMPLIGHTER_PUBLIC_URL": "https://lamp.example.org"}, "LAMPLIGHTER_AUTH_JWT_SECRET"),
        ({"LAMPLIGHTER_ENV": "prod"}, "LAMPLIGHTER_AUTH_JWT_SECRET"),
        ({"AIDJOBS_ENV": "prod", "AUTH_JWT_SECRET": "changeme"}, "could be guessed"),
        ({"LAMPLIGHTER_AUTH_JWT_SECRET": "secret" * 8}, "could be guessed"),
        ({"LAMPLIGHTER_ENV": "staging"}, "dev"),
    ],
)
def test_it_does_not_start_for_others_without_a_secret_or_with_one_that_could_be_guessed(
    lamplighter: Lamplighter, told: dict[str, str], said: str
) -> None:
    answer = lamplighter("serve", **told)

    assert answer.code == 2
    assert said in answer.err


def test_a_port_that_is_taken_is_named(lamplighter: Lamplighter) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        answer = lamplighter("serve", "--port", str(port))

    assert answer.code == 2
    assert str(port) in answer.err
    assert "--port" in answer.err


def test_a_port_that_is_none_is_named(lamplighter: Lamplighter) -> None:
    answer = lamplighter("serve", "--port", "99999")

    assert answer.code == 2
    assert "99999" in answer.err
