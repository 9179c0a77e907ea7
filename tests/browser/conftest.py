"""The dashboard in a real browser: one Chromium for all tests of a process, a fresh profile for each."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Playwright, async_playwright, expect

from tests.browser.window import Window
from tests.service.installation import Installation, running

# The browser outlives each test, and belongs to the loop it was started in.
_LOOP = "session"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder share the browser's loop."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.asyncio(loop_scope=_LOOP), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope=_LOOP)
async def playwright() -> AsyncIterator[Playwright]:
    """What starts browsers and speaks to them."""
    # A trial waits for the processes that read pages, which a machine with much else to do starts slowly.
    expect.set_options(timeout=120_000)
    async with async_playwright() as started:
        yield started


@pytest_asyncio.fixture(scope="session", loop_scope=_LOOP)
async def browser(playwright: Playwright) -> AsyncIterator[Browser]:
    """Chromium as it is built to have no screen, which takes half the work; without it, the one that people have."""
    async with _opened(playwright, "chromium-headless-shell", "chromium") as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope=_LOOP)
async def everyday_browser(playwright: Playwright) -> AsyncIterator[Browser]:
    """The Chromium that people have, without a screen."""
    async with _opened(playwright, "chromium") as opened:
        yield opened


@asynccontextmanager
async def _opened(playwright: Playwright, *programs: str) -> AsyncIterator[Browser]:
    """The first of these that is installed, until the block ends."""
    found = next(filter(None, map(shutil.which, programs)), None)
    if found is None:
        pytest.skip(f"no browser is installed (Debian package {' or '.join(programs)})")
    # Root has no sandbox of Chromium's to sit in; what it opens here is our own.
    opened = await playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
    yield opened
    await opened.close()


@pytest_asyncio.fixture(loop_scope=_LOOP)
async def installation(tmp_path: Path, migrated_file: Path) -> AsyncIterator[Installation]:
    """A service on a developer's machine that makes its rounds, over an empty SQLite database."""
    shutil.copyfile(migrated_file, tmp_path / "lamplighter.db")
    url = f"sqlite:///{tmp_path / 'lamplighter.db'}"
    async with running(tmp_path, url, auth_jwt_secret=None) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope=_LOOP)
async def window(browser: Browser, installation: Installation) -> AsyncIterator[Window]:
    """A window on its dashboard, which fails the test for whatever goes wrong in it unseen."""
    async with Window.on(browser, installation.url) as opened:
        yield opened
