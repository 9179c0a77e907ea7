"""One import of the program and one crawl of the demo, for all pages."""

import asyncio
import json
import shutil
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.example_site import furnish
from tests.docs.stage import PATIENCE_SECONDS, Program, Stage, program
from tests.origin import ThreadedOrigin
from tests.servers.postgres import create_database, drop_database


@pytest.fixture(scope="session")
def lamplighter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The program, ready to be called."""
    with program(tmp_path_factory.mktemp("program")) as ready:
        yield ready


@pytest.fixture(scope="session")
def example() -> Iterator[str]:
    """The address of what stands for https://example.org, without a slash at the end."""
    with ThreadedOrigin() as origin:
        furnish(origin)
        yield origin.url


@pytest.fixture(scope="session")
def crawled_demo(tmp_path_factory: pytest.TempPathFactory, lamplighter: Program, example: str) -> Path:
    """The data folder of somebody who started the demo and waited until it was read."""
    stage = Stage(tmp_path_factory.mktemp("demo"), lamplighter, example=example)
    started = stage.shell("make run")
    try:
        assert started.returncode == 0, started.stderr
        _wait_until_read(lamplighter.first_port)
    finally:
        stage.stop()
    return stage.folder / "data"


def _wait_until_read(port: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/jobs/stats", timeout=60) as answer:
            told = json.load(answer)
        if told["last_24h"]["successful_runs"] >= told["total_sources"]:
            return
        assert time.monotonic() < deadline, told
        time.sleep(0.25)


@pytest.fixture
def stage(tmp_path: Path, lamplighter: Program, example: str) -> Iterator[Stage]:
    """An empty installation, whose service is ended with the test."""
    opened = Stage(tmp_path, lamplighter, example=example)
    yield opened
    opened.stop()


@pytest.fixture
def bring_demo(stage: Stage, request: pytest.FixtureRequest) -> Callable[[], None]:
    """Puts the data of a demo that was read on the stage."""

    def bring() -> None:
        shutil.copytree(request.getfixturevalue("crawled_demo"), stage.folder / "data")

    return bring


@pytest.fixture
def bring_postgres(stage: Stage, request: pytest.FixtureRequest) -> Callable[[], None]:
    """Has what the documentation calls a PostgreSQL be an empty one."""

    def bring() -> None:
        url = asyncio.run(create_database(request.getfixturevalue("postgres_url")))
        request.addfinalizer(lambda: asyncio.run(drop_database(url)))
        stage.standing_for[r"postgresql\+asyncpg://\S+"] = lambda _: url

    return bring
