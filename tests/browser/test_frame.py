"""What every page of the dashboard has in a browser."""

from playwright.async_api import expect

from tests.browser.window import Window


async def test_the_choice_of_dark_stays(window: Window) -> None:
    page = await window.open("/")
    await page.get_by_role("button", name="Switch between light and dark").click()
    await page.goto("/")

    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")


async def test_the_first_key_leads_past_the_menu(window: Window) -> None:
    page = await window.open("/")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")

    assert page.url.endswith("#main")
