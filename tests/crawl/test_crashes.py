"""P5: kill -9 anywhere, and the next start goes on as if nothing had happened."""

import signal
from pathlib import Path

import pytest

from lamplighter import crash_points
from tests.crawl.processes import Fleet
from tests.crawl.sites import job_board
from tests.origin import ThreadedOrigin, busy

POSTINGS = 7
#: points on the way of every crawl; those that need a special situation have tests of their own
SPECIAL = {"migrate.midway", "janitor.midway", "parse.after_claim", "index.after_send", "notify.after_send"}
ORDINARY = [point for point in crash_points.POINTS if point not in SPECIAL and not point.startswith("archive.")]


def _crawl_with_deaths(folder: Path, deaths: list[str]) -> tuple[Fleet, ThreadedOrigin]:
    """Crawls a small board with a worker that dies at each point in turn, then with one that lives."""
    with ThreadedOrigin() as origin:
        job_board(origin, postings=POSTINGS, per_page=4)
        with Fleet(folder, origin) as fleet:
            fleet.watch(origin.url + "/jobs")
            for point in deaths:
                died = fleet.start(crash_at=point)
                assert died.wait(60) == -signal.SIGKILL, f"never reached {point}\n{fleet.log()[-3000:]}"
            if not fleet.runs_ended():
                survivor = fleet.start()
                fleet.wait_for_runs(1)
                assert fleet.stop(survivor) == 0, fleet.log()[-3000:]
    return fleet, origin


def _assert_as_if_nothing_happened(fleet: Fleet, origin: ThreadedOrigin, *, deaths: int) -> None:
    titles = sorted(row.title for row in fleet.rows("SELECT title FROM records"))
    phases = fleet.rows("SELECT phase, count(*) FROM pages GROUP BY phase")
    runs = fleet.rows("SELECT outcome, records_inserted, pages_fetched FROM crawl_runs")
    assert titles == [f"Posting {number:02}" for number in range(POSTINGS)]
    assert [tuple(row) for row in phases] == [("completed", POSTINGS + 2)]
    assert [tuple(row) for row in runs] == [("ok", POSTINGS, POSTINGS + 2)]
    for number in range(POSTINGS):
        assert len(origin.hits(f"/job/{number}")) <= 1 + deaths
    assert min(origin.gaps()) >= fleet.settings.min_delay_ms / 1000


@pytest.mark.parametrize("point", ORDINARY)
def test_h1_a_death_at_this_point_loses_and_doubles_nothing(tmp_path: Path, point: str) -> None:
    fleet, origin = _crawl_with_deaths(tmp_path, [point])

    _assert_as_if_nothing_happened(fleet, origin, deaths=1)


def test_h1_a_death_halfway_through_the_crawl_loses_and_doubles_nothing(tmp_path: Path) -> None:
    fleet, origin = _crawl_with_deaths(tmp_path, ["fetch.before_request:5", "fetch.before_request:2"])

    _assert_as_if_nothing_happened(fleet, origin, deaths=2)


def test_h1_a_death_after_claiming_a_page_left_by_another_death(tmp_path: Path) -> None:
    fleet, origin = _crawl_with_deaths(tmp_path, ["fetch.after_commit", "parse.after_claim"])

    _assert_as_if_nothing_happened(fleet, origin, deaths=2)


def test_h1_a_death_during_the_first_migration(tmp_path: Path) -> None:
    with Fleet(tmp_path) as fleet:
        died = fleet.start(crash_at="migrate.midway")
        assert died.wait(60) == -signal.SIGKILL

    fleet, origin = _crawl_with_deaths(tmp_path, [])

    _assert_as_if_nothing_happened(fleet, origin, deaths=0)


def test_h1_a_death_of_the_janitor(tmp_path: Path) -> None:
    with ThreadedOrigin() as origin:
        job_board(origin, postings=POSTINGS, per_page=4)
        with Fleet(tmp_path, origin, run_deadline_minutes=0.005) as fleet:
            fleet.watch(origin.url + "/jobs")
            opened = fleet.start(crash_at="open.after_commit")
            assert opened.wait(60) == -signal.SIGKILL
            died = fleet.start(crash_at="janitor.midway")
            assert died.wait(60) == -signal.SIGKILL, fleet.log()[-2000:]
            fleet.start()

            fleet.wait_for_runs(1)

            ended = fleet.rows("SELECT outcome, message FROM crawl_runs ORDER BY id LIMIT 1")
    assert ended[0].outcome == "fail"
    assert "run_deadline" in ended[0].message


def test_b5_a_death_right_after_a_429_does_not_forget_that_the_host_is_to_be_left_alone(tmp_path: Path) -> None:
    with ThreadedOrigin() as origin:
        origin.route("/jobs", busy(retry_after="600"))
        with Fleet(tmp_path, origin) as fleet:
            fleet.watch(origin.url + "/jobs")
            died = fleet.start(crash_at="fetch.after_commit")
            assert died.wait(60) == -signal.SIGKILL, fleet.log()[-2000:]

            blocked = fleet.rows("SELECT blocked_until, block_reason FROM hosts")[0]

    assert blocked.blocked_until is not None
    assert "600 s" in blocked.block_reason


def test_there_are_more_than_ten_points() -> None:
    assert len(ORDINARY) >= 10
