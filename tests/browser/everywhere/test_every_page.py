"""Every page of the dashboard: it keeps nobody out, nothing goes wrong unseen, it fits a phone, it needs no script."""

import html
import re
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import aiohttp
import pytest
import pytest_asyncio
import sqlalchemy as sa
from playwright.async_api import Browser, Page, ViewportSize, expect

from lamplighter.store.schema.tables import crawl_runs
from lamplighter.web.dashboard.page_request import PLACES
from tests.browser.filled_installation import furnish, let_drift
from tests.browser.window import Window
from tests.origin import Origin
from tests.service.installation import Installation, running
from tests.service.sites import job_board

Views = Sequence[tuple[Literal["light", "dark"], ViewportSize]]
DESK, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=390, height=844)
NARROW_DESK, WIDE_DESK = ViewportSize(width=1024, height=768), ViewportSize(width=1440, height=900)
#: what the menu leads to, the pages below its entries, and what stands one step behind them
PATHS = list(
    dict.fromkeys(
        [
            *(place.path for place in PLACES),
            *(each.path for place in PLACES for each in place.below),
            "/settings/tags/edit?tag=news",
            "/sources/{source}",
            "/sources/{source}/runs",
            "/sources/{source}/versions",
            "/sources/{source}/edit",
            "/lamps",
            "/sources/add",
            "/sources/import",
            "/runs",
            "/runs/{run}",
            "/alerts/problems/{problem}",
            "/pages/{page}",
            "/pages/submit",
            "/records/{record}",
            "/hosts/{host}",
            "{drifted}/changes",
            "{drifted}/records",
            "{drifted}/trials",
            "{drifted}/teach",
            "{version}",
            "{version}/1",
            "{version}/compare",
            "/settings/notifications/channels/new",
            "/settings/notifications/rules/new",
            "/instances",
            "/links",
            "/explain?url=https://tide.example/news",
            "/docs",
            "/bot",
            "/login",
            "/status",
        ]
    )
)
#: the map of the day, hours across and quarters down, which is moved sideways under a thumb
MAP_OF_THE_DAY = "wide heat"
#: where a page leads to one of those whose addresses nobody knows before, and what such an address looks like
LED_TO = {
    "problem": ("/alerts", r"/alerts/problems/([^\"/]+)\""),
    "page": ("/pages", r"/pages/(\d+)\""),
    "record": ("/records", r"/records/([0-9a-f-]{36})"),
    "host": ("/hosts", r"/hosts/(127[^\"?]+)\""),
    "drifted": ("/?search=quay&sort=name", r"(/sources/[0-9a-f-]{36})\"[^>]*>Quay<"),
    "version": ("{drifted}/versions", r"(/sources/[0-9a-f-]{36}/versions/[0-9a-f-]{36})\""),
}
#: a reference, whose tables are moved sideways too
WIDE_ON_A_PHONE = {"/docs"}


@dataclass(frozen=True, slots=True)
class House:
    """An installation, and the names of what is in it: a source that was crawled, the run that did so, and others."""

    installation: Installation
    names: Mapping[str, str]

    @property
    def url(self) -> str:
        """Where its dashboard is."""
        return self.installation.url

    def path(self, path: str) -> str:
        """A path with names filled in."""
        return path.format_map(self.names)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory, migrated_file: Path) -> AsyncIterator[House]:
    """An installation on a developer's machine in which something has happened."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copyfile(migrated_file, folder / "lamplighter.db")
    url = f"sqlite:///{folder / 'lamplighter.db'}"
    async with Origin() as board, running(folder, url, auth_jwt_secret=None, status_page=True) as opened:
        job_board(board, postings=3, per_page=3)
        names = {"source": await furnish(opened, board)}
        await let_drift(opened, board)
        async with opened.service.db.read() as db:
            names["run"] = await db.scalar(sa.select(crawl_runs.c.public_id).order_by(crawl_runs.c.page_count.desc()))
        async with aiohttp.ClientSession(opened.url) as visitor:
            for name, (path, looks_like) in LED_TO.items():
                async with visitor.get(path.format_map(names)) as page:
                    names[name] = html.unescape(re.findall(looks_like, await page.text())[0])
        yield House(opened, names)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def both(browser: Browser, house: House) -> AsyncIterator[tuple[Window, Window]]:
    """Two windows on it for all tests, which look and change nothing: one that runs scripts, one that does not."""
    async with (
        Window.on(browser, house.url, viewport=DESK) as scripted,
        Window.on(browser, house.url, viewport=DESK, java_script_enabled=False) as plain,
    ):
        yield scripted, plain


@pytest_asyncio.fixture(loop_scope="session")
async def window(both: tuple[Window, Window]) -> AsyncIterator[Window]:
    """The one that runs scripts, at a desk by day; nothing may go wrong in it unseen."""
    window, _ = both
    await window.page.emulate_media(color_scheme="light")
    await window.page.set_viewport_size(DESK)
    yield window
    troubles, window.troubles = window.troubles, []
    assert troubles == []


@pytest_asyncio.fixture(loop_scope="session")
async def plain(both: tuple[Window, Window]) -> AsyncIterator[Window]:
    """The one that runs none; nothing may go wrong in it either."""
    _, plain = both
    yield plain
    troubles, plain.troubles = plain.troubles, []
    assert troubles == []


async def is_wider_than_its_window(page: Page) -> bool:
    return bool(await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


async def what_scrolls_sideways(page: Page) -> list[str]:
    """The tables and other parts of which something stands beyond their edge."""
    found = await page.evaluate(
        """() => [...document.querySelectorAll("main *")].filter(
          (each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowX) && each.scrollWidth > each.clientWidth
        ).map((each) => `${each.className} ${each.scrollWidth} > ${each.clientWidth}`)"""
    )
    return list(found)


@pytest.mark.parametrize(
    "views",
    [
        pytest.param([("light", DESK), ("dark", PHONE)], id="by day at a desk, by night on a phone"),
        pytest.param([("dark", DESK), ("light", PHONE)], id="the other way round", marks=pytest.mark.minutes),
    ],
)
@pytest.mark.parametrize("path", PATHS)
async def test_a_page_keeps_nobody_out_and_fits_a_phone(window: Window, house: House, path: str, views: Views) -> None:
    page = await window.open(house.path(path))
    await expect(page.locator("h1").first).to_be_visible()
    sideways = await what_scrolls_sideways(page)

    barriers = {}
    for scheme, size in views:
        await page.emulate_media(color_scheme=scheme)
        await page.set_viewport_size(size)
        barriers[scheme] = await window.grave_barriers()

    assert {where: found for where, found in barriers.items() if found} == {}
    assert not await is_wider_than_its_window(page)
    assert sideways == [], "at a desk everything is seen at once"
    wide = [each for each in await what_scrolls_sideways(page) if not each.startswith(MAP_OF_THE_DAY)]
    assert path in WIDE_ON_A_PHONE or wide == []


@pytest.mark.parametrize("path", ["/", "/runs", "/hosts"])
async def test_a_list_of_many_columns_fits_a_narrow_desk(window: Window, house: House, path: str) -> None:
    await window.page.set_viewport_size(NARROW_DESK)
    page = await window.open(house.path(path))

    assert await what_scrolls_sideways(page) == []


async def test_a_source_uses_a_wide_screen(window: Window, house: House) -> None:
    await window.page.set_viewport_size(WIDE_DESK)
    page = await window.open(house.path("/sources/{source}"))

    # All at one moment: news replace the parts of the page.
    view, left, right = await page.evaluate(
        "['.source', '#source-live', '#source-day'].map("
        "part => document.querySelector(part).getBoundingClientRect().toJSON())"
    )

    assert view["width"] >= 0.85 * WIDE_DESK["width"]
    assert left["x"] + left["width"] <= right["x"], "they stand side by side"


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_can_be_read_without_scripts(window: Window, plain: Window, house: House, path: str) -> None:
    scripted = await window.open(house.path(path))
    unscripted = await plain.open(house.path(path))

    heading = await scripted.locator("h1").first.inner_text()
    await expect(unscripted.locator("h1").first).to_have_text(heading)
    await expect(unscripted.locator("main")).to_be_visible()
    tables = "main table:not(figure table):visible"
    assert await unscripted.locator(tables).count() >= await scripted.locator(tables).count()
