"""Crawling in a browser: a run that is watched, the switch that stops it all, an event handled again, plots, lanes."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import datetime, timedelta, timezone

import pytest
import pytest_asyncio
import sqlalchemy as sa
from playwright.async_api import Browser, expect

from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.model.run_log import LogAction
from lamplighter.operations.hosts import hosts
from lamplighter.operations.sources import sources
from lamplighter.store.engine.database import Connection
from lamplighter.store.events import events
from lamplighter.store.runs import run_hours, run_log
from lamplighter.store.schema import tables
from tests.browser.crawled_source import barriers_in_both_lights
from tests.browser.window import Window
from tests.origin import Origin
from tests.service.installation import Installation, until
from tests.service.sites import job_board

POSTINGS = 12
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest_asyncio.fixture(loop_scope="session")
async def origin() -> AsyncIterator[Origin]:
    """A site in the browser's loop."""
    async with Origin() as opened:
        yield opened


async def watch(installation: Installation, origin: Origin, *, delay_ms: int) -> str:
    """A source of a board whose host is asked slowly; returns the path of its first run, which goes on."""
    service, now = installation.service, installation.service.clock.now()
    new = sources.NewSource(url=origin.url + "/jobs", name=f"Quay {HOSTILE}")

    await slow_down(installation, origin, delay_ms=delay_ms)
    await service.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", now)))
    service.bells.events.ring()

    async def opened() -> str | None:
        async with service.db.read() as db:
            found: str | None = await db.scalar(sa.select(tables.crawl_runs.c.public_id))
            return found

    return f"/runs/{await until(opened)}"


async def slow_down(installation: Installation, origin: Origin, *, delay_ms: int) -> None:
    """From now on there is so much time between two requests."""
    service, now = installation.service, installation.service.clock.now()
    await service.db.write(
        lambda db: hosts.set_policy(db, origin.address, HostChange(min_delay_ms=delay_ms), stamp=Stamp("test", now))
    )


async def asked_for(origin: Origin, pages: int) -> bool:
    return len([hit for hit in origin.log if hit.path != "/robots.txt"]) >= pages


async def test_a_log_is_followed_while_its_run_goes_on_and_says_when_it_has_ended(
    window: Window, installation: Installation, origin: Origin
) -> None:
    job_board(origin, postings=4, per_page=4)
    origin.route("/job/2", status=404, body=HOSTILE)
    run = await watch(installation, origin, delay_ms=1500)

    page = await window.open(run)
    lines = page.locator(".log-lines li")
    await expect(lines.first).to_contain_text("opened (schedule)")
    await expect(page.locator("#log-state")).to_contain_text("live")
    barriers = await window.grave_barriers()
    await expect(lines.filter(has_text="/job/2").filter(has_text="not_found")).to_have_count(1)
    await expect(page.locator("#run-figures .badge").first).to_have_text("ok")
    await expect(page.locator("#log-state")).not_to_contain_text("live")
    await page.get_by_label("Text", exact=True).fill("opened")

    await expect(page.locator(".log-lines li:visible")).to_have_count(1)
    assert barriers == []


async def test_lines_that_come_while_one_watches_stay_text_and_do_not_pull_a_reader_down(
    window: Window, installation: Installation, origin: Origin
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)
    run = await watch(installation, origin, delay_ms=2000)
    page = await window.open(run)
    box = page.locator(".log-lines")

    await _write(installation, *(f"line {number}" for number in range(80)))
    await expect(box).to_contain_text("line 79")
    followed = await box.evaluate("box => box.scrollTop > 0")
    await box.evaluate("box => box.scrollTo(0, 0)")
    await expect(page.get_by_label("Follow")).not_to_be_checked()
    await _write(installation, HOSTILE)
    await expect(box).to_contain_text(HOSTILE)

    assert followed
    assert await box.evaluate("box => box.scrollTop") == 0
    assert await page.locator(".log-lines img, h1 img").count() == 0
    assert await window.grave_barriers() == []


async def test_the_log_tells_the_time_of_the_viewer_s_zone(
    browser: Browser, installation: Installation, origin: Origin
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)
    run = await watch(installation, origin, delay_ms=2000)
    async with Window.on(browser, installation.url, timezone_id="Asia/Kathmandu") as window:
        page = await window.open(run)
        box = page.locator(".log-lines")
        await _write(installation, "written while one watches")
        await expect(box).to_contain_text("written while one watches")

        shown = await box.locator("time").evaluate_all("times => times.map(time => [time.dateTime, time.textContent])")

    kathmandu = timezone(timedelta(hours=5, minutes=45))
    assert shown
    assert all(f"{datetime.fromisoformat(at).astimezone(kathmandu):%H:%M:%S}" == text for at, text in shown)


async def _write(installation: Installation, *messages: str) -> None:
    service, now = installation.service, installation.service.clock.now()

    async def work(db: Connection) -> None:
        run_id = await db.scalar(sa.select(tables.crawl_runs.c.id))
        lines = [run_log.line(run_id, LogAction.PAGE_FAILED, text, at=now, url=HOSTILE) for text in messages]
        await run_log.write(db, lines)

    await service.db.write(work)


async def test_pausing_all_silences_every_site_until_somebody_resumes(
    window: Window, installation: Installation, origin: Origin
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)
    page = await window.open("/crawl")
    run = await watch(installation, origin, delay_ms=200)
    await until(lambda: asked_for(origin, 3))
    # Somebody who fills in a form, in a browser that has to wait for its turn, takes as long as it takes.
    await slow_down(installation, origin, delay_ms=4_000)

    await page.get_by_text("Pause all…").click()
    await page.get_by_role("textbox", name="Why").fill("the proxies move")
    await page.get_by_role("button", name="Pause all crawling").click()
    await expect(page.get_by_text("by local: the proxies move.")).to_be_visible()
    await until(lambda: _is_silent(installation))
    await slow_down(installation, origin, delay_ms=10)
    before = len(origin.log)
    barriers = await window.grave_barriers()
    await asyncio.sleep(1)
    meanwhile = len(origin.log)
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_text("Crawling is paused")).to_have_count(0)
    await until(lambda: asked_for(origin, POSTINGS + 1))

    await page.goto(run)
    await expect(page.locator("#run-figures .badge").first).to_have_text("ok")
    assert before == meanwhile < POSTINGS
    assert barriers == []


async def _is_silent(installation: Installation) -> bool:
    return not installation.service.door.turns.held


async def test_a_dead_letter_is_retried_and_another_discarded_after_a_question(
    window: Window, installation: Installation
) -> None:
    await _dead_letters(installation, "first", "second")
    page = await window.open("/events/dead-letters")
    barriers = await window.grave_barriers()

    await page.locator(".letter", has_text="first").get_by_role("button", name="Retry").click()
    await expect(page.locator(".letter")).to_have_count(1)
    await page.get_by_role("button", name="Discard").click()
    await page.get_by_role("dialog").get_by_role("button", name="Discard").click()

    await expect(page.get_by_text("No dead letters")).to_be_visible()
    assert barriers == []


async def _dead_letters(installation: Installation, *reasons: str) -> None:
    """Events that were given up, each about a source that is gone by now, so that trying them again is harmless."""
    service, now = installation.service, installation.service.clock.now()
    for reason in reasons:

        async def work(db: Connection, reason: str = reason) -> None:
            event_id = await events.publish(db, "SOURCE_UPDATED", source_id=None, payload={}, now=now)
            await events.give_up(db, event_id, detail=f"{reason} {HOSTILE}", now=now)

        await service.db.write(work)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_nobody_is_kept_out_of_the_pages_about_crawling(
    window: Window, installation: Installation, origin: Origin, scheme: str
) -> None:
    job_board(origin, postings=2, per_page=2)
    run = await watch(installation, origin, delay_ms=0)
    await window.page.emulate_media(color_scheme="light" if scheme == "light" else "dark")

    for path in ("/crawl", "/runs", run, f"{run}/log", "/instances", "/events"):
        await window.open(path)
        assert await window.grave_barriers() == [], path


async def test_the_legend_tells_the_value_under_the_pointer_and_the_range_stays_in_the_address(
    window: Window, installation: Installation
) -> None:
    service = installation.service
    first = run_hours.hour_of(service.clock.now()) - 200
    rows = [
        {"hour": first + number, "runs": 1, "pages_fetched": 3, "pages_unchanged": 2, "pages_failed": 0}
        | {"pages_refused": 0, "records_inserted": 0, "records_updated": 0, "records_unchanged": 0, "bytes_fetched": 5}
        for number in range(200)
    ]
    async with service.db.exclusive() as db:
        await db.execute(sa.insert(tables.run_hours), rows)
    page = await window.open("/crawl")

    await page.get_by_role("link", name="7 d", exact=True).click()
    await expect(page).to_have_url(re.compile(r"/crawl\?period=7d$"))
    plot = page.locator("figure.plot", has_text="Pages per 4 hours")
    await plot.locator(".u-over").hover()
    await page.reload()
    await plot.locator(".u-over").hover()

    await expect(plot.locator(".u-legend")).to_contain_text(re.compile(r"fetched:?\s*12 pages"))
    await expect(plot.locator(".u-legend")).to_contain_text(re.compile(r"not modified:?\s*8 pages"))
    await expect(page.locator("#period-7d")).to_have_attribute("aria-current", "true")


async def test_the_lane_of_a_host_shows_its_requests_and_the_next_turn_while_it_is_fetched(
    window: Window, installation: Installation, origin: Origin
) -> None:
    job_board(origin, postings=6, per_page=6)
    await watch(installation, origin, delay_ms=1000)

    page = await window.open("/crawl")
    lane = page.locator(".lanes li", has_text=origin.address)
    await expect(lane.locator("path.fetched")).to_have_count(1)
    await expect(lane.locator("path.next")).to_have_count(1)
    await expect(lane).to_contain_text(re.compile(r"delay 1 s, shortest gap 1(\.\d+)? s"))

    assert await barriers_in_both_lights(window) == []
