"""The dashboard with ten thousand sources: every page is seen at once by somebody who was never here before."""

import statistics
import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from benchmarks.site.dashboard_visits import LAMPS_BAR, LAMPS_KB, PAGES, PAINT_BAR, Visit, served, visit
from benchmarks.site.filled_database import fill
from lamplighter.store.engine.database import Database

SOURCES, PAGES_OF_SOURCES = 10_000, 100_000
VISITS = 3
#: a page that was too slow is looked at again: somebody else may have been at work
ROUNDS = 4
_SPIN_SECONDS = 0.05

pytestmark = pytest.mark.minutes


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """Where the dashboard of such an installation answers."""
    folder = tmp_path_factory.mktemp("many")
    async with Database(f"sqlite:///{folder}/filled.db") as db:
        await fill(db, sources=SOURCES, pages=PAGES_OF_SOURCES)
    async with served(folder, folder / "filled.db") as (url, _):
        yield url


async def test_every_page_is_painted_at_once(browser: Browser, url: str) -> None:
    slow = {}
    for path in PAGES:
        paint = await _best(browser, url + path, "paint", bar=PAINT_BAR)
        if paint > PAINT_BAR:
            slow[path] = round(paint)

    assert slow == {}


async def test_the_lamps_of_all_sources_are_there_at_once(browser: Browser, url: str) -> None:
    first = await visit(browser, f"{url}/lamps")
    loaded = await _best(browser, f"{url}/lamps", "loaded", bar=LAMPS_BAR)

    assert first.seen
    assert loaded < LAMPS_BAR
    assert first.kilobytes < LAMPS_KB


async def _best(browser: Browser, url: str, name: str, *, bar: float) -> float:
    """The median of some first visits, in milliseconds of a machine that does nothing else; the best of some rounds."""
    await visit(browser, url)
    best = float("inf")
    for _ in range(ROUNDS):
        best = min(best, statistics.median([await _alone(browser, url, name) for _ in range(VISITS)]))
        if best <= bar:
            break
    return best


async def _alone(browser: Browser, url: str, name: str) -> float:
    before = _crowding()
    seen: Visit = await visit(browser, url)
    took: float = getattr(seen, name)
    return took / ((before + _crowding()) / 2)


def _crowding() -> float:
    """How many times as long as on an idle machine everything takes now, since others are at work."""
    began, cpu = time.perf_counter(), time.thread_time()
    while time.thread_time() - cpu < _SPIN_SECONDS:
        pass
    return (time.perf_counter() - began) / (time.thread_time() - cpu)
