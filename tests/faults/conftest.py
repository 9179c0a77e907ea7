"""One service per module for rows A to E, which has to live through all the faults of its rows, one after the other."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from lamplighter.app import Service
from lamplighter.fetch import barrier, door
from lamplighter.fetch.client import Client
from tests.faults.certificates import Authority
from tests.faults.name_server import NameServer
from tests.origin import Origin
from tests.service.in_process import going, quick_settings

#: opens a site at an address of its own: whatever is held against one host is no concern of the next test's
Site = Callable[..., Awaitable[Origin]]
#: where sites are that the crawler may ask
OPEN_NETWORK = "127.7.0.0/16"
_numbers = count(1)


@pytest.fixture(scope="module")
def names() -> NameServer:
    """What the service's name server knows: whatever the tests write down."""
    return NameServer()


@pytest.fixture(scope="module")
def authority() -> Authority:
    """The one whose certificates the service believes."""
    return Authority()


@pytest.fixture(scope="module")
def client_of_tests(names: NameServer, authority: Authority) -> Iterator[None]:
    """The service's client asks the tests' name server and believes the tests' certificates.

    And takedowns take effect at once.
    """

    def make(**how: Any) -> Client:
        return Client(**(how | {"resolver": names, "authorities": authority.certificate}))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(door, "Client", make)
        patch.setattr(barrier, "TAKEDOWNS_KEPT_SECONDS", 0.2)
        yield


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(
    client_of_tests: None, migrated_file: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Service]:
    """A service that makes its rounds; a module's SETTINGS say what is different for its rows."""
    folder = tmp_path_factory.mktemp("faults")
    shutil.copyfile(migrated_file, folder / "lamplighter.db")
    usual = {"allow_hosts": f"{OPEN_NETWORK},::1", "contact_url": "https://lamplighter.example/bot"}
    async with going(quick_settings(folder, **(usual | getattr(request.module, "SETTINGS", {})))) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="module")
async def site() -> AsyncIterator[Site]:
    """Opens sites, `await site()`; all are closed when the test ends."""
    async with AsyncExitStack() as opened:

        async def open_site(host: str | None = None, **how: Any) -> Origin:
            number = next(_numbers)
            return await opened.enter_async_context(Origin(host or f"127.7.{number // 250}.{number % 250 + 1}", **how))

        yield open_site
