"""P3 and P4, judged by the access logs of the sites themselves: two workers, PostgreSQL, and a kill -9 in between."""

import time
from pathlib import Path

from tests.crawl.processes import Fleet, wait_until
from tests.crawl.sites import job_board
from tests.origin import ThreadedOrigin

DELAY_MS = 120
CRAWL_DELAY = 0.3


def _conditional(hit: object) -> bool:
    return "if-none-match" in hit.headers  # type: ignore[attr-defined]


def test_p3_p4_the_sites_never_see_more_than_they_allow(tmp_path: Path, postgres_db: str) -> None:
    with (
        ThreadedOrigin("127.0.0.1") as plain,
        ThreadedOrigin("127.0.0.2") as slow,
        ThreadedOrigin("127.0.0.3") as wide,
    ):
        for origin in (plain, slow, wide):
            job_board(origin, postings=10, per_page=5, secrets=True)
        plain.robots("User-agent: *\nDisallow: /secret\n")
        slow.robots(f"User-agent: *\nCrawl-delay: {CRAWL_DELAY}\nDisallow: /secret\n")
        wide.robots("User-agent: LamplighterBot\nDisallow: /secret\nAllow: /\n")
        plain.page("/second", '<a href="/job/3">again</a>', etag='"s"')
        with Fleet(tmp_path, plain, slow, wide, database_url=postgres_db, min_delay_ms=DELAY_MS) as fleet:
            fleet.watch(
                plain.url + "/jobs",
                plain.url + "/second",
                slow.url + "/jobs",
                wide.url + "/jobs",
                **{wide.address: {"max_concurrency": 3}},
            )
            first, second = fleet.start(), fleet.start()
            wait_until(lambda: len(plain.log) + len(slow.log) + len(wide.log) > 12, fleet.log)
            first.kill()
            first.wait()
            third = fleet.start()
            fleet.wait_for_runs(4)
            runs = fleet.rows("SELECT outcome FROM crawl_runs")
            in_flight_when_killed = 3 + 1 + 1

            time.sleep(0.5)
            assert [fleet.stop(second), fleet.stop(third)] == [0, 0]

        assert [row.outcome for row in runs] == ["ok"] * 4, fleet.log()[-2000:]
        for origin, least in ((plain, DELAY_MS / 1000), (slow, CRAWL_DELAY), (wide, DELAY_MS / 1000)):
            after_robots = origin.gaps()[1:] if origin is slow else origin.gaps()
            assert min(after_robots) >= least - 0.001, (origin.address, min(after_robots))
            assert not [hit for hit in origin.log if hit.path.startswith("/secret")]
            assert origin.log[0].path == "/robots.txt"
        assert plain.max_in_flight == slow.max_in_flight == 1
        assert wide.max_in_flight <= 3
        repeated = sum(
            max(0, len([hit for hit in origin.log if hit.path == path and not _conditional(hit)]) - sources)
            for origin in (plain, slow, wide)
            for path in {hit.path for hit in origin.log} - {"/robots.txt"}
            for sources in [2 if origin is plain and path == "/job/3" else 1]
        )
        # What was in flight when the worker died was never stored, so it has to be asked for again.
        assert repeated <= in_flight_when_killed


def test_an_unchanged_page_is_never_got_unconditionally_twice(tmp_path: Path) -> None:
    with ThreadedOrigin() as origin:
        job_board(origin, postings=4, per_page=4)
        with Fleet(tmp_path, origin, interval_minutes=1) as fleet:
            fleet.watch(origin.url + "/jobs")
            fleet.start()
            fleet.wait_for_runs(1)
            fleet.run_again()
            fleet.wait_for_runs(2)

    got = origin.hits("/jobs")
    assert [_conditional(hit) for hit in got] == [False, True]
    assert got[1].status == 304
