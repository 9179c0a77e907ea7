from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.errors import BadInput
from lamplighter.rules.schedule import interval_text


@pytest.mark.parametrize(
    ("text", "span"),
    [
        pytest.param("1 day", timedelta(days=1), id="one of a unit"),
        pytest.param("30 minutes", timedelta(minutes=30), id="several of a unit"),
        pytest.param("2 hours 30 minutes", timedelta(hours=2, minutes=30), id="two units"),
        pytest.param("2 Hours, 30 Minutes", timedelta(hours=2, minutes=30), id="capitals and a comma"),
        pytest.param("1 day and 6 hours", timedelta(days=1, hours=6), id="with an and"),
        pytest.param("1.5 hours", timedelta(minutes=90), id="a fraction"),
        pytest.param("90s", timedelta(seconds=90), id="a short unit"),
        pytest.param("2h30m", timedelta(hours=2, minutes=30), id="short units without spaces"),
        pytest.param("2 weeks", timedelta(days=14), id="weeks"),
        pytest.param("02:30:00", timedelta(hours=2, minutes=30), id="as a clock shows it"),
        pytest.param("  1 day  ", timedelta(days=1), id="spaces around it"),
    ],
)
def test_an_interval_is_read_as_people_write_it(text: str, span: timedelta) -> None:
    assert interval_text.parse(text) == span


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("daily", id="no number"),
        pytest.param("10", id="no unit"),
        pytest.param("1 month", id="months differ in length"),
        pytest.param("1 day 1 day", id="a unit twice"),
        pytest.param("-1 day", id="negative"),
        pytest.param("0 seconds", id="none at all"),
        pytest.param("0.5 seconds", id="less than a second"),
        pytest.param("999999999 weeks", id="longer than any life"),
        pytest.param("1 day; drop table", id="more behind it"),
        pytest.param("١ day", id="digits of another script"),
    ],
)
def test_what_is_no_interval_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadInput, match=r"write for example|use an interval of") as refused:
        interval_text.parse(text)

    assert refused.value.code == "invalid_interval"


@given(st.integers(1, 3660 * 86_400))
def test_what_is_described_reads_back_the_same(seconds: int) -> None:
    span = timedelta(seconds=seconds)

    assert interval_text.parse(interval_text.describe(span)) == span


def test_an_interval_is_described_without_units_that_are_nought() -> None:
    assert interval_text.describe(timedelta(days=1)) == "1 day"
    assert interval_text.describe(timedelta(hours=2, minutes=30)) == "2 hours 30 minutes"
    assert interval_text.describe(timedelta(0)) == "0 seconds"
