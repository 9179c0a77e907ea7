"""Proxies in a browser."""

import pytest
from playwright.async_api import Browser, expect

from tests.browser.window import Window
from tests.origin import Origin
from tests.proxies import HttpProxy, Mood
from tests.service.installation import Installation


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

    await page.get_by_role("button", name="Disable").click()
    await expect(page.locator("tbody")).to_contain_text("disabled by an operator")
    await page.get_by_role("button", name="Remove…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.locator("main")).to_contain_text("No proxies yet.")
    await window.open("/audit?action=proxy.")

    done = page.locator(".audit tbody tr td:nth-child(3)")
    await expect(done).to_have_text(["proxy.remove", "proxy.disable", "proxy.add"])


async def test_a_matrix_is_really_tried_and_fills_by_itself(window: Window) -> None:
    async with HttpProxy(exit="127.0.0.11") as works, HttpProxy() as refuses, Origin() as origin:
        refuses.mood = Mood.REFUSE
        origin.page("/", "<title>Harbour</title>")
        asking = window.page.request
        await asking.post("/api/admin/domains", data={"base_url": f"{origin.url}/"}, fail_on_status_code=True)
        for each in (works, refuses):
            await asking.post("/api/admin/proxies", data={"proxy_url": each.url}, fail_on_status_code=True)
        page = await window.open("/proxies/trials")
        for each in (works, refuses):
            await page.get_by_label(each.address).check()
        await page.get_by_role("combobox", name="Hosts").fill(origin.address)

        await page.get_by_role("button", name="Test").click()

        await expect(page.locator("#trials")).to_contain_text("2 of 2 trials")
        await expect(page.locator("#trials td .badge")).to_have_text(["ok", "failed"])
        await expect(page.locator("#trials td").nth(1)).to_contain_text("407")
        assert [hit.peer for hit in origin.log if hit.path == "/"] == ["127.0.0.11"]
        assert await window.grave_barriers() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_nobody_is_kept_out_of_the_proxies(browser: Browser, installation: Installation, scheme: str) -> None:
    async with Window.on(browser, installation.url, color_scheme=scheme) as window:
        await _one(window)
        for path in ("/proxies", "/proxies/1", "/proxies/trials"):
            await window.open(path)
            assert await window.grave_barriers() == [], path
