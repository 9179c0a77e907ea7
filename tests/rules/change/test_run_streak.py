"""What the latest runs of a source say together."""

import pytest

from lamplighter.rules.change.run_streak import BLOCKED_AT, EndedRun, RunStreaks, after, is_newly_refused

OK, WARN, DOWN = (
    EndedRun("ok", "4 pages"),
    EndedRun("warn", "4 pages"),
    EndedRun("fail", "timeout: timed out (https://a.example/)"),
)
ROBOTS, TAKEDOWN = EndedRun("fail", "robots_disallow: Disallow: /"), EndedRun("fail", "takedown: a.example")
FORBIDDEN, TEAPOT = EndedRun("fail", "client_error: HTTP 403 (…)"), EndedRun("fail", "client_error: HTTP 418 (…)")
WALL, MISSING = (
    EndedRun("fail", "obstructed: a bot challenge (…)"),
    EndedRun("fail", "obstructed: a page-not-found page (…)"),
)
BUSY = EndedRun("fail", "host_busy: HTTP 429 (…)")


def _after_all(ends: list[EndedRun]) -> RunStreaks:
    """The latest first."""
    streaks = RunStreaks(0, 0)
    for end in reversed(ends):
        streaks = after(*streaks, end)
    return streaks


@pytest.mark.parametrize(
    ("ends", "count"),
    [
        pytest.param([], 0, id="no run"),
        pytest.param([OK, DOWN], 0, id="over"),
        pytest.param([DOWN, DOWN, WARN, DOWN], 2, id="two since the last that went well"),
        pytest.param([DOWN, ROBOTS, DOWN], 2, id="what was not asked is no failure and no recovery"),
    ],
)
def test_failures_are_counted_since_the_last_run_that_was_none(ends: list[EndedRun], count: int) -> None:
    assert _after_all(ends).failed_runs == count


@pytest.mark.parametrize(
    ("ends", "is_news"),
    [
        pytest.param([OK], False, id="asked"),
        pytest.param([ROBOTS], True, id="at the first run"),
        pytest.param([ROBOTS, OK], True, id="since now"),
        pytest.param([ROBOTS, ROBOTS], False, id="still"),
        pytest.param([TAKEDOWN, ROBOTS], True, id="for another reason"),
    ],
)
def test_a_refusal_of_our_own_is_news_once(ends: list[EndedRun], is_news: bool) -> None:
    assert is_newly_refused(ends[0], ends[1] if len(ends) > 1 else None) is is_news


@pytest.mark.parametrize(
    ("ends", "is_news"),
    [
        pytest.param([FORBIDDEN, WALL], False, id="twice is not for long"),
        pytest.param([FORBIDDEN, WALL, BUSY], True, id="three in a row"),
        pytest.param([FORBIDDEN, WALL, BUSY, OK], True, id="three in a row since it last worked"),
        pytest.param([FORBIDDEN, WALL, BUSY, WALL], False, id="told before"),
        pytest.param([FORBIDDEN, DOWN, WALL, BUSY], False, id="not in a row"),
        pytest.param([TEAPOT, TEAPOT, TEAPOT], False, id="another complaint"),
        pytest.param([MISSING, MISSING, MISSING], False, id="gone, which is no refusal"),
    ],
)
def test_a_site_that_turns_us_away_is_news_when_it_does_so_for_the_third_time(
    ends: list[EndedRun], is_news: bool
) -> None:
    assert (_after_all(ends).turned_away_runs == BLOCKED_AT) is is_news
