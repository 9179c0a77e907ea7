"""What every page of the dashboard has in a browser."""

from playwright.async_api import expect

from lamplighter.web.dashboard.page_request import PLACES
from tests.browser.window import Window


async def test_the_choice_of_dark_stays(window: Window) -> None:
    page = await window.open("/")
    await page.get_by_role("button", name="Switch between light and dark").click()
    await page.goto("/")

    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")


async def test_on_a_phone_every_place_of_the_menu_is_seen(window: Window) -> None:
    await window.page.set_viewport_size({"width": 390, "height": 844})
    page = await window.open("/settings")

    places = [await each.bounding_box() for each in await page.locator(".menu a").all()]

    assert len(places) == len(PLACES)
    assert all(box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in places)


async def test_the_field_that_explains_says_so_in_full(window: Window) -> None:
    await window.page.set_viewport_size({"width": 1280, "height": 800})
    page = await window.open("/")

    room, needed = await page.locator("#ask").evaluate(
        """field => {
          const style = getComputedStyle(field);
          const pen = document.createElement("canvas").getContext("2d");
          pen.font = style.font;
          const paddings = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
          return [field.clientWidth - paddings, pen.measureText(field.placeholder).width];
        }"""
    )

    # The cross that empties the field has its place in it even while there is nothing to empty.
    assert needed + 20 <= room


async def test_the_first_key_leads_past_the_menu(window: Window) -> None:
    page = await window.open("/")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")

    assert page.url.endswith("#main")
