"""Change histories from CSV."""

from datetime import UTC, datetime

import pytest

from lamplighter.errors import BadInput
from lamplighter.simulation import trace_csv


def _refusal(text: str) -> str:
    with pytest.raises(BadInput) as refused:
        trace_csv.read(text.splitlines(keepends=True))
    return str(refused.value)


@pytest.mark.parametrize(
    "time",
    [
        pytest.param("2026-03-02T12:30:00Z", id="Zulu"),
        pytest.param("2026-03-02T14:30:00+02:00", id="another zone"),
        pytest.param("2026-03-02 12:30:00", id="naive is UTC"),
        pytest.param("2026-03-02T12:30", id="to the minute"),
        pytest.param("1772454600", id="seconds since 1970"),
        pytest.param("1772454600.0", id="with a fraction"),
        pytest.param(" 2026-03-02T12:30:00.000Z ", id="with spaces"),
    ],
)
def test_a_time_may_be_written_in_many_ways(time: str) -> None:
    trace = trace_csv.read(["source,changed_at\n", f"a,{time}\n", "b,2026-03-02T12:00:00Z\n"])

    assert trace.started_at == datetime(2026, 3, 2, 12, tzinfo=UTC)
    assert trace.changes.at.tolist() == [0.5, 0.0]


def test_columns_may_stand_in_any_order_among_others() -> None:
    text = 'weight,note,CHANGED_AT,source,announced_at\n3,"x, y",2026-03-02T12:00Z,a,2026-03-02T13:00Z\n,,,b,\n'

    trace = trace_csv.read(text.splitlines(keepends=True))

    assert trace.sources == ("a", "b")
    assert trace.weight.tolist() == [3.0, 1.0]
    assert trace.changes.counts.tolist() == [1, 0]
    assert trace.announcements.at.tolist() == [1.0]


def test_an_empty_time_declares_a_source_that_never_changed() -> None:
    trace = trace_csv.read(["source,changed_at\n", "quiet,\n", "\n", "a,2026-03-02T12:00Z\n"])

    assert trace.changes.counts.tolist() == [0, 1]


def test_the_same_moment_twice_is_two_changes() -> None:
    trace = trace_csv.read(["source,changed_at\n", "a,2026-03-02T12:00Z\n", "a,2026-03-02T12:00Z\n"])

    assert len(trace.changes) == 2


def test_an_optional_column_may_end_early() -> None:
    trace = trace_csv.read(["source,changed_at,announced_at,weight\n", "a,2026-03-02T12:00Z\n"])

    assert trace.weight.tolist() == [1.0]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        pytest.param("a,yesterday", "changed_at 'yesterday' is no time; write 2026-01-31T09:30:00Z", id="words"),
        pytest.param("a,2026-02-30T00:00Z", "changed_at '2026-02-30T00:00Z' is no time", id="no such day"),
        pytest.param("a,nan", "changed_at 'nan' is not between", id="not a number"),
        pytest.param("a,1772454600000", "numbers are seconds, not milliseconds", id="milliseconds"),
        pytest.param(",2026-03-02T12:00Z", "source is empty", id="nobody"),
        pytest.param("a", "'a' has 1 of 2 columns", id="too short"),
        pytest.param("a,2026-03-02T12:00Z,soon", "announced_at 'soon' is no time", id="bad announcement"),
        pytest.param("a,2026-03-02T12:00Z,,-1", "weight '-1' is not a positive number; write 1", id="negative weight"),
        pytest.param("a,2026-03-02T12:00Z,,inf", "weight 'inf' is not a positive number", id="infinite weight"),
        pytest.param("a,2026-03-02T12:00Z,,heavy", "weight 'heavy'", id="a word for a weight"),
    ],
)
def test_a_bad_row_is_named_with_its_line_its_value_and_the_remedy(row: str, words: str) -> None:
    told = _refusal(f"source,changed_at,announced_at,weight\na,2026-03-02T12:00Z\n{row}\n")

    assert "line 3: " in told
    assert words in told


def test_every_bad_row_is_named_up_to_a_screenful() -> None:
    told = _refusal("source,changed_at\n" + "a,never\n" * 25)

    assert "line 2: " in told
    assert "line 21: " in told
    assert "line 22: " not in told
    assert "… and 5 more" in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", "the file is empty", id="empty"),
        pytest.param("a,2026-03-02T12:00Z\n", "must name the columns: source,changed_at", id="no header"),
        pytest.param("source,when\n", "must name the columns", id="another header"),
        pytest.param("source,source,changed_at\n", "names 'source' twice", id="a column twice"),
        pytest.param("source,changed_at\n", "a header but no rows", id="header only"),
        pytest.param("source,changed_at\na,\n", "no source ever changed", id="nothing ever happened"),
        pytest.param('source,changed_at\n"' + "x" * 200_000, "line 2 is not CSV", id="a field without end"),
    ],
)
def test_a_file_that_is_no_trace_is_refused(text: str, words: str) -> None:
    assert words in _refusal(text)


def test_nothing_counts_before_birth_or_after_death() -> None:
    rows = ["born,2026-03-01T06:00Z,2026-03-01T06:00Z,2026-03-01T12:00Z", "born,2026-03-01T10:00Z,,"]
    rows += ["born,2026-03-01T20:00Z,,", "old,2026-03-01T00:00Z,,", "old,2026-03-02T00:00Z,,"]

    trace = trace_csv.read(["source,changed_at,born_at,died_at\n", *(f"{row}\n" for row in rows)])

    assert (trace.born.tolist(), trace.died.tolist()) == ([6.0, 0.0], [12.0, 24.0])
    assert trace.changes.at.tolist() == [10.0, 0.0, 24.0]
    assert trace.source_days == 1.25
