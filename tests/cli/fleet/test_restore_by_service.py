"""A restore that is ordered over the API: the service itself stops, goes back to the backup, and is there again."""

import json
import signal
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.fleet.served import PATIENCE_SECONDS, free_ports, health
from tests.repository import ROOT
from tests.service.forked import Forked

Start = Callable[..., Forked]
SOURCE = str(ROOT / "src")
KEPT, LATER = "http://127.0.0.1:9/kept", "http://127.0.0.1:9/later"


class Api:
    """What a program asks of the service."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}/api/v1"

    def get(self, path: str) -> Any:
        """What is answered, by whichever service there is by then."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return self._ask(urllib.request.Request(self._address + path))
            except urllib.error.HTTPError:
                raise
            except (urllib.error.URLError, ConnectionError):  # it hung up while it stopped
                assert time.monotonic() < deadline, "the service did not come back"
                time.sleep(0.1)

    def post(self, path: str, body: Any = None) -> Any:
        """The same of an order."""
        data = json.dumps(body).encode() if body is not None else b""
        headers = {"Content-Type": "application/json"}
        return self._ask(urllib.request.Request(self._address + path, data=data, headers=headers, method="POST"))

    def _ask(self, request: urllib.request.Request) -> Any:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return json.load(answer)

    def urls(self) -> set[str]:
        """Which sources there are."""
        return {source["url"] for source in self.get("/sources")["sources"]}

    def backed_up(self) -> str:
        """Has a backup made, and returns its name when that is done."""
        self.post("/backups")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (said := self.get("/backups"))["under_way"] or not said["backups"]:
            assert time.monotonic() < deadline, "no backup was made"
            time.sleep(0.1)
        name: str = said["backups"][0]["name"]
        return name


@pytest.fixture
def environment(environment: dict[str, str], database_url: str) -> dict[str, str]:
    return environment | {"LAMPLIGHTER_DATABASE_URL": database_url, "LAMPLIGHTER_GRACE_SECONDS": "2"}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """What services said."""
    return tmp_path / "services.log"


@pytest.fixture
def start(environment: dict[str, str], log: Path) -> Iterator[Start]:
    """Starts the service with these words; it is ended with the test."""
    started: list[Forked] = []

    def run(*words: str) -> Forked:
        started.append(Forked(words, env=environment | {"PYTHONPATH": SOURCE}, log=log))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.wait(PATIENCE_SECONDS)


def test_one_that_comes_to_nothing_leaves_everything_as_it_was_and_says_why(
    start: Start, database_kind: str, tmp_path: Path
) -> None:
    if database_kind != "sqlite":
        pytest.skip("somebody who only looks is in nobody's way there")
    port = free_ports(1)
    start("serve", "--port", str(port), "--no-scheduler")
    api = Api(port)
    health(port)
    name = api.backed_up()
    api.post("/sources", {"name": "later", "url": LATER})

    with closing(sqlite3.connect(tmp_path / "lamplighter.db")) as somebody:
        somebody.execute("SELECT count(*) FROM sources").fetchone()
        api.post(f"/backups/{name}/restore")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (trouble := api.get("/backups")["restore_trouble"]) is None and time.monotonic() < deadline:
            time.sleep(0.1)

    assert trouble is not None
    assert "is in use" in trouble
    assert api.urls() == {LATER}


def test_a_signal_that_comes_meanwhile_is_obeyed(start: Start, log: Path) -> None:
    port = free_ports(1)
    process, api = start("serve", "--port", str(port), "--no-scheduler"), Api(port)
    health(port)
    name = api.backed_up()

    api.post(f"/backups/{name}/restore")
    process.send_signal(signal.SIGTERM)
    code = process.wait(PATIENCE_SECONDS)

    assert code == 0, log.read_text()


def test_what_was_added_since_a_backup_is_gone_and_the_service_is_there_again(
    start: Start, database_kind: str, tmp_path: Path, log: Path
) -> None:
    port = free_ports(1)
    process, api = start("serve", "--port", str(port), "--no-scheduler"), Api(port)
    health(port)
    api.post("/sources", {"name": "kept", "url": KEPT})
    name = api.backed_up()
    api.post("/sources", {"name": "later", "url": LATER})
    before = api.urls()

    ordered = api.post(f"/backups/{name}/restore")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while api.urls() == before and time.monotonic() < deadline:
        time.sleep(0.1)
    after, told = api.urls(), api.get("/audit?action=database.restore")
    trouble, is_alive = api.get("/backups")["restore_trouble"], process.poll() is None
    process.send_signal(signal.SIGTERM)
    code, said = process.wait(PATIENCE_SECONDS), log.read_text()

    assert ordered["backup"] == name
    assert (before, after) == ({KEPT, LATER}, {KEPT})
    assert (trouble, is_alive, code) == (None, True, 0), said
    assert [entry["after"]["backup"] for entry in told["entries"]] == [name]
    assert "restore.made" in said
    assert (tmp_path / "lamplighter.db.before-restore").exists() is (database_kind == "sqlite")
