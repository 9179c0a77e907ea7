"""Proxies in a browser."""

import pytest
from playwright.async_api import Browser, expect

from tests.browser.window import Window
from tests.journeys.installation import Installation


async def test_a_proxy_that_cannot_be_used_keeps_what_was_typed(window: Window) -> None:
    window.expected = {422}
    page = await window.open("/proxies")
    await page.get_by_label("Host or URL").fill("exit.example")
    await page.get_by_label("Port").fill("many")
    await page.get_by_label("City").fill("Emden")
    await page.get_by_label("Password").fill("hunter2")

    await page.get_by_role("button", name="Add the proxy").click()
    await expect(page.get_by_label("Port")).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_label("City")).to_have_value("Emden")
    await expect(page.get_by_label("Password")).to_have_value("")
    await page.get_by_label("Port").fill("8080")
    await page.get_by_role("button", name="Add the proxy").click()

    await expect(page.get_by_role("heading", level=1)).to_have_text("exit.example:8080")


async def _one(window: Window) -> None:
    page = await window.open("/proxies")
    await page.get_by_label("Host or URL").fill("http://exit.example:8080")
    await page.get_by_role("button", name="Add the proxy").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("exit.example:8080")


async def test_a_proxy_is_switched_and_removed_and_the_log_tells_of_it(window: Window) -> None:
    await _one(window)
    page = await window.open("/proxies")

    await page.get_by_role("button", name="Switch off").click()
    await expect(page.locator("tbody")).to_contain_text("switched off")
    await page.get_by_role("button", name="Remove…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.locator("main")).to_contain_text("There is no proxy.")
    await window.open("/audit?action=proxy.")

    done = page.locator(".audit tbody tr td:nth-child(3)")
    await expect(done).to_have_text(["proxy.remove", "proxy.disable", "proxy.add"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_nobody_is_kept_out_of_the_proxies(browser: Browser, installation: Installation, scheme: str) -> None:
    async with Window.on(browser, installation.url, color_scheme=scheme) as window:
        await _one(window)
        for path in ("/proxies", "/proxies/1"):
            await window.open(path)
            assert await window.grave_barriers() == [], path
