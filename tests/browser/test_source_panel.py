"""A source in the panel over the list: opened, acted on, renewed by itself, and left as one came."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Route, expect

from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobState
from lamplighter.operations.fleet import crawl_pause
from lamplighter.operations.sources import source_list, sources
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.web.dashboard.sources import source_changes
from tests.browser.window import Window
from tests.origin import Origin
from tests.service.in_process import first_run
from tests.service.installation import Installation, until
from tests.service.sites import job_board

NAME = "Quay Jobs"


@pytest_asyncio.fixture(loop_scope="session")
async def board() -> AsyncIterator[Origin]:
    """A site with a few postings."""
    async with Origin() as opened:
        job_board(opened, postings=3, per_page=3)
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def source(installation: Installation, board: Origin) -> str:
    """The path of a source that has run once."""
    service = installation.service
    new = sources.NewSource(url=f"{board.url}/jobs", name=NAME)
    now = service.clock.now()

    async def step(db: Connection) -> str:
        source_id = await sources.create(db, new, source_defaults=service.source_defaults, stamp=Stamp("test", now))
        return (await source_list.one(db, source_id)).source.public_id

    public_id = await service.db.write(step)

    async def has_run() -> bool:
        async with service.db.read() as db:
            found = await sources.find(db, public_id)
            job = await crawl_jobs.of_source(db, found.id)
        return job is not None and job.state is JobState.SCHEDULED

    await until(has_run)
    return f"/sources/{public_id}"


async def test_it_opens_over_the_list_and_leaves_it_as_it_was(window: Window, source: str) -> None:
    page = await window.open("/?search=quay")
    link = page.get_by_role("row").get_by_role("link", name=NAME).first
    panel = page.locator("#panel")

    await link.focus()
    await page.keyboard.press("Enter")
    await expect(panel.get_by_role("heading", name=NAME)).to_be_focused()
    assert page.url.endswith(source)
    await page.keyboard.press("Escape")
    await expect(panel).to_be_empty()
    await expect(link).to_be_focused()
    assert page.url.endswith("/?search=quay")
    await link.click()
    await panel.get_by_role("link", name="Runs & log").click()
    await expect(panel.get_by_role("heading", name="Event log")).to_be_visible()
    assert page.url.endswith(f"{source}/runs")
    await page.go_back()
    await expect(panel.get_by_role("heading", name="Next run")).to_be_visible()
    await page.go_back()
    await expect(panel).to_be_empty()
    assert page.url.endswith("/?search=quay")


async def test_a_renewal_that_arrives_after_the_panel_was_closed_is_dropped(window: Window, source: str) -> None:
    is_held, may_answer, is_answered = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        is_held.set()
        await may_answer.wait()
        await route.continue_()

    page = await window.open("/?search=quay")
    await page.get_by_role("row").get_by_role("link", name=NAME).first.click()
    panel = page.locator("#panel")
    await expect(panel.get_by_role("heading", name="Next run")).to_be_visible()
    await page.route(f"**{source}", hold)
    page.on("requestfinished", lambda request: is_answered.set() if request.url.endswith(source) else None)
    await page.evaluate("document.body.dispatchEvent(new CustomEvent('lamp:open'))")
    await is_held.wait()
    await page.keyboard.press("Escape")
    await expect(panel).to_be_empty()

    may_answer.set()
    await is_answered.wait()
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    await expect(panel).to_be_empty()


async def test_once_closed_it_stays_closed_and_turning_its_pages_does_not_leave_it(
    window: Window, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_changes, "SHOWN_RECORDS", 2)
    page = await window.open("/records")
    await page.get_by_role("link", name="Sources", exact=True).click()
    panel = page.locator("#panel")

    await page.get_by_role("row").get_by_role("link", name=NAME).first.click()
    await panel.get_by_role("link", name="Records", exact=True).click()
    await panel.get_by_role("link", name="Next").click()
    await expect(panel.get_by_text("3 to 3 of 3")).to_be_visible()
    assert page.url.endswith("offset=2")
    await page.keyboard.press("Escape")
    await expect(panel).to_be_empty()
    assert page.url.endswith("/")
    await page.go_back()

    await expect(page.get_by_role("heading", name="Records", level=1)).to_be_visible()
    assert page.url.endswith("/records")


async def test_an_interval_set_by_hand_changes_the_next_run_and_bad_input_stays(window: Window, source: str) -> None:
    page = await window.open("/")
    await page.get_by_role("row").get_by_role("link", name=NAME).first.click()
    panel = page.locator("#panel")
    window.expected.add(422)

    await panel.get_by_text("Set the interval by hand…").click()
    await panel.get_by_label("Minutes between runs").fill("often")
    await page.keyboard.press("Enter")
    await expect(panel.get_by_text("'often' is not a number")).to_be_visible()
    await expect(panel.get_by_label("Minutes between runs")).to_have_value("often")
    await panel.get_by_label("Minutes between runs").fill("5")
    await page.keyboard.press("Enter")

    await expect(panel.get_by_text("Its interval was changed: set to 5 min by a person.")).to_be_visible()
    await expect(panel.get_by_text("An operator set its schedule by hand: every 5 min, exactly.")).to_be_visible()
    await panel.get_by_role("button", name="Back to automatic").click()
    await expect(panel.get_by_text("automatic", exact=True)).to_be_visible()


async def test_it_is_paused_resumed_deleted_and_brought_back(window: Window, source: str) -> None:
    page = await window.open(source)

    await page.get_by_text("Pause…").click()
    await page.get_by_label("For how long").select_option("6 hours")
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_text("An operator paused it for a while; it resumes automatically.")).to_be_visible()
    await page.get_by_role("button", name="Resume").press("Enter")
    await expect(page.get_by_text("It was resumed.")).to_be_visible()
    await expect(page.get_by_role("button", name="Run now")).to_be_focused()
    await page.get_by_role("button", name="Delete…").click()
    await expect(page.get_by_role("dialog")).to_contain_text("It can be restored at any time.")
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("The source was deleted and is not crawled")).to_be_visible()
    await page.get_by_role("button", name="Restore").click()
    await expect(page.get_by_role("button", name="Delete…")).to_be_visible()


async def test_the_panel_renews_itself_and_leaves_what_is_being_typed(window: Window, source: str) -> None:
    page = await window.open("/")
    await page.get_by_role("row").get_by_role("link", name=NAME).first.click()
    panel = page.locator("#panel")
    await panel.get_by_text("Clone…").click()
    await panel.get_by_label("Name", exact=True).fill("half a na")

    await page.evaluate(f"""fetch("{source}/run", {{method: "POST", headers: {{"HX-Request": "true"}}}})""")

    await expect(panel.locator("svg.ticks a")).to_have_count(2)
    await expect(panel.locator("svg.ticks a rect.good")).to_have_count(2)
    await expect(panel.locator("#source-curves canvas")).to_have_count(2)
    await expect(panel.get_by_label("Name", exact=True)).to_have_value("half a na")
    await expect(panel.get_by_label("Name", exact=True)).to_be_focused()


async def test_a_keyboard_reaches_the_form_and_everybody_can_read_it(window: Window, source: str) -> None:
    page = await window.open("/")
    await page.get_by_role("row").get_by_role("link", name=NAME).first.click()
    panel = page.locator("#panel")
    for theme in ("light", "dark"):
        await page.emulate_media(color_scheme=theme)
        assert await window.grave_barriers() == []

    await panel.get_by_role("link", name="Edit", exact=True).focus()
    await page.keyboard.press("Enter")
    await expect(panel.get_by_label("Name", exact=True)).to_have_value(NAME)
    await panel.get_by_label("Crawl windows").fill("mon-fri 22:00-05:00 Europe/Berlin")
    await expect(panel.get_by_text("Reads as: allow mon-fri 22:00-05:00 Europe/Berlin")).to_be_visible()
    for theme in ("light", "dark"):
        await page.emulate_media(color_scheme=theme)
        assert await window.grave_barriers() == []
    await panel.get_by_role("button", name="Save").press("Enter")

    await expect(panel.get_by_text("allow mon-fri 22:00-05:00 Europe/Berlin this source")).to_be_visible()
    assert page.url.endswith(source)


@pytest.mark.parametrize("width", [1400, 390])
async def test_what_opens_below_a_button_stays_inside_the_panel(window: Window, source: str, width: int) -> None:
    await window.page.set_viewport_size({"width": width, "height": 900})
    page = await window.open("/")
    await page.get_by_role("row").get_by_role("link", name=NAME).first.click()
    panel = page.locator("#panel")
    await expect(panel.get_by_role("heading", name=NAME)).to_be_focused()

    outside = {}
    for drop in await panel.locator(".drop").all():
        await drop.locator("summary").click()
        await expect(drop.locator("form")).to_be_visible()
        if await panel.evaluate("box => box.scrollWidth > box.clientWidth"):
            outside[await drop.get_attribute("id")] = await drop.locator("form").bounding_box()
        await page.keyboard.press("Escape")

    assert outside == {}


async def test_a_run_leads_to_its_log_within_the_panel(window: Window, source: str) -> None:
    page = await window.open("/")
    await page.get_by_role("row").get_by_role("link", name=NAME).first.click()
    panel = page.locator("#panel")
    await panel.get_by_role("link", name="Runs & log").click()

    runs = panel.get_by_role("region", name="Runs")
    await expect(runs.get_by_role("link", name="Log of run 1")).to_be_visible()
    assert not await runs.evaluate("box => box.scrollWidth > box.clientWidth")


async def test_what_happened_before_the_news_began_is_shown_once_they_do(
    window: Window, installation: Installation, board: Origin
) -> None:
    may_begin = asyncio.Event()

    async def hold(route: Route) -> None:
        await may_begin.wait()
        await route.continue_()

    await window.page.route("**/sse/crawler/events", hold)
    service = installation.service
    now = service.clock.now()
    # Otherwise it might have run before the page is there.
    await service.db.write(lambda db: crawl_pause.pause(db, reason="", stamp=Stamp("test", now)))
    new = sources.NewSource(url=f"{board.url}/jobs", name=NAME)
    source_id = await service.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", now)))
    async with service.db.read() as db:
        public_id = (await source_list.one(db, source_id)).source.public_id
    page = await window.open(f"/sources/{public_id}")
    await expect(page.locator("#source-live")).to_contain_text("It has not run yet")
    await service.db.write(lambda db: crawl_pause.resume(db, stamp=Stamp("test", now)))
    service.bells.jobs.ring()
    await first_run(service, source_id)

    may_begin.set()

    await expect(page.locator("#source-live")).to_contain_text("Last run")
