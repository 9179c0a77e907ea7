"""Point and teach: a recipe is learned by clicking on the archived page, and kept or taken back."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import sqlalchemy as sa
from playwright.async_api import Browser, FrameLocator, Page, expect

from lamplighter.model.source import Source
from lamplighter.operations.sources import sources
from lamplighter.store.schema.tables import page_versions
from tests.browser.crawled_source import barriers_in_both_lights, crawled
from tests.browser.window import Window
from tests.origin import Origin
from tests.service.in_process import crawl_again
from tests.service.installation import Installation, until

OLD_RECIPE = {
    "items": ".offer:not(.promo)",
    "fields": {"title": ".headline", "url": "[href*='/offer/']", "location": ".where"},
}
TOWNS = ("Mombasa, Kenya", "Goma, DR Congo", "Lund, Sweden", "Oslo, Norway", "Porto, Portugal", "Accra, Ghana")
STYLE = """
body { margin: 0; font-family: Georgia, serif; color: #223; background: #f4f1ea; }
.mast { padding: 18px 28px; background: #24405c; color: #fff; }
.mast a { color: #cde; margin-right: 14px; }
main { padding: 18px 28px; }
.offer { margin: 12px 0; padding: 12px 16px; background: #fff; border-left: 4px solid #24405c; }
.offer .headline { font-size: 19px; font-weight: bold; }
.offer .where { color: #567; }
"""


def _offer(number: int, more: str = "") -> str:
    return (
        f'<div class="offer{more}"><div class="headline">Keeper of lamp {number}</div>'
        f'<div class="where">{TOWNS[number % 6]}</div><p class="until">Closing: {number + 2} May 2027</p>'
        f"<p>Somebody who knows oil and wicks, and does not mind the dark. Write to us soon.</p>"
        f'<a href="/about">About us</a> <a href="/offer/{number}">Details</a></div>'
    )


#: a board whose titles are no links, and whose links all say the same
BOARD = (
    f"<html lang=en><head><title>Vacancies</title><style>{STYLE}</style></head><body>"
    '<div class="mast"><b>Harbour Lights</b> <a href="/">Home</a> <a href="/about">About</a></div>'
    "<main><h1>Vacancies</h1>"
    + "".join(map(_offer, range(1, 7)))
    + '<div class="offer promo"><div class="headline">Advertise your lamps here</div>'
    + '<a href="/premium">Details</a></div>'
    + '<p><a class="on" href="/jobs?from=7">Further vacancies</a></p></main></body></html>'
)
#: the same offers in another layout, from which nothing is read without a recipe
RELAUNCHED = (
    "<html lang=en><head><title>Vacancies</title></head><body><h1>Vacancies</h1>"
    + "".join(
        f'<div class="post"><span class="name">Keeper of lamp {n}</span> <span class="spot">{TOWNS[n % 6]}</span></div>'
        for n in range(1, 7)
    )
    + "</body></html>"
)


@asynccontextmanager
async def _board(html: str = BOARD) -> AsyncIterator[Origin]:
    async with Origin() as origin:
        origin.page("/jobs", html)
        for number in range(1, 7):
            origin.page(f"/offer/{number}", f"<html><body><h1>Keeper of lamp {number}</h1></body></html>")
        yield origin


async def _recipe(installation: Installation, source: Source) -> dict[str, object]:
    async with installation.service.db.read() as db:
        return dict((await sources.find_by_url(db, source.url)).recipe)


def _archived(page: Page) -> FrameLocator:
    return page.frame_locator("#archived")


async def test_a_source_is_taught_in_five_clicks(installation: Installation, window: Window) -> None:
    async with _board() as origin:
        source = await crawled(installation, f"{origin.url}/jobs", name="Harbour Lights", max_depth=0)
        asked = len(origin.log)
        page = await window.open(f"/sources/{source.public_id}/trials")

        await page.get_by_role("link", name="Point and teach").click()
        lesson, frame = page.get_by_label("What is read"), _archived(page)
        await frame.get_by_text("Keeper of lamp 2").click()
        await expect(lesson).to_contain_text("7 rows")
        await frame.get_by_text("Advertise your lamps here").click()
        await expect(lesson).to_contain_text("6 rows")
        await frame.get_by_text("Lund, Sweden").click()
        await expect(lesson.locator(".rows-read")).to_contain_text("Goma")
        await page.get_by_role("button", name="Save as the source's recipe").click()

        await expect(page.get_by_text("The recipe was saved")).to_be_visible()
        assert window.clicks == 5
        assert await _recipe(installation, source) == {
            "items": ".offer:not(.promo)",
            "fields": {
                "title": ".headline",
                "url": '[href*="/offer/"]',
                "deadline": {"selector": ".until", "pattern": "Closing:\\s*(.+)"},
                "location": ".where",
            },
        }
        assert len(origin.log) == asked, "the stored page is read, not the site"


async def test_a_click_that_comes_before_the_last_is_answered_is_not_lost(
    installation: Installation, window: Window
) -> None:
    async with _board() as origin:
        source = await crawled(installation, f"{origin.url}/jobs", max_depth=0)
        page = await window.open(f"/sources/{source.public_id}/teach")
        lesson = page.get_by_label("What is read")
        await expect(_archived(page).get_by_text("Keeper of lamp 3")).to_have_attribute("data-lamp-mark", "title")

        await (
            _archived(page)
            .locator("body")
            .evaluate(
                "body => [...body.querySelectorAll('.headline')]"
                ".filter(node => /lamp 2|Advertise/.test(node.textContent)).forEach(node => node.click())"
            )
        )

        await expect(lesson).to_contain_text("6 rows")
        await expect(page.get_by_label("Examples").get_by_role("listitem").first).to_contain_text("Keeper of lamp 2")


async def test_a_click_that_comes_before_the_page_is_ready_does_not_load_it_anew(
    installation: Installation, window: Window
) -> None:
    async with _board() as origin:
        source = await crawled(installation, f"{origin.url}/jobs", max_depth=0)
        # Heard first of all: a click that came while the scripts were still at work.
        await window.page.add_init_script(
            "addEventListener('DOMContentLoaded', () => { const list = document.getElementById('elements');"
            " if (list) [...list.children].find(each => each.textContent.includes('lamp 2')).click(); }, true)"
        )
        pressed: list[dict[str, str]] = []
        window.page.on("request", lambda asked: pressed.append(asked.headers) if asked.method == "POST" else None)
        page = await window.open(f"/sources/{source.public_id}/teach")

        await expect(page.get_by_label("What is read")).to_contain_text("7 rows")
        assert [headers.get("hx-request") for headers in pressed] == ["true"]


async def test_what_is_chosen_in_the_list_is_shown_in_the_frame_and_moves_nothing_else(
    installation: Installation, window: Window
) -> None:
    async with _board() as origin:
        source = await crawled(installation, f"{origin.url}/jobs", max_depth=0)
        await window.page.set_viewport_size({"width": 1200, "height": 500})
        page = await window.open(f"/sources/{source.public_id}/teach")
        title = _archived(page).get_by_text("Advertise your lamps here")
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        before = await page.evaluate("scrollY")

        await page.locator("#elements button", has_text="Advertise").focus()

        async def is_shown() -> bool | None:
            return await title.evaluate(
                "node => (scrollY > 0 && node.getBoundingClientRect().top < innerHeight) || null"
            )

        assert await until(is_shown)
        assert before > 300
        assert await page.evaluate("scrollY") == before


async def test_what_is_read_already_is_outlined_and_said_beside_it(installation: Installation, window: Window) -> None:
    async with _board() as origin:
        source = await crawled(installation, f"{origin.url}/jobs", max_depth=0)
        page = await window.open(f"/sources/{source.public_id}/teach")
        title = _archived(page).get_by_text("Keeper of lamp 3")

        await expect(title).to_have_attribute("data-lamp-mark", "title")
        await expect(title).to_have_attribute("data-lamp-said", re.compile(r"title \d+%"))
        await expect(page.get_by_label("What is read")).to_contain_text("6 records read without a recipe")


async def test_a_lesson_is_held_with_the_keyboard_alone(installation: Installation, window: Window) -> None:
    async with _board() as origin:
        source = await crawled(installation, f"{origin.url}/jobs", max_depth=0)
        page = await window.open(f"/sources/{source.public_id}/teach")
        tree = page.get_by_role("tree", name="Elements of the page")
        await tree.get_by_role("treeitem").first.focus()
        for _ in range(4):
            await page.keyboard.press("ArrowDown")
        await expect(tree.get_by_role("treeitem", name="Keeper of lamp 1")).to_be_focused()

        await page.keyboard.press("Enter")

        await expect(page.get_by_label("What is read")).to_contain_text("7 rows")
        await expect(tree.get_by_role("treeitem", name="Keeper of lamp 1")).to_be_focused()
        await page.keyboard.press("End")
        await expect(tree.get_by_role("treeitem", name="Further vacancies")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Examples")).to_contain_text("Next page")


async def test_a_lesson_is_held_without_scripts(installation: Installation, browser: Browser) -> None:
    async with _board() as origin, Window.on(browser, installation.url, java_script_enabled=False) as plain:
        source = await crawled(installation, f"{origin.url}/jobs", max_depth=0)
        page = await plain.open(f"/sources/{source.public_id}/teach")

        await page.locator("#elements button", has_text="Keeper of lamp 1").click()
        await page.locator("#elements button", has_text="Advertise your lamps here").click()
        await expect(page.get_by_label("What is read")).to_contain_text("6 rows")
        await page.get_by_role("button", name="Save as the source's recipe").click()

        assert (await _recipe(installation, source))["items"] == ".offer:not(.promo)"


async def test_a_lesson_on_a_phone_is_a_list_and_keeps_nobody_out(installation: Installation, window: Window) -> None:
    async with _board() as origin:
        source = await crawled(installation, f"{origin.url}/jobs", max_depth=0)
        page = await window.open(f"/sources/{source.public_id}/teach")
        await page.locator("#elements button", has_text="Keeper of lamp 1").click()
        await expect(page.get_by_label("What is read")).to_contain_text("7 rows")

        at_a_desk = await barriers_in_both_lights(window)
        await page.set_viewport_size({"width": 390, "height": 844})

        assert at_a_desk == []
        assert await barriers_in_both_lights(window) == []
        await expect(page.locator("#archived")).to_be_hidden()
        assert await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


async def test_a_recipe_is_tried_on_every_version_and_taken_back(installation: Installation, window: Window) -> None:
    async with _board() as origin:
        source = await crawled(installation, f"{origin.url}/jobs", max_depth=0, recipe={"exclude": ["/about"]})
        origin.page("/jobs", BOARD.replace(_offer(6), ""))
        page = await window.open(f"/sources/{source.public_id}")
        await page.get_by_role("button", name="Run now").click()

        async def has_two() -> bool:
            async with installation.service.db.read() as db:
                return int(await db.scalar(sa.select(sa.func.count()).select_from(page_versions)) or 0) == 2

        await until(has_two)
        await window.open(f"/sources/{source.public_id}/teach")
        await page.locator("#elements button", has_text="Keeper of lamp 1").click()
        await expect(page.locator("#lasting")).to_have_text("matches 6 to 7 rows on each of 2 versions")
        await page.get_by_role("button", name="Save as the source's recipe").click()
        await expect(page.get_by_text("The recipe was saved")).to_be_visible()
        assert (await _recipe(installation, source))["items"] == ".offer"
        await page.get_by_role("button", name="Go back to the recipe before").click()

        await expect(page.get_by_text("is the source's recipe again")).to_be_visible()
        assert await _recipe(installation, source) == {"exclude": ["/about"]}


async def test_a_new_source_is_taught_before_it_is_added(installation: Installation, window: Window) -> None:
    async with _board() as origin:
        page = await window.open("/sources/add")
        await page.get_by_label("Address").fill(f"{origin.url}/jobs")
        await page.get_by_role("button", name="Try it").click()
        await page.get_by_role("button", name="Point and teach").click()
        await _archived(page).get_by_text("Keeper of lamp 2").click()
        await _archived(page).get_by_text("Advertise your lamps here").click()
        await expect(page.get_by_label("What is read")).to_contain_text("6 rows")
        asked = len(origin.log)
        await page.get_by_role("button", name="Watch it with this recipe").click()
        await expect(page).to_have_url(re.compile("/sources/[0-9a-f-]{36}$"))

        async with installation.service.db.read() as db:
            added = await sources.find_by_url(db, f"{origin.url}/jobs")
        assert added.recipe["items"] == ".offer:not(.promo)"
        assert asked == 2, "robots.txt and the page, each once"


async def test_after_a_new_layout_the_old_places_are_outlined_and_one_click_learns_from_them(
    installation: Installation, window: Window
) -> None:
    async with _board() as origin:
        source = await crawled(installation, f"{origin.url}/jobs", max_depth=0, recipe=OLD_RECIPE)
        origin.page("/jobs", RELAUNCHED)
        await crawl_again(installation.service, source.id, number=2)
        page = await window.open(f"/sources/{source.public_id}/teach")
        title, place = _archived(page).get_by_text("Keeper of lamp 3"), _archived(page).get_by_text("Lund, Sweden")

        await expect(title).to_have_attribute("data-lamp-mark", "was")
        await expect(place).to_have_attribute("data-lamp-said", "was place")
        await expect(title).to_have_css("outline-style", "dashed")
        await page.get_by_role("button", name="Learn from the 6 titles still on this page").click()

        await expect(title).to_have_attribute("data-lamp-mark", "title")
        await expect(page.get_by_label("Examples")).to_contain_text("Goma, DR Congo")
        await page.get_by_role("button", name="Save as the source's recipe").click()
        await expect(page.get_by_text("The recipe was saved")).to_be_visible()
        assert (await _recipe(installation, source))["fields"]["location"] == ".spot"


async def test_where_nothing_of_it_is_left_the_last_good_version_is_shown_as_it_was_read(
    installation: Installation, window: Window
) -> None:
    async with _board() as origin:
        source = await crawled(installation, f"{origin.url}/jobs", max_depth=0, recipe=OLD_RECIPE)
        origin.page("/jobs", "<html><body><p>We have a new look.</p></body></html>")
        await crawl_again(installation.service, source.id, number=2)
        page = await window.open(f"/sources/{source.public_id}/teach")

        await expect(page.get_by_label("What is read")).to_contain_text("None of its titles is still on this page")
        title = page.frame_locator("#archived-before").get_by_text("Keeper of lamp 3")
        await expect(title).to_have_attribute("data-lamp-mark", "title")
        await title.click()
        await expect(page.get_by_label("Examples")).to_have_count(0)
