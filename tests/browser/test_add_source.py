"""A source is tried when its address is complete, added, and its first records arrive by themselves."""

import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from tests.browser.window import Window
from tests.origin import Origin
from tests.service.installation import running
from tests.service.sites import posting_html

DELAY = 0.4
LISTED = "".join(
    f'<li><a href="/job/{n}">Keeper of lamp {n}</a> <span>Deadline: {n} May 2027</span></li>' for n in range(1, 6)
)


@asynccontextmanager
async def _board() -> AsyncIterator[Origin]:
    """A site that lists postings, each with a page of its own."""
    async with Origin() as origin:
        origin.robots("User-agent: *\nAllow: /jobs\nAllow: /job/\nDisallow: /\n")
        head = '<link rel=alternate type="application/rss+xml" href="/jobs/feed.xml">'
        origin.page("/jobs", f"<html lang=en><head>{head}</head><h1>Vacancies</h1><ul>{LISTED}</ul></html>")
        for number in range(1, 6):
            origin.page(f"/job/{number}", posting_html(number, title=f"Keeper of lamp {number}"))
        yield origin


@asynccontextmanager
async def _window(browser: Browser, folder: Path, migrated: Path) -> AsyncIterator[Window]:
    """A window on an installation that leaves a little time between two requests."""
    shutil.copyfile(migrated, folder / "lamplighter.db")
    url = f"sqlite:///{folder / 'lamplighter.db'}"
    async with (
        running(folder, url, auth_jwt_secret=None, min_delay_ms=round(1000 * DELAY)) as installation,
        Window.on(browser, installation.url) as window,
    ):
        yield window


async def _type(page: Page, text: str) -> None:
    """At the speed of somebody who types fast."""
    await page.get_by_label("Address").press_sequentially(text, delay=15)


async def test_a_source_is_tried_when_its_field_is_left_and_its_first_records_arrive_without_a_reload(
    everyday_browser: Browser, tmp_path: Path, migrated_file: Path
) -> None:
    async with _board() as origin, _window(everyday_browser, tmp_path, migrated_file) as window:
        page = await window.open("/sources/add")

        await _type(page, f"{origin.url}/jobs")
        await page.keyboard.press("Tab")
        trial = page.get_by_label("What a run would find")
        await expect(trial).to_contain_text("5 records")
        await expect(trial).to_contain_text("Allow: /jobs")
        await expect(trial).to_contain_text(f"{origin.url}/jobs/feed.xml")
        await expect(trial.get_by_role("link", name="Keeper of lamp 1")).to_be_visible()
        await page.get_by_role("button", name="Watch it").click()
        await expect(page).to_have_url(re.compile("/sources/[0-9a-f-]{36}$"))
        await page.evaluate("window.stays = true")
        await expect(page.get_by_text("Keeper of lamp 1").first).to_be_visible(timeout=120_000)

        assert await page.evaluate("window.stays") is True


async def test_typing_is_polite(browser: Browser, tmp_path: Path, migrated_file: Path) -> None:
    async with _board() as origin, _window(browser, tmp_path, migrated_file) as window:
        page = await window.open("/sources/add")
        trial = page.get_by_label("What a run would find")

        await _type(page, f"{origin.url}/jo")
        # Longer than any delay of the form: what is not complete is not asked for.
        await page.wait_for_timeout(1500)
        asked_while_typing = len(origin.log)
        await _type(page, "bs")
        await page.keyboard.press("Tab")
        await expect(trial).to_contain_text("5 records")
        await page.get_by_label("Address").press("End")
        await page.keyboard.press("Backspace")
        await page.keyboard.press("s")
        async with page.expect_response("**/sources/add/trial"):
            await page.get_by_role("button", name="Try it").click()
        await page.locator("summary", has_text="More").click()
        async with page.expect_response("**/sources/add/trial"):
            await page.get_by_label("Kind of records").select_option("job")
        await expect(trial).to_contain_text("5 records")

        assert asked_while_typing == 0
        assert [hit.path for hit in origin.log] == ["/robots.txt", "/jobs"]
        assert all(after.arrived - before.arrived >= DELAY for before, after in pairwise(origin.log))


async def test_a_source_can_be_added_with_the_keyboard_alone(window: Window) -> None:
    async with _board() as origin:
        page = await window.open("/sources/add")
        await page.keyboard.type(f"{origin.url}/jobs")
        for name in ("Watch it", "Try it"):
            await page.keyboard.press("Tab")
            await expect(page.get_by_role("button", name=name)).to_be_focused()
        await page.keyboard.press("Enter")
        trial = page.get_by_label("What a run would find")
        await expect(trial).to_contain_text("5 records")
        await page.keyboard.press("Shift+Tab")
        await page.keyboard.press("Enter")

        await expect(page).to_have_url(re.compile("/sources/[0-9a-f-]{36}$"))


async def test_nobody_is_kept_out_of_adding(window: Window) -> None:
    async with _board() as origin:
        for scheme in ("light", "dark"):
            await window.page.emulate_media(color_scheme=scheme)
            page = await window.open("/sources/add")
            await page.get_by_label("Address").fill(f"{origin.url}/jobs")
            await page.get_by_role("button", name="Try it").click()
            await expect(page.get_by_label("What a run would find")).to_contain_text("5 records")
            await page.locator("summary", has_text="More").click()

            assert await window.grave_barriers() == []


async def test_what_cannot_be_used_is_said_beside_its_field_and_kept(window: Window) -> None:
    window.expected.add(422)
    page = await window.open("/sources/add")
    await page.get_by_label("Address").fill("https://quay.example/jobs")
    await page.locator("summary", has_text="More").click()
    await page.get_by_label("Crawl windows").fill("sometimes")
    await page.get_by_role("button", name="Watch it").click()

    await expect(page.get_by_role("alert")).to_contain_text("'sometimes'")
    await expect(page.get_by_label("Crawl windows")).to_have_value("sometimes")
    await expect(page.get_by_label("Address")).to_have_value("https://quay.example/jobs")
    assert await window.grave_barriers() == []


async def test_what_was_tried_by_the_button_stays_when_the_typing_rests(window: Window) -> None:
    page = await window.open("/sources/add")
    trial = page.get_by_label("What a run would find")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/trial") else None)

    async with Origin() as origin:
        origin.page("/", f"<html lang=en><h1>Vacancies</h1><ul>{LISTED}</ul></html>")
        # Without a path: it is tried by the button only.
        await _type(page, origin.url)
        await page.get_by_role("button", name="Try it").click()
        await expect(trial).to_contain_text("5 records")
        await page.wait_for_timeout(1500)

        await expect(trial).to_contain_text("5 records")
    assert len(asked) == 1
