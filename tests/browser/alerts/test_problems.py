"""The inbox of problems in a browser: found, understood and mended in a few clicks."""

import re

import pytest
from playwright.async_api import expect

from lamplighter.model.access import Stamp
from lamplighter.operations.alerts import problems
from lamplighter.operations.sources import sources
from lamplighter.store.engine.database import Connection
from tests.browser.crawled_source import barriers_in_both_lights, crawled
from tests.browser.window import Window
from tests.origin import Origin, redirect
from tests.service.in_process import crawl_again
from tests.service.installation import Installation, until
from tests.service.sites import LISTING, posting_html

BOARDS = 40


def boards(origin: Origin) -> None:
    """Boards with a second page, each with two postings on one page."""
    for board in range(BOARDS):
        for page in (1, 2):
            following = f'<a rel="next" href="/board/{board}?page=2">Next</a>' if page == 1 else ""
            links = "".join(f'<li><a href="/job/{board}-{page}-{n}">Keeper {board} {page} {n}</a></li>' for n in (1, 2))
            path = f"/board/{board}" if page == 1 else f"/board/{board}?page=2"
            origin.page(path, f"<html><body><ul>{links}</ul>{following}</body></html>")
            for n in (1, 2):
                origin.page(f"/job/{board}-{page}-{n}", posting_html(n, title=f"Keeper {board} {page} {n}"))


async def crawl_boards(installation: Installation, origin: Origin) -> None:
    """Watches every board with too few pages, and waits until each was cut short."""
    service = installation.service

    async def add(db: Connection) -> None:
        stamp = Stamp("test", service.clock.now())
        for board in range(BOARDS):
            new = sources.NewSource(url=f"{origin.url}/board/{board}", name=f"Board {board}", max_pages=1)
            await sources.create(db, new, source_defaults=service.source_defaults, stamp=stamp)

    await service.db.write(add)
    service.bells.jobs.ring()

    async def are_cut() -> bool:
        return await _concerned(installation) == BOARDS

    await until(are_cut)


async def _concerned(installation: Installation) -> int:
    """How many sources have a problem."""
    service = installation.service
    async with service.db.read() as db:
        found = await problems.inbox(db, limit=100, offset=0, now=service.clock.now())
    return sum(len(view.problem.sources) for view in found.problems)


async def test_why_forty_sources_are_behind_is_found_and_mended_in_three_clicks(
    window: Window, installation: Installation
) -> None:
    async with Origin() as origin:
        boards(origin)
        await crawl_boards(installation, origin)
        page = await window.open("/")

        await page.get_by_role("link", name="40 sources of").click()
        await expect(page.locator("h1")).to_contain_text("are cut short at 1 page")
        await page.get_by_role("button", name="Raise for 40").click()
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_contain_text("Raise max pages of 40 sources to 100?")
        await expect(dialog).to_contain_text("A run may fetch up to 100 pages, now up to 1.")
        await dialog.get_by_role("button", name="Raise").click()
        await expect(page.get_by_text("40 sources given more pages.")).to_be_visible()
        assert window.clicks == 3

        async def is_mended() -> bool:
            return await _concerned(installation) == 0

        await until(is_mended)
        await page.goto("/")
        await expect(page.get_by_text("No problems")).to_be_visible()
        assert {hit.path for hit in origin.log if "page=2" in hit.path} == {f"/board/{n}?page=2" for n in range(BOARDS)}


@pytest.mark.parametrize("scripts", [True, False])
async def test_a_problem_is_snoozed_and_comes_back_on_request_and_keeps_nobody_out(
    window: Window, installation: Installation, scripts: bool
) -> None:
    async with Origin() as origin:
        boards(origin)
        await crawl_boards(installation, origin)
    options = {"viewport": {"width": 390, "height": 844}, "java_script_enabled": scripts}
    browser = window.page.context.browser
    assert browser is not None
    async with Window.on(browser, installation.url, **options) as phone:
        page = await phone.open("/alerts")
        barriers = await barriers_in_both_lights(phone) if scripts else []
        is_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        overflows = await page.evaluate(is_wide)

        await page.get_by_role("button", name="Snooze a week").click()
        await expect(page.get_by_role("heading", name="Snooze this problem of 40 sources for a week?")).to_be_visible()
        await page.get_by_role("button", name="Snooze", exact=True).click()
        await expect(page.get_by_text("Nothing needs you but what is snoozed")).to_be_visible()
        await page.get_by_text("1 problem snoozed").click()
        await expect(page.get_by_text(re.compile("by local until"))).to_be_visible()
        await page.get_by_role("button", name="End the snooze").click()
        await expect(page.get_by_role("heading", name="are cut short at 1 page")).to_be_visible()

    assert barriers == []
    assert not overflows


async def test_a_source_that_moved_is_given_its_new_address(window: Window, installation: Installation) -> None:
    async with Origin() as origin:
        origin.route("/old", redirect("/jobs", 301))
        origin.page("/jobs", LISTING)
        source = await crawled(installation, f"{origin.url}/old", name="Quay", max_depth=0)
        page = await window.open("/alerts")

        await expect(page.get_by_role("heading", name=f"Quay moved for good to {origin.url}/jobs")).to_be_visible()
        await page.get_by_role("button", name="Follow for good").click()
        await expect(page.get_by_role("dialog")).to_contain_text(f"{origin.url}/old becomes {origin.url}/jobs")
        await page.get_by_role("button", name="Change the address").click()
        await expect(page.get_by_text("1 source moved to the new address.")).to_be_visible()

        async def is_well() -> bool:
            return await _concerned(installation) == 0

        await until(is_well)
        found = await installation.service.db.write(lambda db: sources.find(db, source.public_id))
        assert found.url == f"{origin.url}/jobs"


async def test_a_drift_is_shown_by_the_page_before_and_after(window: Window, installation: Installation) -> None:
    async with Origin() as origin:
        origin.page("/jobs", LISTING)
        source = await crawled(installation, f"{origin.url}/jobs", name="Quay", max_depth=0)
        origin.page("/jobs", "<html><body><p>We have a new look.</p></body></html>")
        await crawl_again(installation.service, source.id, number=2)
        page = await window.open("/")

        await page.goto("/alerts")
        problem = page.locator("#problems li", has_text="no records shown where 7 are usual")
        await expect(problem).to_contain_text("7 records")
        await expect(problem.get_by_role("link", name="Point and teach")).to_be_visible()
        await problem.get_by_role("link", name="before", exact=True).click()
        await expect(page).to_have_url(re.compile("/teach.*version=1"))
        await page.goto("/alerts")
        await page.get_by_role("link", name="no records shown where 7 are usual").click()
        both = page.get_by_role("region", name="The last good run and the first bad one")
        await expect(
            both.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Records shown"))
        ).to_have_text(re.compile(r"7\s*0"))
        await expect(page.get_by_role("region", name="What changed on the page")).to_contain_text("We have a new look.")
        assert await barriers_in_both_lights(window) == []
        await page.get_by_role("link", name="compare the versions before and after").click()

        await expect(page.locator("main")).to_contain_text("We have a new look.")
        await expect(page.locator("main")).to_contain_text("Lamplighter of district 7")
