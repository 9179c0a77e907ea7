"""Where do the runs of a day stand on its strip?"""

from datetime import datetime, timedelta

from lamplighter.model.crawl import CrawlRun, RunOutcome, Trigger
from lamplighter.web.dashboard.sources.source_panel import WIDTH, day_strip
from tests.moments import NOON
from tests.store.given_rows import HOUR


def run(began: datetime, *, took: timedelta | None = HOUR, outcome: RunOutcome | None = RunOutcome.OK) -> CrawlRun:
    about = {"id": 1, "public_id": "a", "job_id": 1, "source_id": 1, "number": 1, "trigger": Trigger.SCHEDULE}
    ended = began + took if took is not None else None
    return CrawlRun(**about, started_at=began, deadline_at=began, finished_at=ended, outcome=outcome)


def test_a_run_is_as_wide_as_it_was_long_and_stands_where_it_began() -> None:
    (tick,) = day_strip([run(NOON - 12 * HOUR)], now=NOON).ticks

    assert (tick.x, tick.width, tick.tone) == (WIDTH // 2, WIDTH // 24, "good")


def test_a_run_of_a_second_is_seen_and_the_last_one_stays_on_the_strip() -> None:
    (tick,) = day_strip([run(NOON - timedelta(seconds=1), took=None, outcome=None)], now=NOON).ticks

    assert tick.width >= 6
    assert tick.x + tick.width == WIDTH
    assert tick.tone == "busy"


def test_what_ended_before_the_day_is_left_out_and_what_reaches_into_it_is_not() -> None:
    before, into = run(NOON - 26 * HOUR), run(NOON - 25 * HOUR, took=2 * HOUR)

    (tick,) = day_strip([into, before], now=NOON).ticks

    assert (tick.run, tick.x, tick.width) == (into, 0, 60)


def test_the_shares_of_the_bar_fill_it() -> None:
    outcomes = [RunOutcome.OK, RunOutcome.FAIL, RunOutcome.OK, RunOutcome.WARN]

    shares = day_strip([run(NOON - HOUR, outcome=each) for each in outcomes], now=NOON).shares

    assert [(share.tone, share.runs, share.start, share.width) for share in shares] == [
        ("good", 2, 0.0, 50.0),
        ("fair", 1, 50.0, 25.0),
        ("bad", 1, 75.0, 25.0),
    ]


def test_a_day_without_runs_has_an_empty_strip() -> None:
    strip = day_strip([], now=NOON)

    assert (strip.ticks, strip.shares) == ([], [])
