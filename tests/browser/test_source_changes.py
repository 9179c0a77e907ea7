"""What a source has brought, in a browser: a change reads as a difference, and trying the stored page asks nobody."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import expect

from tests.browser.crawled_source import barriers_in_both_lights, crawled
from tests.browser.window import Window
from tests.origin import Origin
from tests.service.in_process import crawl_again
from tests.service.installation import Installation
from tests.service.sites import posting_html

EVIL = "<img src=x onerror=alert(1)>"


@pytest_asyncio.fixture(loop_scope="session")
async def site() -> AsyncIterator[Origin]:
    """A single posting."""
    async with Origin() as opened:
        opened.page("/job", posting_html(1, title=f"Harbour pilot {EVIL}"))
        yield opened


async def test_what_changed_between_two_runs_reads_as_a_difference(
    window: Window, installation: Installation, site: Origin
) -> None:
    source = await crawled(installation, f"{site.url}/job", name=f"Quay {EVIL}")
    site.page("/job", posting_html(1, title=f"Harbour pilot {EVIL}").replace("Keep lamp 1 lit", "Keep lamp 1 bright"))
    await crawl_again(installation.service, source.id, number=2)

    page = await window.open(f"/sources/{source.public_id}/changes")
    await expect(page.locator("del")).to_have_text("lit")
    await expect(page.locator("ins")).to_have_text("bright")
    await expect(page.get_by_role("link", name="run 2")).to_be_visible()
    assert await barriers_in_both_lights(window) == []
    await page.get_by_role("link", name="Side by side").click()
    await expect(page.get_by_role("columnheader", name="Before")).to_be_visible()
    assert await barriers_in_both_lights(window) == []

    await expect(page.locator("main img")).to_have_count(0)


async def test_two_versions_of_a_page_are_compared(window: Window, installation: Installation, site: Origin) -> None:
    source = await crawled(installation, f"{site.url}/job")
    site.page("/job", posting_html(1, title="Harbour master"))
    await crawl_again(installation.service, source.id, number=2)

    page = await window.open(f"/sources/{source.public_id}/versions")
    assert await barriers_in_both_lights(window) == []
    await page.get_by_role("link", name="compare").click()
    await expect(page.locator("ins").first).to_contain_text("master")
    await page.get_by_label("Of", exact=True).select_option("source")
    await page.get_by_label("Show", exact=True).select_option("lines")
    await page.get_by_role("button", name="Compare").click()

    await expect(page.locator("tr.gone").first).to_contain_text(EVIL)
    await expect(page.locator("main img")).to_have_count(0)
    assert await barriers_in_both_lights(window) == []


async def test_the_versions_of_a_page_are_scrubbed(window: Window, installation: Installation, site: Origin) -> None:
    site.page("/tide", "<h1>Tide</h1><p>High at noon.</p>")
    source = await crawled(installation, f"{site.url}/tide")
    for number, word in ((2, "dusk"), (3, "dawn")):
        site.page("/tide", f"<h1>Tide</h1><p>High at {word}.</p>")
        await crawl_again(installation.service, source.id, number=number)

    page = await window.open(f"/sources/{source.public_id}/versions")
    await page.locator("main td a").first.click()
    shown = page.locator("#at-version")
    await expect(shown.locator("ins")).to_have_text("dawn")
    await page.get_by_label("Version", exact=True).focus()
    await page.keyboard.press("ArrowLeft")

    await expect(shown.locator("ins")).to_have_text("dusk")
    await expect(shown.locator("del")).to_have_text("noon")
    assert await barriers_in_both_lights(window) == []


async def test_trying_the_stored_page_asks_nothing_of_the_site(
    window: Window, installation: Installation, site: Origin
) -> None:
    source = await crawled(installation, f"{site.url}/job")
    page = await window.open(f"/sources/{source.public_id}/trials")
    asked_before = len(site.log)

    await page.get_by_role("button", name="Test the extraction").click()
    await expect(page.get_by_role("region", name="Record 1")).to_contain_text("jsonld")
    await page.get_by_label("Recipe").fill('{"items": "body", "fields": {"title": "h1"}}')
    await page.get_by_role("button", name="Test the extraction").click()
    await expect(page.locator(".trial-result")).to_contain_text("recipe")
    assert len(site.log) == asked_before
    assert await barriers_in_both_lights(window) == []

    await page.get_by_role("button", name="Test fetch").click()
    await expect(page.locator("#fetch-result")).to_contain_text("200")
    assert [hit.method for hit in site.log[asked_before:]] == ["HEAD"]
