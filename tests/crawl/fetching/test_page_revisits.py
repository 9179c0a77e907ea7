"""Pages inside a source: those that change are asked for more often, those that are over fade, by the access log."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.model.crawl import CrawlRun
from lamplighter.store.schema.tables import crawl_runs, pages
from tests.changing import set_source
from tests.origin import Answer, Origin, Request
from tests.service.in_process import age, all_pages, all_rows, crawl, crawl_again, going, quick_settings
from tests.service.sites import links_html, posting_html

HTML = {"Content-Type": "text/html"}
WALL = "<html><body><h1>Log in</h1><form><input type=text name=user><input type=password></form></body></html>"
LOST = "<html><head><title>Page not found</title></head><body><h1>Page not found</h1></body></html>"


class Rounds:
    """Run after run of a source at /jobs whose listing leads to these pages, and is new each time."""

    def __init__(self, service: Service, origin: Origin, *paths: str) -> None:
        self._service = service
        self._origin = origin
        self.paths = list(paths)
        self._count = 0
        self.source_id = 0

    async def go(self, **after: float) -> tuple[CrawlRun, set[str]]:
        """The next run, so much later (hours, days …), and the linked pages it asked for."""
        self._count += 1
        self._origin.page("/jobs", links_html(*self.paths, text=f"round {self._count}"))
        before = len(self._origin.log)
        if self._count == 1:
            run = await crawl(self._service, self._origin.url + "/jobs", max_depth=1)
            self.source_id = run.source_id
        else:
            await age(self._service, **after)
            run = await crawl_again(self._service, self.source_id, number=self._count)
        asked = [hit.path for hit in self._origin.log[before:]]
        assert asked.count("/jobs") == 1, "the listing is asked for in every run, and once"
        return run, set(asked) - {"/jobs", "/robots.txt"}


def _counting(text: str) -> Any:
    """A page that reads differently at each visit."""
    visits = iter(range(1000))
    return lambda _: Answer(headers=HTML, body=posting_html(1, title=f"{text} {next(visits)}").encode())


def _with_deadline(number: int, day: str) -> str:
    return posting_html(number).replace('"datePosted"', f'"validThrough": "{day}", "datePosted"')


async def test_a_page_that_changes_each_time_is_asked_for_sooner_than_one_that_never_does(
    origin: Origin, tmp_path: Path
) -> None:
    origin.route("/lively", _counting("Version"))
    origin.page("/quiet", posting_html(2), etag='"quiet"')

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/lively", "/quiet")
        for _ in range(10):
            await rounds.go(hours=16)
        beliefs = {path: page for path, page in (await all_pages(service)).items() if page.belief_a}

    lively, quiet = len(origin.hits("/lively")), len(origin.hits("/quiet"))
    assert lively >= 7
    assert quiet <= 4
    assert beliefs.keys() == {"/lively", "/quiet"}


async def test_runs_count_what_second_and_later_visits_found(origin: Origin, tmp_path: Path) -> None:
    origin.route("/lively", _counting("Version"))
    origin.page("/quiet", posting_html(2), etag='"quiet"')

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/lively", "/quiet")
        for _ in range(2):
            await rounds.go(hours=25)
        first, second = await all_rows(service, crawl_runs)

    assert (first.revisit_changes, first.revisit_hours) == (0, 0)
    assert second.revisit_changes == 1
    assert second.revisit_hours == pytest.approx(50, abs=0.1)


async def test_other_bytes_that_read_the_same_are_no_change(origin: Origin, tmp_path: Path) -> None:
    bodies = iter(range(100))

    def stamped(_: Request) -> Answer:
        return Answer(headers=HTML, body=f"{posting_html(1)}<!-- rendered {next(bodies)} -->".encode())

    origin.route("/job/1", stamped)
    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/job/1")
        for _ in range(2):
            await rounds.go(hours=25)
        _, second = await all_rows(service, crawl_runs)
        page = (await all_pages(service))["/job/1"]

    assert (second.revisit_changes, round(second.revisit_hours)) == (0, 25)
    assert page.rest_until - page.fetched_at > timedelta(hours=24)


@pytest.mark.parametrize("status", [404, 410])
async def test_a_page_that_was_not_there_twice_is_not_asked_for_a_third_time(
    origin: Origin, tmp_path: Path, status: int
) -> None:
    origin.page("/job/1", posting_html(1), etag='"1"')
    origin.page("/job/2", posting_html(2), etag='"2"')

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/job/1", "/job/2")
        await rounds.go()
        origin.route("/job/1", Answer(status=status))
        asked = ["/job/1" in (await rounds.go(hours=hours))[1] for hours in (25, 2, 30, 100)]
        _, after_a_month = await rounds.go(days=31)

    assert asked == [True, True, False, False]
    assert "/job/1" in after_a_month


async def test_a_page_that_was_never_there_is_given_up_too(origin: Origin, tmp_path: Path) -> None:
    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/never")
        asked = [(await rounds.go(hours=2))[1] for _ in range(4)]

    assert asked == [{"/never"}, {"/never"}, set(), set()]


async def test_a_page_that_says_in_words_that_it_is_not_there_is_gone_as_well(origin: Origin, tmp_path: Path) -> None:
    origin.page("/job/1", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/job/1")
        await rounds.go()
        origin.page("/job/1", LOST)
        asked = [(await rounds.go(hours=hours))[1] for hours in (25, 2, 30)]

    assert asked == [{"/job/1"}, {"/job/1"}, set()]


async def test_two_looks_within_an_hour_do_not_make_a_page_gone(origin: Origin, tmp_path: Path) -> None:
    origin.route("/job/1", Answer(status=404), Answer(status=404))

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/job/1")
        asked = [(await rounds.go(minutes=20))[1] for _ in range(3)]
        page = (await all_pages(service))["/job/1"]

    assert asked == [{"/job/1"}] * 3
    assert page.missing_count == 1


async def test_a_page_that_came_back_is_missed_no_more(origin: Origin, tmp_path: Path) -> None:
    origin.route("/job/1", Answer(status=404))

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/job/1")
        for _ in range(2):
            await rounds.go(hours=2)
        origin.page("/job/1", posting_html(1))
        _, asked = await rounds.go(days=31)
        page = (await all_pages(service))["/job/1"]

    assert asked == {"/job/1"}
    assert (page.phase, page.missing_count) == ("completed", 0)


async def test_a_closed_posting_fades(origin: Origin, tmp_path: Path) -> None:
    origin.page("/closed", _with_deadline(1, "2026-01-05"), etag='"closed"')
    origin.page("/open", _with_deadline(2, "2099-01-05"), etag='"open"')

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/closed", "/open")
        asked = [(await rounds.go(hours=hours))[1] for hours in (0, 25, 40, 11, 90)]

    both = {"/closed", "/open"}
    assert asked == [both, both, {"/open"}, {"/closed"}, {"/open"}]


async def test_what_closed_postings_do_says_nothing_about_their_siblings(origin: Origin, tmp_path: Path) -> None:
    origin.page("/closed", _with_deadline(1, "2026-01-05"), etag='"closed"')
    origin.page("/open", _with_deadline(2, "2099-01-05"), etag='"open"')

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/closed", "/open")
        for _ in range(2):
            await rounds.go(hours=25)
        _, second = await all_rows(service, crawl_runs)

    assert round(second.revisit_hours) == 25


async def test_a_posting_that_is_reopened_is_believed(origin: Origin, tmp_path: Path) -> None:
    origin.page("/job/1", _with_deadline(1, "2026-01-05"))

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/job/1")
        await rounds.go()
        origin.page("/job/1", _with_deadline(1, "2099-01-05"))
        await rounds.go(hours=25)
        page = (await all_pages(service))["/job/1"]

    assert page.rest_until - page.fetched_at < timedelta(hours=24)


async def test_a_wall_teaches_nothing(origin: Origin, tmp_path: Path) -> None:
    origin.page("/job/1", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/job/1")
        await rounds.go()
        origin.page("/job/1", WALL)
        run, _ = await rounds.go(hours=25)
        page = (await all_pages(service))["/job/1"]
        _, stored = await all_rows(service, crawl_runs)

    assert page.reason == "obstructed", run.message
    assert (page.belief_a, page.belief_b, stored.revisit_hours) == (None, None, 0)
    assert page.rest_until - page.fetched_at == timedelta(hours=24)


async def test_a_failed_visit_teaches_nothing_and_is_made_up_for_in_the_next_run(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/job/1", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, "/job/1")
        await rounds.go()
        origin.route("/job/1", Answer(status=500))
        await rounds.go(hours=25)
        page = (await all_pages(service))["/job/1"]
        origin.page("/job/1", posting_html(1))
        _, asked = await rounds.go(minutes=10)

    assert page.belief_a is None
    assert asked == {"/job/1"}


async def test_a_short_budget_goes_to_new_pages_and_then_to_the_most_overdue(origin: Origin, tmp_path: Path) -> None:
    paths = [f"/job/{number}" for number in range(5)]
    for number, path in enumerate(paths):
        origin.page(path, posting_html(number), etag=f'"{number}"')

    async with going(quick_settings(tmp_path, origin)) as service:
        rounds = Rounds(service, origin, *paths[:4])
        await rounds.go()
        await _rest(service, origin.url + "/job/2", hours=3)
        now = service.clock.now()
        await service.db.write(lambda db: set_source(db, rounds.source_id, now=now, max_pages=3))
        rounds.paths.append("/job/4")
        _, asked = await rounds.go(hours=30)

    assert asked == {"/job/2", "/job/4"}


async def _rest(service: Service, url: str, **span: float) -> None:
    """Lets a page rest for so long from now."""
    until = service.clock.now() + timedelta(**span)
    await service.db.write(lambda db: db.execute(sa.update(pages).where(pages.c.url == url).values(rest_until=until)))
