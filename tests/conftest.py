"""Fixtures that every suite may use: recording origins, and a real PostgreSQL."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from lamplighter.store import migrate
from lamplighter.store.database import Database
from tests.origin import Origin
from tests.servers import postgres


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
def postgres_url(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[str]:
    """A PostgreSQL cluster of this test run, shared by its workers."""
    shared: Path = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        # Under xdist every worker has a folder of its own inside the run's.
        shared = shared.parent
    with postgres.cluster(shared) as url:
        yield url


@pytest.fixture
async def postgres_db(postgres_url: str) -> AsyncIterator[str]:
    """The URL of a fresh, empty database."""
    async with postgres.fresh_database(postgres_url) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'lamplighter.db'}"
    url: str = request.getfixturevalue("postgres_db")
    return url


@pytest.fixture
async def empty_db(database_url: str) -> AsyncIterator[Database]:
    """An open database without tables, of each kind."""
    async with Database(database_url) as opened:
        yield opened


@pytest.fixture
async def db(empty_db: Database) -> Database:
    """An open, migrated database of each kind."""
    await migrate.upgrade(empty_db)
    return empty_db
