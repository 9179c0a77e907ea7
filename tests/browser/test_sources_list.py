"""The list of sources in a browser: found while one types, chosen over many pages, renewed while one looks."""

from datetime import timedelta
from typing import Any

import pytest
from playwright.async_api import Page, expect

from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobState
from lamplighter.operations.sources import sources
from lamplighter.rules.sources import source_state
from lamplighter.store.jobs import tallies
from tests.browser.crawled_source import crawled
from tests.browser.window import Window
from tests.changing import add_job
from tests.origin import Answer, Origin
from tests.service.in_process import crawl_again
from tests.service.installation import Installation
from tests.service.sites import posting_html

NORTHERN, ALL = 70, 75
LISTING = "<html><body><ul>{}</ul></body></html>".format(
    "".join(f'<li><a href="/job/{n}">Keeper of lamp {n}</a></li>' for n in range(5))
)


async def add_sources(installation: Installation, **urls: str) -> None:
    """Sources that are due tomorrow, so that nobody asks for them meanwhile."""
    service = installation.service
    now = service.clock.now()
    names = (f"{'North' if number < NORTHERN else 'South'} {number:03}" for number in range(ALL))
    many = {name: f"http://127.0.0.1:9/{name[-3:]}" for name in names}

    async def add(db: Any) -> None:
        for name, url in (urls or many).items():
            submitted = sources.NewSource(url=url, name=name, max_depth=1)
            source_id = await sources.add(db, submitted, stamp=Stamp("test", now))
            due = {"next_run_at": now + timedelta(days=1), "interval": timedelta(days=1), "priority": 50}
            await add_job(db, source_id=source_id, now=now, **due)

    await service.db.write(add)


async def paused_jobs(installation: Installation) -> int:
    async with installation.service.db.read() as db:
        return source_state.by_status(await tallies.jobs(db))[JobState.PAUSED]


async def do(page: Page, action: str, question: str) -> None:
    """Presses a button of the bar, and confirms."""
    await page.get_by_role("button", name=action, exact=True).click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("heading")).to_have_text(question)
    await dialog.get_by_role("button", name=action, exact=True).click()


async def test_all_that_match_are_paused_and_resumed_in_a_few_clicks(
    window: Window, installation: Installation
) -> None:
    await add_sources(installation)
    page = await window.open("/")

    await page.get_by_role("searchbox", name="Search").press_sequentially("north")
    await expect(page.locator("#sources")).to_contain_text("70 match")
    await expect(page).to_have_url(f"{window.url}/?search=north")
    await page.get_by_role("checkbox", name="Select North 001").check()
    await page.get_by_role("checkbox", name="all 70 that match").check()
    await do(page, "Pause", "Pause 70 sources?")
    await expect(page.get_by_text("70 sources paused.")).to_be_visible()
    await expect(page.locator(".sources .badge", has_text="paused")).to_have_count(50)
    paused = await paused_jobs(installation)

    await expect(page.get_by_role("checkbox", name="Select North 001")).not_to_be_checked()
    await page.get_by_role("checkbox", name="Select all on this page").check()
    await do(page, "Resume", "Resume 50 sources?")
    await expect(page.get_by_text("50 sources resumed.")).to_be_visible()

    assert paused == 70
    assert await paused_jobs(installation) == 20


async def test_what_is_chosen_stays_so_while_pages_are_turned(window: Window, installation: Installation) -> None:
    await add_sources(installation)
    page = await window.open("/")

    await page.get_by_role("checkbox", name="Select all on this page").check()
    await page.get_by_role("link", name="Next", exact=True).click()
    await expect(page.locator("#sources")).to_contain_text("Page 2 of 2")
    await page.get_by_role("checkbox", name="Select South 074").check()
    await expect(page.locator("#chosen")).to_have_text("51 selected, 50 of them on other pages")
    await page.get_by_label("Tag to add or remove").fill("picked")
    await page.get_by_role("button", name="Add tag").click()
    await page.get_by_role("dialog").get_by_role("button", name="Add").click()
    await expect(page.get_by_text("51 sources tagged.")).to_be_visible()
    await expect(page.get_by_role("link", name="picked")).to_have_count(1)
    await page.get_by_label("Tag", exact=True).fill("picked")
    await expect(page.locator("#sources")).to_contain_text("51 match")

    await expect(page.locator("#chosen")).to_have_text("0 selected")


async def test_what_a_run_brings_arrives_in_its_row_without_a_reload(
    window: Window, installation: Installation
) -> None:
    async with Origin() as origin:
        origin.page("/jobs", LISTING)
        for number in range(5):
            origin.page(f"/job/{number}", f"<html><body><h1>Keeper of lamp {number}</h1></body></html>")
        await add_sources(installation, Quay=f"{origin.url}/jobs")
        page = await window.open("/?search=Quay")
        await page.evaluate("window.isSameDocument = true")
        row = page.locator("[data-source-row]")
        await expect(row).to_contain_text("never")

        await row.get_by_role("checkbox").check()
        await do(page, "Run now", "Run now 1 source?")
        await expect(row).to_contain_text("6 pages")

        await expect(page.locator("#overview .spark rect")).to_have_count(1)
        assert await page.evaluate("window.isSameDocument") is True


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_nobody_is_kept_out(window: Window, installation: Installation, scheme: Any) -> None:
    await window.page.emulate_media(color_scheme=scheme)
    await window.open("/")
    empty = await window.grave_barriers()
    await add_sources(installation)
    page = await window.open("/")
    await page.get_by_role("checkbox", name="Select all on this page").check()

    assert empty == []
    assert await window.grave_barriers() == []


async def test_on_a_phone_a_source_is_read_without_scrolling_sideways(
    window: Window, installation: Installation
) -> None:
    name = "The harbour board of the northern islands"
    await add_sources(installation, **{name: "http://127.0.0.1:9/jobs"})
    await window.page.set_viewport_size({"width": 390, "height": 844})
    page = await window.open("/")

    row = page.locator("[data-source-row]")
    cut_off = await page.locator(".wide").evaluate("box => box.scrollWidth > box.clientWidth")
    title = await row.get_by_role("link", name=name).evaluate(
        "link => [link.offsetWidth, link.parentElement.clientWidth]"
    )

    assert not cut_off
    assert title[0] <= title[1]
    await expect(row).to_contain_text("in 23 h")


async def test_on_a_phone_what_can_be_done_with_a_source_is_seen_once_it_is_ticked(
    window: Window, installation: Installation
) -> None:
    await add_sources(installation)
    await window.page.set_viewport_size({"width": 390, "height": 844})
    page = await window.open("/")

    await page.get_by_role("checkbox", name="Select North 002").check()

    await expect(page.get_by_role("button", name="Delete", exact=True)).to_be_in_viewport(ratio=1)


async def test_what_was_said_does_not_cover_what_can_be_done_next(window: Window, installation: Installation) -> None:
    await add_sources(installation)
    await window.page.set_viewport_size({"width": 1280, "height": 800})
    page = await window.open("/")
    await page.get_by_role("checkbox", name="Select North 002").check()

    await page.evaluate("document.body.dispatchEvent(new CustomEvent('lamp:said', {detail: {text: 'Done.'}}))")
    said = await page.get_by_text("Done.").bounding_box()
    bar = await page.get_by_role("group", name="With the selected sources").bounding_box()

    assert said is not None
    assert bar is not None
    assert said["y"] + said["height"] <= bar["y"]


async def test_a_row_has_the_same_height_whatever_it_says(window: Window, installation: Installation) -> None:
    async with Origin() as origin:
        await add_sources(installation, Quay=f"{origin.url}/nothing", Dock="http://127.0.0.1:9/dock")
        page = await window.open("/")
        before = await page.locator("[data-source-row]").evaluate_all("rows => rows.map(row => row.offsetHeight)")
        await page.get_by_role("checkbox", name="Select Quay").check()
        await do(page, "Run now", "Run now 1 source?")
        await expect(page.locator("[data-source-row]").nth(1)).to_contain_text("not_found")

        after = await page.locator("[data-source-row]").evaluate_all("rows => rows.map(row => row.offsetHeight)")

    assert after == before


async def test_a_lamp_changes_with_its_source_and_leads_to_it(window: Window, installation: Installation) -> None:
    async with Origin() as site:
        site.page("/job", posting_html(1))
        source = await crawled(installation, f"{site.url}/job", name="Quay")
        page = await window.open("/lamps")
        lamp = page.locator(".street a")
        await expect(lamp).to_have_class("healthy")

        site.route("/job", Answer(status=404))
        await crawl_again(installation.service, source.id, number=2)

        await expect(lamp).to_have_class("failing")
        assert await lamp.get_attribute("title") == "Quay: failing"
        await lamp.click()
        await expect(page.locator("h1").first).to_have_text("Quay")
