"""D5: a feed's date is understood in the forms that feeds use, or kept as it stands."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.feeds.dates import moment, ttl


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Mon, 02 Mar 2026 12:00:00 +0200", "2026-03-02T10:00:00+00:00", id="RFC 822"),
        pytest.param("2 Mar 26 12:00 GMT", "2026-03-02T12:00:00+00:00", id="two digits of a year"),
        pytest.param(
            "Monday, 02 March 2026 12:00:00 EST", "2026-03-02T17:00:00+00:00", id="names in full, a named zone"
        ),
        pytest.param("Mon, 02 Mar 2026 12:00:00 GMT+7", "2026-03-02T05:00:00+00:00", id="hours from GMT"),
        pytest.param("Mon, 02 Mar 2026 12:00:00 CEST", "2026-03-02T10:00:00+00:00", id="a European zone"),
        pytest.param("Mon, 02 Mar 2026 12:00:00", "2026-03-02T12:00:00", id="no zone"),
        pytest.param("02 Mar 2026", "2026-03-02", id="no time"),
        pytest.param("2026-03-02T12:00:00Z", "2026-03-02T12:00:00+00:00", id="W3C"),
        pytest.param("2026-03-02T12:00:00.123+05:30", "2026-03-02T06:30:00+00:00", id="W3C with a fraction"),
        pytest.param("2026-03-02 12:00:00", "2026-03-02T12:00:00", id="a space between day and time"),
        pytest.param("2026-03-02", "2026-03-02", id="a day"),
        pytest.param("Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00+00:00", id="the epoch is left to others"),
        pytest.param("Tue, 01 Jan 2041 00:00:00 GMT", "2041-01-01T00:00:00+00:00", id="and so is the future"),
        pytest.param("Sat, 31 Dec 2016 23:59:60 GMT", "2016-12-31T23:59:59+00:00", id="a leap second"),
        pytest.param("Mon, 02 Mar 2026 12:00:00 XYZT", None, id="a zone that nobody knows"),
        pytest.param("Mon, 02 Mrz 2026 12:00:00 +0100", None, id="another language"),
        pytest.param("30 Feb 2026 12:00:00 GMT", None, id="a day that never was"),
        pytest.param("soon", None, id="no date"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_d5_a_date_is_understood_or_kept(text: str, expected: str | None) -> None:
    assert moment(text) == (text if expected is None else expected)


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="0123456789-:+ ,.TZGMTmarMon()", max_size=40) | st.text(max_size=70))
def test_d5_no_text_makes_it_raise(text: str) -> None:
    assert moment(text) or not text


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (("60", "", ""), timedelta(hours=1)),
        (("0", "hourly", ""), timedelta(hours=1)),
        (("", "Daily", "4"), timedelta(hours=6)),
        (("", "daily", "0"), timedelta(days=1)),
        (("9999999", "", ""), timedelta(days=30)),
        (("-5", "sometimes", "x"), None),
    ],
)
def test_how_long_a_feed_may_be_kept(said: tuple[str, str, str], expected: timedelta | None) -> None:
    minutes, period, frequency = said

    assert ttl(minutes=minutes, period=period, frequency=frequency) == expected
