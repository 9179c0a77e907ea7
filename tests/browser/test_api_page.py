"""The API reference in a browser: calls are sent from where they are described, and changes only after asking."""

from playwright.async_api import Locator, Page, expect

from tests.browser.crawled_source import barriers_in_both_lights
from tests.browser.window import Window
from tests.service.installation import Installation

HOST = "quay.example"


async def _call(window: Window, name: str) -> tuple[Page, Locator]:
    page = await window.open(f"/docs#{name}")
    call = page.locator(f"[id='{name}']")
    await expect(call.locator("form.try button")).to_be_visible()
    return page, call


async def test_a_call_with_fields_in_its_path_and_query_is_answered_in_its_place(
    window: Window, installation: Installation
) -> None:
    page, call = await _call(window, "listSources")
    await call.get_by_label("limit").fill("1")
    await call.get_by_role("button", name="Send GET").click()
    await expect(call.get_by_label("The answer")).to_contain_text('"sources": []')
    await expect(call.get_by_role("status")).to_contain_text("GET /api/v1/sources?limit=1")
    window.expected = {404}

    page, call = await _call(window, "getTag")
    await call.get_by_label("tag").fill("a/b c")
    await call.get_by_role("button", name="Send GET").click()

    await expect(call.get_by_role("status")).to_contain_text("GET /api/v1/tags/a%2Fb%20c")
    await expect(call.get_by_role("status")).to_contain_text("404")
    assert await barriers_in_both_lights(window) == []
    await page.set_viewport_size({"width": 390, "height": 844})
    assert await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


async def test_what_changes_something_is_sent_only_after_asking(window: Window, installation: Installation) -> None:
    _, call = await _call(window, "setTag")
    await call.get_by_label("tag").fill("harbour")
    await call.get_by_label("Body (JSON)").fill('{"interval_minutes": 90}')
    await call.get_by_role("button", name="Send PUT").click()
    dialog = window.page.get_by_role("dialog", name="Send this call?")
    await expect(dialog).to_contain_text("It changes this installation, as local (admin).")
    assert await barriers_in_both_lights(window) == []
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(call.get_by_role("status")).to_contain_text("Not sent.")

    await call.get_by_role("button", name="Send PUT").click()
    await dialog.get_by_role("button", name="Send").click()

    await expect(call.get_by_label("The answer")).to_contain_text('"interval_minutes": 90')
