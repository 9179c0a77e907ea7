"""Hosts in a browser: a policy that somebody edits is kept by the very next run."""

from collections.abc import AsyncIterator
from itertools import pairwise

import pytest_asyncio
from playwright.async_api import expect

from tests.browser.crawled_source import barriers_in_both_lights, crawled
from tests.browser.window import Window
from tests.origin import Origin
from tests.service.in_process import crawl_again
from tests.service.installation import Installation
from tests.service.sites import links_html, posting_html

EVIL = "<script>alert(1)</script>"


@pytest_asyncio.fixture(loop_scope="session")
async def board() -> AsyncIterator[Origin]:
    """A board with one posting, whose owner wrote strange things into robots.txt."""
    async with Origin() as opened:
        opened.robots(f"# {EVIL}\nUser-agent: *\nDisallow: /staff\n")
        opened.page("/jobs", links_html("/job/0"))
        for number in range(4):
            opened.page(f"/job/{number}", posting_html(number))
        yield opened


async def test_an_edited_delay_shows_in_the_site_s_log(
    window: Window, installation: Installation, board: Origin
) -> None:
    source = await crawled(installation, f"{board.url}/jobs")
    board.page("/jobs", links_html(*(f"/job/{number}" for number in range(4))))
    page = await window.open("/hosts")
    assert await barriers_in_both_lights(window) == []

    await page.get_by_role("link", name=board.address).click()
    await page.get_by_label("Delay between requests, ms").fill("600")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("table.in-force")).to_contain_text("600 ms")
    asked_before = len(board.log)
    await crawl_again(installation.service, source.id, number=2)

    arrivals = [hit.arrived for hit in board.log[asked_before:]]
    assert len(arrivals) >= 4
    assert min(after - before for before, after in pairwise(arrivals)) >= 0.59
    assert await barriers_in_both_lights(window) == []


async def test_the_drawer_keeps_what_was_typed_and_says_what_is_wrong(
    window: Window, installation: Installation, board: Origin
) -> None:
    source = await crawled(installation, f"{board.url}/jobs")
    window.expected.add(422)
    page = await window.open(f"/sources/{source.public_id}/trials")

    await page.get_by_role("link", name="Policy of").click()
    drawer = page.get_by_role("dialog")
    await drawer.get_by_label("Pages per run").fill("none")
    await drawer.get_by_role("button", name="Save").click()
    await expect(drawer.get_by_role("alert")).to_have_text("'none' is not a whole number")
    await expect(drawer.get_by_label("Pages per run")).to_have_value("none")
    assert await barriers_in_both_lights(window) == []
    await drawer.get_by_label("Pages per run").fill("12")
    await drawer.get_by_role("button", name="Save").click()

    await expect(drawer).to_have_count(0)
    await expect(page.locator("#toasts")).to_contain_text("saved")
    await page.get_by_role("link", name="Policy of").click()
    await expect(drawer.get_by_label("Pages per run")).to_have_value("12")


async def test_a_robots_txt_is_asked_for_anew_and_stays_text(
    window: Window, installation: Installation, board: Origin
) -> None:
    await crawled(installation, f"{board.url}/jobs")
    page = await window.open(f"/hosts/{board.address}")

    await page.get_by_role("button", name="Fetch robots.txt now").click()

    await expect(page.locator("#toasts")).to_contain_text("was fetched")
    await expect(page.get_by_role("region", name="The text of robots.txt")).to_contain_text(EVIL)
    assert len(board.hits("/robots.txt")) == 2
