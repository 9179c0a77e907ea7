"""Notifications in a browser: a channel is added, tried, and told what to say."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.crawled_source import barriers_in_both_lights
from tests.browser.window import Window
from tests.origin import Origin

BASE = "/settings/notifications"


@pytest_asyncio.fixture(loop_scope="session")
async def receiver() -> AsyncIterator[Origin]:
    """Takes whatever is sent to it."""
    async with Origin() as opened:
        opened.route("/hook", status=200)
        yield opened


async def _added(window: Window, receiver: Origin) -> Page:
    page = await window.open(BASE)
    await page.get_by_role("link", name="Add a channel").first.click()
    await page.get_by_label("Name", exact=True).fill("Ops room")
    await page.get_by_label("Target").fill(f"{receiver.url}/hook")
    await page.get_by_role("button", name="Add the channel").click()
    await expect(page.get_by_role("heading", name="Ops room")).to_be_visible()
    return page


async def test_a_channel_is_added_and_tried_and_gets_its_rule(window: Window, receiver: Origin) -> None:
    page = await _added(window, receiver)

    await page.get_by_role("button", name="Test").click()
    await expect(page.locator("#toasts")).to_contain_text("Test of Ops room sent: HTTP 200 in")
    await expect(page.locator("main")).to_contain_text("last sent")
    assert [hit.method for hit in receiver.hits("/hook")] == ["POST"]
    assert await barriers_in_both_lights(window) == []
    await page.get_by_role("link", name="Add a rule").click()
    await expect(page.get_by_label("Threshold")).to_be_visible()
    await page.get_by_label("Event").select_option("New records")
    await expect(page.get_by_label("Words")).to_be_visible()
    await expect(page.get_by_label("Threshold")).to_have_count(0)
    await expect(page.get_by_label("Tag", exact=True)).to_be_hidden()
    await page.get_by_label("Sources", exact=True).select_option("sources with a tag")
    await expect(page.get_by_label("Tag", exact=True)).to_be_visible()
    await page.get_by_label("Sources", exact=True).select_option("all sources, and the installation")
    assert await barriers_in_both_lights(window) == []
    await page.get_by_role("button", name="Add the rule").click()

    await expect(page.get_by_role("region", name="Rules")).to_contain_text("New records")
    assert await barriers_in_both_lights(window) == []
    await page.get_by_role("link", name="Notification log").click()
    await page.get_by_label("State").select_option("dead")
    await expect(page.get_by_text("No notification matches.")).to_be_visible()
    await page.get_by_label("State").select_option("sent")
    await expect(page.get_by_text("Test from Lamplighter")).to_be_visible()
    assert await barriers_in_both_lights(window) == []


async def test_the_preview_follows_what_is_typed(window: Window, receiver: Origin) -> None:
    window.expected.add(422)
    page = await _added(window, receiver)
    preview = page.get_by_role("region", name="Preview")

    await page.get_by_label("Text", exact=True).fill("Look at {{ nobody }}")
    await expect(preview).to_contain_text("there is no {{ nobody }}")
    await page.get_by_label("Text", exact=True).fill("Look at {{ source }}")
    await expect(preview).to_contain_text("Look at Example jobs")
    await page.get_by_label("Preview for").select_option("New records")
    await expect(preview).to_contain_text("new record")
    await page.get_by_role("button", name="Save").click()

    await expect(page.locator("main")).to_contain_text("The channel was saved.")
    await expect(page.get_by_label("Text", exact=True)).to_have_value("Look at {{ source }}")
