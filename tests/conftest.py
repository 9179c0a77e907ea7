"""Fixtures that every suite may use: recording origins, and a real PostgreSQL.

What thousands of tests would do anew is done once for each test process: migrations, compiling SQL, starting readers.
"""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import structlog
from hypothesis import settings

from lamplighter import metrics, telemetry
from lamplighter.crawl.events import event_delivery
from lamplighter.crawl.fetching import host_round
from lamplighter.crawl.reading import reader_pool
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import migrate
from tests import process_setup, shared_readers
from tests.origin import Origin
from tests.repository import ROOT
from tests.servers import migrated, postgres, rabbitmq, redis, s3
from tests.servers.migrated import MigratedDatabases, aside, migrate_to_head, migrated_file_of_this_process

# A change is judged by the same examples each time; `make explore` looks for others.
settings.register_profile("judge", derandomize=True)
settings.register_profile("explore", derandomize=False, print_blob=True)
settings.load_profile("judge")

#: files with tests of ten seconds and more
_LONG = frozenset(
    ROOT / path
    for path in (
        "tests/docs/test_commands.py",
        "tests/crawl/process/test_crashes.py",
        "tests/faults/test_processes.py",
        "tests/faults/test_services.py",
    )
)

process_setup.compile_statements()
process_setup.prepare_routes()
process_setup.look_for_migrations()
process_setup.write_tracebacks_plainly()
process_setup.hash_quickly()
process_setup.write_without_waiting_for_the_disk()


@pytest.fixture(autouse=True)
def logs_as_they_come() -> Iterator[None]:
    """How much a command logs is no concern of the next test's."""
    yield
    telemetry.configure("notset")
    structlog.reset_defaults()


@pytest.fixture(autouse=True)
def names_of_sources_are_free() -> None:
    """How many sources other tests named in this process is no concern of the next test's."""
    metrics.SourceNames.taken.clear()


@pytest.fixture(scope="session", autouse=True)
def readers_end_with_the_tests() -> Iterator[None]:
    """Reader processes are kept from test to test."""
    yield
    shared_readers.end_all()


@pytest.fixture(autouse=True)
def quick_service(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A service in this process migrates by copying and reads with kept readers, unless that is what a test is about.

    And it keeps a host without pages for a moment only, and tries again soon what went wrong.
    """
    monkeypatch.setattr(host_round, "LINGER_SECONDS", 0.25)
    monkeypatch.setattr(event_delivery, "AWAY_SECONDS", 0.05)
    if request.node.get_closest_marker("migrates") is None:
        monkeypatch.setattr(migrate, "apply", migrated.apply)
    if request.node.get_closest_marker("fresh_readers") is None:
        monkeypatch.setattr(reader_pool, "start_process", shared_readers.start)
    if request.node.get_closest_marker("slow_hashes") is not None:
        process_setup.hash_slowly(monkeypatch)


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    """A site on a free loopback port."""
    async with Origin() as opened:
        yield opened


@pytest.fixture
async def origin_factory() -> AsyncIterator[Callable[..., Awaitable[Origin]]]:
    """Opens further sites, `await origin_factory(host="127.0.0.2")`; all are closed when the test ends."""
    async with AsyncExitStack() as opened:

        async def open_origin(host: str = "127.0.0.1", *, port: int = 0, tls: bool = False) -> Origin:
            return await opened.enter_async_context(Origin(host, port=port, tls=tls))

        yield open_origin


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """The folder that all workers of this test run see."""
    folder: Path = tmp_path_factory.getbasetemp()
    # Under xdist every worker has a folder of its own inside the run's.
    return folder.parent if hasattr(request.config, "workerinput") else folder


@pytest.fixture(scope="session")
def postgres_url(shared_folder: Path) -> Iterator[str]:
    """A PostgreSQL cluster of this test run, shared by its workers."""
    with postgres.cluster(shared_folder) as url:
        yield url


@pytest.fixture
async def postgres_db(postgres_url: str) -> AsyncIterator[str]:
    """The URL of a fresh, empty database."""
    async with postgres.fresh_database(postgres_url) as url:
        yield url


@pytest.fixture
async def migrated_postgres_db(migrated_databases: MigratedDatabases) -> AsyncIterator[str]:
    """The URL of a migrated database without rows."""
    async with migrated_databases.one() as url:
        yield url


@pytest.fixture(scope="session")
def s3_server(shared_folder: Path) -> Iterator[s3.S3Server]:
    """An S3 server of this test run, shared by its workers."""
    with s3.server(shared_folder) as server:
        yield server


@pytest.fixture(scope="session")
def redis_server(shared_folder: Path) -> Iterator[redis.RedisServer]:
    """A Redis of this test run, shared by its workers."""
    with redis.server(shared_folder) as server:
        yield server


@pytest.fixture
def redis_url(redis_server: redis.RedisServer) -> Iterator[str]:
    """The URL of an empty database on it, which nobody else uses meanwhile."""
    with redis_server.empty_database() as url:
        yield url


@pytest.fixture(scope="session")
def rabbitmq_server(shared_folder: Path) -> Iterator[str]:
    """A RabbitMQ of this test run, shared by its workers: the URL of this worker's part of it."""
    with rabbitmq.broker(shared_folder) as url:
        yield url


@pytest.fixture
async def rabbitmq_url(rabbitmq_server: str) -> str:
    """The same, with nothing in its queues."""
    await rabbitmq.without_queues(rabbitmq_server)
    return rabbitmq_server


@pytest.fixture(params=["sqlite", "postgresql"])
def database_kind(request: pytest.FixtureRequest) -> str:
    """Each kind of database."""
    kind: str = request.param
    return kind


@pytest.fixture
def database_url(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if database_kind == "sqlite":
        return f"sqlite:///{tmp_path / 'lamplighter.db'}"
    url: str = request.getfixturevalue("postgres_db")
    return url


@pytest.fixture
async def empty_db(database_url: str) -> AsyncIterator[Database]:
    """An open database without tables, of each kind."""
    async with Database(database_url) as opened:
        yield opened


@pytest.fixture(scope="session")
def migrated_file() -> Path:
    """An SQLite database with tables and without rows, to be copied: migrating takes far longer."""
    return migrated_file_of_this_process()


@pytest.fixture(scope="session")
def migrated_postgres(postgres_url: str) -> Iterator[str]:
    """The same on PostgreSQL."""
    url = aside(postgres.create_database(postgres_url))
    aside(migrate_to_head(url))
    yield url
    aside(postgres.drop_database(url))


@pytest.fixture(scope="session")
def migrated_databases(postgres_url: str, migrated_postgres: str) -> Iterator[MigratedDatabases]:
    """Copies of it, for one test at a time."""
    copies = MigratedDatabases(postgres_url, like=migrated_postgres)
    yield copies
    aside(copies.close())


@pytest.fixture
async def migrated_url(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """A migrated database of each kind."""
    if database_kind == "sqlite":
        path = tmp_path / "lamplighter.db"
        shutil.copyfile(request.getfixturevalue("migrated_file"), path)
        yield f"sqlite:///{path}"
        return
    async with request.getfixturevalue("migrated_databases").one() as url:
        yield url


@pytest.fixture
async def db(migrated_url: str) -> AsyncIterator[Database]:
    """An open, migrated database of each kind."""
    async with Database(migrated_url) as opened:
        yield opened


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Tests that were collected stay until the end."""
    with process_setup.code_left_alone():
        return (yield)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those that take long come first, so that no worker is left alone with one at the end."""
    items.sort(key=lambda item: not item.get_closest_marker("minutes") and item.path not in _LONG)
