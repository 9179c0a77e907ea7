"""Pages and discovered links in a browser: restarted, promoted, and nobody kept out."""

import re
from collections.abc import AsyncIterator
from typing import Literal

import pytest
import pytest_asyncio
from playwright.async_api import Route, expect

from tests.browser.crawled_source import crawled
from tests.browser.window import Window
from tests.origin import Origin
from tests.service.in_process import asked
from tests.service.installation import Installation, until

LIST = '<html><head><title>Jobs</title></head><body><a href="/board">Another board</a></body></html>'
BOARD = "<html><head><title>Board</title></head><body><h1>Board</h1></body></html>"


@pytest_asyncio.fixture(loop_scope="session")
async def origin() -> AsyncIterator[Origin]:
    """A site in the loop that the browser's tests share."""
    async with Origin() as opened:
        yield opened


async def _crawled(installation: Installation, origin: Origin) -> None:
    """A source whose start page links to another, and both were read."""
    origin.page("/jobs", LIST)
    origin.page("/board", BOARD)
    await crawled(installation, f"{origin.url}/jobs", name="Quay")


async def test_a_failed_page_is_restarted_and_the_site_asked_a_second_time(window: Window, origin: Origin) -> None:
    page = await window.open("/pages/submit")
    await page.get_by_label("URL", exact=True).fill(f"{origin.url}/lamp")
    await page.get_by_role("button", name="Submit").click()
    await expect(page.locator(".page-state")).to_contain_text("not found (404)")
    before = asked(origin)
    origin.page("/lamp", BOARD)

    await page.get_by_role("button", name="Restart").click()

    await expect(page.locator(".page-state")).to_contain_text("fetched and parsed")
    assert before == ["/lamp"]
    assert asked(origin) == ["/lamp", "/lamp"]


async def _missed(window: Window, origin: Origin, path: str) -> None:
    """A page is submitted, asked for, and not there."""
    page = await window.open("/pages/submit")
    await page.get_by_label("URL", exact=True).fill(f"{origin.url}{path}")
    await page.get_by_role("button", name="Submit").click()
    await expect(page.locator(".page-state")).to_contain_text("not found (404)")


async def test_the_list_narrows_while_one_types_and_restarts_what_matches(window: Window, origin: Origin) -> None:
    for path in ("/lamp", "/kettle"):
        await _missed(window, origin, path)
    page = await window.open("/pages")

    await page.get_by_label("Part of the URL").press_sequentially("kett")
    await expect(page.locator("#pages tbody tr")).to_have_count(1)
    await expect(page.get_by_label("Part of the URL")).to_be_focused()
    await page.get_by_role("button", name="Restart matching pages").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Fetch 1 page again?")
    await page.get_by_role("button", name="Restart them").click()

    await expect(page.get_by_text("1 page will be fetched again.")).to_be_visible()

    async def look() -> bool:
        return asked(origin) == ["/lamp", "/kettle", "/kettle"]

    await until(look)


async def test_a_question_is_not_lost_when_its_list_is_renewed_while_it_is_on_the_way(
    window: Window, origin: Origin
) -> None:
    await _missed(window, origin, "/kettle")
    page = await window.open("/pages")

    async def renew_first(route: Route) -> None:
        await page.evaluate("htmx.ajax('GET', '/pages', {target: '#pages', swap: 'outerHTML'})")
        await route.continue_()

    await page.route("**/pages/restart", renew_first)
    await page.get_by_role("button", name="Restart matching pages").click()

    await expect(page.get_by_role("dialog")).to_contain_text("Fetch 1 page again?")


async def test_a_click_is_not_lost_when_its_list_is_renewed_between_press_and_release(
    window: Window, origin: Origin
) -> None:
    await _missed(window, origin, "/kettle")
    page = await window.open("/pages")
    await page.get_by_label("Part of the URL").press_sequentially("kett")
    await expect(page).to_have_url(re.compile("kett(&|$)"))

    await page.get_by_role("button", name="Restart matching pages").hover()
    async with page.expect_response("**/pages?*"):  # the field is left, and the list renewed for what was typed
        await page.mouse.down()
    await page.wait_for_timeout(300)
    async with page.expect_response("**/pages?*"):  # it is renewed after all
        await page.mouse.up()

    await expect(page.get_by_role("dialog")).to_contain_text("Fetch 1 page again?")


async def test_a_link_becomes_a_source_that_is_crawled(
    window: Window, installation: Installation, origin: Origin
) -> None:
    await _crawled(installation, origin)
    page = await window.open("/links")

    await page.get_by_role("link", name="Make it a source").click()
    await page.get_by_label("Name").fill("Second board")
    await page.get_by_label("Kind of records").select_option("job")
    await page.get_by_role("button", name="Make it a source").click()
    await expect(page.get_by_text("The source was added")).to_be_visible()

    async def look() -> bool:
        return asked(origin).count("/board") == 2

    await until(look)


async def test_ticked_links_are_ignored_together(window: Window, installation: Installation, origin: Origin) -> None:
    await _crawled(installation, origin)
    page = await window.open("/links")

    await page.get_by_label("Select http").check()
    await page.get_by_role("button", name="Ignore").click()
    await page.get_by_role("dialog").get_by_role("button", name="Ignore").click()

    await expect(page.locator("#links tbody tr")).to_contain_text("an operator chose to ignore it")


async def test_all_links_of_a_page_are_ticked_at_once(
    window: Window, installation: Installation, origin: Origin
) -> None:
    origin.page("/jobs", "".join(f'<a href="/board/{number}">Board {number}</a>' for number in range(3)))
    await crawled(installation, f"{origin.url}/jobs", name="Quay")
    page = await window.open("/links")
    everything, each = page.get_by_label("Select all on this page"), page.get_by_label("Select http")

    await everything.check()
    ticked = await each.evaluate_all("boxes => boxes.map((box) => box.checked)")
    await each.first.uncheck()
    is_partly = await everything.evaluate("box => box.indeterminate && !box.checked")

    assert ticked == [True, True, True]
    assert is_partly


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_nobody_is_kept_out_of_pages_and_links(
    window: Window, installation: Installation, origin: Origin, theme: Literal["light", "dark"]
) -> None:
    await _crawled(installation, origin)
    await window.page.emulate_media(color_scheme=theme)

    barriers = {}
    for path in ("/pages", "/pages/1", "/pages/submit", "/pages/counts", "/links", "/links/2/promote"):
        await window.open(path)
        barriers[path] = await window.grave_barriers()

    assert {path: found for path, found in barriers.items() if found} == {}
