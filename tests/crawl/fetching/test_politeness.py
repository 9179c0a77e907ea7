"""P3 and P4, judged by the access logs of the sites themselves: two workers, PostgreSQL, and a kill -9 in between."""

import time
from dataclasses import replace
from pathlib import Path

from tests.crashes.starved_workers import starved_at
from tests.origin import ThreadedOrigin
from tests.service.processes import Fleet, wait_until
from tests.service.sites import job_board
from tests.witness import Policy, RobotsText, Span, report, violations

DELAY_MS = 120
#: of the host that may be asked three times at once: from start to start a starved origin may note the first of two
#: requests late, which must not matter
WIDE_DELAY_MS, LATE_SECONDS = 600, 0.3
PLAIN = "User-agent: *\nDisallow: /secret\n"
SLOW = "User-agent: *\nCrawl-delay: 0.3\nDisallow: /secret\n"
WIDE = "User-agent: LamplighterBot\nDisallow: /secret\nAllow: /\n"


def test_p3_p4_the_sites_never_see_more_than_they_allow(tmp_path: Path, migrated_postgres_db: str) -> None:
    with (
        ThreadedOrigin("127.0.0.1") as plain,
        ThreadedOrigin("127.0.0.2") as slow,
        ThreadedOrigin("127.0.0.3") as wide,
    ):
        for origin in (plain, slow, wide):
            job_board(origin, postings=10, per_page=5, secrets=True)
        plain.robots(PLAIN)
        slow.robots(SLOW)
        wide.robots(WIDE)
        plain.page("/second", '<a href="/job/3">again</a>', etag='"s"')
        with Fleet(tmp_path, plain, slow, wide, database_url=migrated_postgres_db, min_delay_ms=DELAY_MS) as fleet:
            fleet.watch(
                plain.url + "/jobs",
                plain.url + "/second",
                slow.url + "/jobs",
                wide.url + "/jobs",
                **{wide.address: {"max_concurrency": 3, "min_delay_ms": WIDE_DELAY_MS}},
            )
            first, second = fleet.start(), fleet.start()
            wait_until(lambda: len(plain.log) + len(slow.log) + len(wide.log) > 12, fleet.log)
            first.kill()
            first.wait()
            killed_at = time.monotonic()
            third = fleet.start()
            fleet.wait_for_runs(4)
            runs = fleet.rows("SELECT outcome FROM crawl_runs")

            time.sleep(0.5)
            assert [fleet.stop(second), fleet.stop(third)] == [0, 0]

        assert [row.outcome for row in runs] == ["ok"] * 4, fleet.log()[-2000:]
        # What was in flight when a worker died, or lost a host, was never stored: it has to be asked for again.
        lost = [Span.of_death(at) for at in (killed_at, *starved_at(fleet.log()))]
        polite = Policy(delay=DELAY_MS / 1000, lost=lost)
        policies = {
            plain.address: replace(polite, robots=[RobotsText(text=PLAIN)], shared={"/job/3": 1}),
            slow.address: replace(polite, robots=[RobotsText(text=SLOW)]),
            wide.address: replace(
                polite, robots=[RobotsText(text=WIDE)], concurrency=3, delay=WIDE_DELAY_MS / 1000, jitter=LATE_SECONDS
            ),
        }
        found = violations([*plain.log, *slow.log, *wide.log], policies)
        assert found == [], report(found)


def test_an_unchanged_page_is_never_got_unconditionally_twice(tmp_path: Path) -> None:
    with ThreadedOrigin() as origin:
        job_board(origin, postings=4, per_page=4)
        with Fleet(tmp_path, origin, interval_minutes=1) as fleet:
            fleet.watch(origin.url + "/jobs")
            fleet.start()
            fleet.wait_for_runs(1)
            fleet.run_again()
            fleet.wait_for_runs(2)

    found = violations(origin.log, {origin.address: Policy(delay=fleet.settings.min_delay_ms / 1000, revisit=0)})
    assert found == [], report(found)
    assert [hit.status for hit in origin.hits("/jobs")] == [200, 304]
