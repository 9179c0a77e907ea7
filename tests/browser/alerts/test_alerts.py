"""Alerts in a browser."""

from playwright.async_api import expect

from lamplighter.store.engine.database import Connection
from lamplighter.store.events import events
from tests.browser.window import Window
from tests.service.installation import Installation


async def test_an_alert_that_fires_shows_on_the_start_page_that_is_open(
    window: Window, installation: Installation
) -> None:
    service = installation.service
    page = await window.open("/")
    await expect(page.locator("#alert-strip")).to_have_count(0)

    async def give_up(db: Connection) -> None:
        now = service.clock.now()
        event_id = await events.publish(db, "SOURCE_UPDATED", source_id=None, payload={}, now=now)
        await events.give_up(db, event_id, detail="nobody could", now=now)

    await service.db.write(give_up)
    await service.notifying.watch.keep()
    await page.evaluate("document.body.dispatchEvent(new CustomEvent('lamp:runs'))")
    await page.locator("#alert-strip").click()

    alert = page.locator("#alerts-now li", has_text="There are dead letters")
    await expect(alert).to_contain_text("1 event could not be processed.")
    await alert.get_by_role("link", name="events").click()
    await expect(page.get_by_text("nobody could")).to_be_visible()
