"""Sites that ask for a day or more between two requests: every page has its turn, judged by their access log."""

import asyncio
from collections import Counter
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.schema import tables
from tests.journeys import unattended
from tests.journeys.unattended import Household, left_alone, virtual_loop
from tests.origin import Origin, redirect
from tests.service.sites import job_board, links_html, posting_html
from tests.witness import Policy, RobotsText, report, violations

HOUR = 3600.0
#: so often the loops look, which is well within the hour for which a turn may be late
LOOK = timedelta(minutes=30)
#: the loops without which nothing would be fetched
_NEEDED = {"deliver", "heartbeat", "janitor", "leads", "scheduler", "standstill"}


def _on_virtual_time(patches: pytest.MonkeyPatch, life: Any) -> None:
    patches.setattr(unattended, "LOOK", LOOK)
    patches.setattr(unattended, "RARELY", LOOK)
    patches.setattr(unattended, "LOST_AFTER", 3 * LOOK)
    for name in ("poll_seconds", "metrics_seconds"):
        patches.setitem(unattended.SETTINGS, name, LOOK.total_seconds())
    patches.setitem(unattended.SETTINGS, "lease_seconds", 4 * LOOK.total_seconds())
    loop = virtual_loop(patches)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(life(loop))


async def _watch(house: Household, *urls: str, interval: timedelta = timedelta(days=20)) -> None:
    house.stuck |= {loop.name for loop in house.service.loops} - _NEEDED
    for url in urls:
        new = NewSource(url=url, interval=interval)
        await house.db.write(lambda db, new=new: sources.add(db, new, stamp=Stamp("test", house.now)))  # type: ignore[misc]
    house.service.bells.events.ring()


@pytest.mark.parametrize("hours", [13, 36])
def test_c10_with_a_long_crawl_delay_turns_alternate_between_robots_txt_and_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    text = f"User-agent: *\nCrawl-delay: {hours * 3600}\n"
    seen: dict[str, Any] = {}

    async def life(loop: unattended.VirtualTime) -> None:
        async with Origin(clock=loop.time) as origin:
            origin.robots(text)
            job_board(origin, postings=1, per_page=1)
            async with left_alone(tmp_path, free_bytes=lambda _: 100 << 30) as house:
                await _watch(house, origin.url + "/jobs")
                await house.sleep_until(3 * hours + 1)
                seen.update(log=origin.log, address=origin.address, runs=await house.rows(tables.crawl_runs))

    _on_virtual_time(monkeypatch, life)

    found = violations(seen["log"], {seen["address"]: Policy(delay=3, robots=[RobotsText(text=text)])})
    assert found == [], report(found)
    assert [hit.path for hit in seen["log"]] == ["/robots.txt", "/jobs", "/robots.txt", "/job/0"]
    assert [(run.outcome, run.pages_fetched) for run in seen["runs"]] == [("ok", 2)]


def test_c10_a_run_that_begins_in_the_middle_of_a_long_delay_waits_for_the_next_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}

    async def life(loop: unattended.VirtualTime) -> None:
        async with Origin(clock=loop.time) as origin:
            origin.robots("User-agent: *\nCrawl-delay: 72000\n")
            for path in ("/first", "/second"):
                origin.page(path, "<html><body>hello</body></html>")
            async with left_alone(tmp_path, free_bytes=lambda _: 100 << 30) as house:
                await _watch(house, origin.url + "/first")
                await house.sleep_until(25)
                await _watch(house, origin.url + "/second")
                await house.sleep_until(61)
                seen.update(log=origin.log, runs=await house.rows(tables.crawl_runs))

    _on_virtual_time(monkeypatch, life)

    arrived = [hit.arrived for hit in seen["log"]]
    assert [hit.path for hit in seen["log"]] == ["/robots.txt", "/first", "/robots.txt", "/second"]
    assert min(later - before for before, later in pairwise(arrived)) >= 20 * HOUR
    assert [run.pages_fetched for run in seen["runs"]] == [1, 1]


def test_c10_a_robots_txt_that_redirects_within_a_slow_host_is_had_over_two_of_its_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "User-agent: *\nCrawl-delay: 46800\n"
    seen: dict[str, Any] = {}

    async def life(loop: unattended.VirtualTime) -> None:
        async with Origin(clock=loop.time) as origin:
            origin.route("/robots.txt", redirect("/rules.txt", 301))
            origin.route("/rules.txt", headers={"Content-Type": "text/plain"}, body=text)
            job_board(origin, postings=2, per_page=2)
            async with left_alone(tmp_path, free_bytes=lambda _: 100 << 30) as house:
                await _watch(house, origin.url + "/jobs")
                await house.sleep_until(13 * 8)
                seen.update(log=origin.log, runs=await house.rows(tables.crawl_runs))

    _on_virtual_time(monkeypatch, life)

    rules = ["/robots.txt", "/rules.txt"]
    assert [hit.path for hit in seen["log"]] == [*rules, "/jobs", *rules, "/job/0", *rules, "/job/1"]
    assert min(later.arrived - one.arrived for one, later in pairwise(seen["log"][1:])) >= 13 * HOUR
    assert [(run.outcome, run.pages_fetched) for run in seen["runs"]] == [("ok", 3)]


def test_c10_a_slow_host_that_a_source_links_to_does_not_keep_it_from_its_start_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}

    async def life(loop: unattended.VirtualTime) -> None:
        async with Origin(clock=loop.time) as board, Origin(clock=loop.time) as slow:
            slow.robots("User-agent: *\nCrawl-delay: 86400\n")
            postings = [f"{slow.url}/job/{number}" for number in range(3)]
            board.page("/jobs", links_html(*postings))
            for number, url in enumerate(postings):
                slow.page(url.removeprefix(slow.url), posting_html(number))
            async with left_alone(tmp_path, free_bytes=lambda _: 100 << 30) as house:
                await _watch(house, board.url + "/jobs", interval=timedelta(hours=3))
                await house.sleep_until(3 * 24)
                seen.update(board=board.log, slow=slow.log)

    _on_virtual_time(monkeypatch, life)

    assert sum(hit.path == "/jobs" for hit in seen["board"]) >= 12
    assert any(hit.path.startswith("/job/") for hit in seen["slow"])
    assert min(later.arrived - one.arrived for one, later in pairwise(seen["slow"])) >= 24 * HOUR


def test_on_a_host_that_has_no_time_for_all_of_them_sources_take_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three sources want a page each hour, of which one can be had in three: whoever waits for longer comes first."""
    paths = ("/first", "/second", "/third")
    seen: dict[str, Any] = {}

    async def life(loop: unattended.VirtualTime) -> None:
        async with Origin(clock=loop.time) as origin:
            origin.robots("User-agent: *\nCrawl-delay: 10800\n")
            for path in paths:
                origin.page(path, "<html><body>hello</body></html>")
            async with left_alone(tmp_path, free_bytes=lambda _: 100 << 30) as house:
                await _watch(house, *(origin.url + path for path in paths), interval=timedelta(hours=1))
                await house.sleep_until(48)
                seen.update(log=origin.log)

    _on_virtual_time(monkeypatch, life)

    times_asked = Counter(hit.path for hit in seen["log"])
    had = [times_asked[path] for path in paths]
    assert min(had) >= 3
    assert max(had) - min(had) <= 1
