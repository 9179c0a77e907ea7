"""Every list is read with the keyboard: from row to row, on to its next page, and into what a row is about."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.store.engine.database import Connection
from tests.browser.crawled_source import crawled
from tests.browser.window import Window
from tests.origin import Origin
from tests.service.installation import Installation
from tests.service.sites import LISTING

ON_ROW = "document.activeElement.matches('main [data-step]')"


@pytest.mark.parametrize(
    ("path", "opened"),
    [
        pytest.param("/", "/sources/[0-9a-f-]{36}$", id="sources"),
        pytest.param("/records", "/records/[0-9a-f-]{36}$", id="records"),
        pytest.param("/runs?since=", "/runs/[0-9a-f-]{36}$", id="runs"),
        pytest.param("/hosts", "/hosts/127", id="hosts"),
        pytest.param("/alerts", "/alerts/problems/", id="problems"),
    ],
)
async def test_j_goes_to_a_row_and_o_opens_it(
    window: Window, installation: Installation, path: str, opened: str
) -> None:
    async with Origin() as origin:
        origin.page("/jobs", LISTING)
        await crawled(installation, f"{origin.url}/{'nothing' if path == '/alerts' else 'jobs'}", max_depth=0)
        page = await window.open(path)

        await page.keyboard.press("j")
        assert await page.evaluate(ON_ROW)
        await page.keyboard.press("o")

        await expect(page).to_have_url(re.compile(opened))


async def test_past_the_last_row_j_goes_on_with_the_next_page_and_k_comes_back(
    window: Window, installation: Installation
) -> None:
    await _many(installation, 52)
    page = await window.open("/?order=name")
    await _stand_on_last(page)

    await page.keyboard.press("j")
    await expect(_row(page, "Quay 50")).to_be_focused()
    await page.keyboard.press("j")
    await page.keyboard.press("j")  # the last page has no next
    await expect(_row(page, "Quay 51")).to_be_focused()
    await page.keyboard.press("k")
    await page.keyboard.press("k")

    await expect(_row(page, "Quay 49")).to_be_focused()


async def test_a_list_that_renews_itself_keeps_the_row_that_somebody_is_on(
    window: Window, installation: Installation
) -> None:
    async with Origin() as origin:
        for number in range(2):
            origin.page(f"/{number}", LISTING)
            await crawled(installation, f"{origin.url}/{number}", name=f"Quay {number}", max_depth=0)
    page = await window.open("/runs?since=")
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    chosen = await page.evaluate("document.activeElement.id")
    await page.evaluate("document.activeElement.dataset.old = ''")

    await page.evaluate("document.body.dispatchEvent(new CustomEvent('lamp:runs'))")

    await expect(page.locator("[data-old]")).to_have_count(0)
    assert chosen.startswith("run-")
    await expect(page.locator(f"[id='{chosen}']")).to_be_focused()


async def _many(installation: Installation, count: int) -> None:
    service = installation.service

    async def add(db: Connection) -> None:
        stamp = Stamp("test", service.clock.now())
        for number in range(count):
            new = sources.NewSource(url=f"https://quay.example/{number}", name=f"Quay {number:02}", enabled=False)
            await sources.create(db, new, source_defaults=service.source_defaults, stamp=stamp)

    await service.db.write(add)


async def _stand_on_last(page: Page) -> None:
    await page.keyboard.press("j")
    await page.evaluate("[...document.querySelectorAll('main [data-step]')].at(-1).focus()")


def _row(page: Page, name: str) -> Locator:
    return page.locator("tr[data-step]", has_text=name)
