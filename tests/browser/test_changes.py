"""What changed, in a browser: found in two clicks, read with the keyboard, saved as an alert."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import expect

from lamplighter.operations.alerts import notification_rules
from tests.browser.crawled_source import barriers_in_both_lights, crawled
from tests.browser.window import Window
from tests.origin import Origin
from tests.service.in_process import crawl_again
from tests.service.installation import Installation
from tests.service.sites import posting_html

EVIL = "<img src=x onerror=alert(1)>"


@pytest_asyncio.fixture(loop_scope="session")
async def site() -> AsyncIterator[Origin]:
    """Two postings, each watched by itself."""
    async with Origin() as opened:
        opened.page("/pilot", posting_html(1, title=f"Harbour pilot {EVIL}"))
        opened.page("/keeper", posting_html(2, title="Lamp keeper"))
        yield opened


async def _two_sources(installation: Installation, site: Origin) -> None:
    """The pilot is tagged, and what it does has changed since; the keeper is not."""
    pilot = await crawled(installation, f"{site.url}/pilot", name="Quay", tags=("harbour",))
    await crawled(installation, f"{site.url}/keeper", name="Tower")
    site.page("/pilot", posting_html(1, title=f"Harbour pilot {EVIL}").replace("lit", "bright"))
    await crawl_again(installation.service, pilot.id, number=2)


async def test_what_changed_in_a_week_on_sources_with_a_tag_is_two_clicks_away(
    window: Window, installation: Installation, site: Origin
) -> None:
    await _two_sources(installation, site)
    page = await window.open("/changes")
    await expect(page.get_by_role("article")).to_have_count(3)

    await page.goto("/")
    await page.get_by_role("link", name="Latest changes").click()
    await page.locator(".chosen-filters").get_by_role("link", name="harbour").click()

    await expect(page.get_by_role("article")).to_have_count(2)
    assert window.clicks == 2
    newest = page.get_by_role("article").first
    await expect(newest).to_contain_text("1 changed")
    await expect(newest.locator("del")).to_have_text("lit")
    await expect(newest.locator("ins")).to_have_text("bright")
    assert "tag=harbour" in page.url
    assert "period=7d" in page.url
    await expect(page.locator("main img")).to_have_count(0)
    assert await barriers_in_both_lights(window) == []


async def test_entries_are_read_starred_and_opened_with_the_keyboard(
    window: Window, installation: Installation, site: Origin
) -> None:
    await _two_sources(installation, site)
    page = await window.open("/changes")
    unread = page.locator(".menu .unread")
    await expect(unread).to_contain_text("3")

    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await expect(page.get_by_role("article").nth(1)).to_be_focused()
    await page.keyboard.press("k")
    await page.keyboard.press("m")
    await expect(page.locator("article.read")).to_have_count(1)
    await expect(page.get_by_role("article").first).to_be_focused()
    await page.keyboard.press("s")
    await expect(page.get_by_role("button", name="Remove the star")).to_be_visible()
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keys")).to_contain_text("mark it as read")
    assert await barriers_in_both_lights(window) == []
    await page.keyboard.press("Escape")
    await page.keyboard.press("/")
    await expect(page.get_by_label("Words")).to_be_focused()
    await page.keyboard.type("j")
    await expect(page.get_by_label("Words")).to_have_value("j")
    await page.goto("/changes")
    await expect(unread).to_contain_text("2")
    await page.keyboard.press("j")
    await page.keyboard.press("o")

    await expect(page.locator("h1")).to_contain_text("Harbour pilot")


async def test_a_view_is_saved_as_an_alert(window: Window, installation: Installation, site: Origin) -> None:
    await _two_sources(installation, site)
    page = await window.open("/settings/notifications/channels/new")
    await page.get_by_label("Name").fill("Me")
    await page.get_by_label("Target").fill(f"{site.url}/hook")
    await page.get_by_role("button", name="Add").click()

    await page.goto("/changes?tag=harbour&change=changed")
    await page.get_by_text("Save this view").click()
    await page.get_by_label("When").select_option("once a week")
    assert await barriers_in_both_lights(window) == []
    await page.get_by_role("button", name="Save as an alert").click()

    await expect(page.locator(".said, .toast")).to_contain_text("1 notification rule")
    async with installation.service.db.read() as db:
        (saved,) = await notification_rules.listed(db)
    assert (saved.rule.kind, saved.rule.tag, saved.rule.digest_minutes) == ("records.changed", "harbour", 10080)


async def test_a_price_is_scrubbed(window: Window, installation: Installation, site: Origin) -> None:
    def kettle(price: str) -> str:
        offer = f'{{"@type": "Offer", "price": "{price}", "priceCurrency": "EUR"}}'
        data = f'{{"@context": "https://schema.org", "@type": "Product", "name": "Kettle", "offers": {offer}}}'
        return (
            f'<html><head><script type="application/ld+json">{data}</script></head><body><h1>Kettle</h1></body></html>'
        )

    site.page("/kettle", kettle("20.00"))
    source = await crawled(installation, f"{site.url}/kettle", name="Shop")
    for number, price in ((2, "15.00"), (3, "18.00")):
        site.page("/kettle", kettle(price))
        await crawl_again(installation.service, source.id, number=number)

    page = await window.open("/changes")
    await expect(page.get_by_role("article").first).to_contain_text("▲ +20.0")
    await page.get_by_role("link", name="Kettle").first.click()
    value = page.locator("#over-time .chart .number")
    await expect(value).to_have_text("18.00")
    await page.get_by_label("Version").focus()
    await page.keyboard.press("ArrowLeft")
    await expect(value).to_have_text("15.00")
    await expect(page.locator("#over-time")).to_contain_text("▼ −25.0")
    await page.keyboard.press("Home")

    await expect(value).to_have_text("20.00")
    assert await barriers_in_both_lights(window) == []
