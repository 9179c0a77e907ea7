"""The strip of bars for the latest runs of a source."""

from datetime import timedelta

from lamplighter.store.runs.run_strips import RunBar
from lamplighter.web.run_strip import run_strip, summary
from tests.moments import NOON


def _bar(hours: int, *, seconds: int | None = 60, outcome: str | None = "ok", records: int | None = 40) -> RunBar:
    began = NOON + timedelta(hours=hours)
    ended = began + timedelta(seconds=seconds) if seconds is not None else None
    return RunBar(began, ended, outcome, records)


def test_a_strip_says_in_words_what_it_shows() -> None:
    bars = [_bar(1), _bar(2, outcome="fail", records=None), _bar(3, records=44), _bar(4, seconds=None, outcome=None)]

    assert summary(bars) == "Last 4 runs: 2 succeeded, 1 failed, 1 running; 40 to 44 records"
    assert f"<title>{summary(bars)}</title>" in run_strip(bars)


def test_each_outcome_is_one_path_and_the_newest_run_is_at_the_right_end() -> None:
    strip = run_strip([_bar(1), _bar(2, outcome="fail"), _bar(3)])

    assert strip.count("<path") == 2
    assert 'class="fail" d="M140 ' in strip
    assert "M145 " in strip


def test_a_longer_run_is_higher_and_none_vanishes() -> None:
    strip = run_strip([_bar(1, seconds=0), _bar(2, seconds=3600)])

    assert "v-3h" in strip
    assert "v-16h" in strip


def test_the_line_is_drawn_only_where_the_records_differ() -> None:
    assert "<polyline" in run_strip([_bar(1, records=1), _bar(2, records=2)])
    assert "<polyline" not in run_strip([_bar(1), _bar(2)])


def test_a_source_that_never_ran_has_no_strip() -> None:
    assert "<svg" not in run_strip([])
