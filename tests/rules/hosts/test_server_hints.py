"""What servers say about time, in all the forms they say it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.rules.hosts.server_hints import LONGEST_FRESH, fresh_for, http_date, retry_after

NOW = datetime(2026, 3, 14, 12, 0, 0, tzinfo=UTC)
IN_TWO_MINUTES = datetime(2026, 3, 14, 12, 2, 0, tzinfo=UTC)
CAP = timedelta(days=1)


def seconds(number: int) -> timedelta:
    return timedelta(seconds=number)


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        pytest.param("120", seconds(120), id="seconds"),
        pytest.param(" 120 ", seconds(120), id="seconds with spaces"),
        pytest.param("0", seconds(0), id="at once"),
        pytest.param("000120", seconds(120), id="leading zeros"),
        pytest.param("Sat, 14 Mar 2026 12:02:00 GMT", seconds(120), id="a date as it should be"),
        pytest.param("Saturday, 14-Mar-26 12:02:00 GMT", seconds(120), id="a date of RFC 850"),
        pytest.param("Sat Mar 14 12:02:00 2026", seconds(120), id="a date of asctime"),
        pytest.param("Sat, 14 Mar 2026 14:02:00 +0200", seconds(120), id="a date in another zone"),
        pytest.param("Sat, 14 Mar 2026 11:59:00 GMT", None, id="a date in the past"),
        pytest.param("Sat, 14 Mar 2026 12:00:00 GMT", None, id="a date that is now"),
        pytest.param("-5", None, id="negative"),
        pytest.param("soon", None, id="a word"),
        pytest.param("", None, id="empty"),
        pytest.param("1.5", None, id="a fraction"),
        pytest.param("1e3", None, id="an exponent"),
        pytest.param("١٢٠", None, id="digits of another script"),
        pytest.param("120, 60", None, id="two values"),
        pytest.param("1000000000000", CAP, id="thirty thousand years: capped"),
        pytest.param("9" * 5000, CAP, id="a number of 5,000 digits: capped"),
        pytest.param("Fri, 31 Dec 9999 23:59:59 GMT", CAP, id="the last day there is: capped"),
        pytest.param(None, None, id="absent"),
    ],
)
def test_b5_retry_after(value: str | None, wait: timedelta | None) -> None:
    assert retry_after(value, now=NOW, cap=CAP) == wait


@pytest.mark.parametrize(
    ("hours", "wait"),
    [
        pytest.param(-1, 3600 + 120, id="an hour behind ours: from when it answered"),
        pytest.param(0, 120, id="as ours"),
        pytest.param(1, 120, id="an hour ahead of ours: never sooner than by our clock"),
    ],
)
def test_b5_h6_a_date_to_wait_for_is_one_of_the_servers_clock(hours: int, wait: int) -> None:
    sent_at = NOW + timedelta(hours=hours)

    assert retry_after("Sat, 14 Mar 2026 12:02:00 GMT", now=NOW, cap=CAP, sent_at=sent_at) == seconds(wait)


@given(st.text(max_size=60))
@settings(deadline=None, max_examples=300)
def test_b5_no_retry_after_breaks_or_exceeds_the_cap(value: str) -> None:
    wait = retry_after(value, now=NOW, cap=CAP)

    assert wait is None or timedelta(0) <= wait <= CAP


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Sat, 14 Mar 2026 12:02:00 GMT", id="IMF-fixdate"),
        pytest.param("Saturday, 14-Mar-26 12:02:00 GMT", id="RFC 850"),
        pytest.param("Sat Mar 14 12:02:00 2026", id="asctime"),
    ],
)
def test_http_s_three_dates_are_the_same_moment(text: str) -> None:
    assert http_date(text) == IN_TWO_MINUTES


@pytest.mark.parametrize("text", ["", "0", "-1", "soon", "Sat, 99 Mar 2026 12:02:00 GMT", "Sat, 14 Mar 2026", "\x00"])
def test_what_is_no_date_is_none(text: str) -> None:
    found = http_date(text)

    assert found is None or found.tzinfo is not None


@pytest.mark.parametrize(
    ("headers", "fresh"),
    [
        pytest.param({}, None, id="nothing said"),
        pytest.param({"Cache-Control": "max-age=600"}, seconds(600), id="max-age"),
        pytest.param({"Cache-Control": "public, Max-Age=600, must-revalidate"}, seconds(600), id="among others"),
        pytest.param({"Cache-Control": 'max-age="600"'}, seconds(600), id="quoted, as some do"),
        pytest.param({"Cache-Control": "max-age=0"}, seconds(0), id="max-age of zero"),
        pytest.param({"Cache-Control": "s-maxage=600"}, None, id="a shared cache's age is not ours"),
        pytest.param({"Cache-Control": "x-max-age=600"}, None, id="a name that only ends like it"),
        pytest.param({"Cache-Control": "max-age=soon"}, None, id="no number"),
        pytest.param({"Cache-Control": "max-age=-1"}, None, id="negative"),
        pytest.param({"Cache-Control": "max-age=600, no-cache"}, None, id="no-cache: ask whenever"),
        pytest.param({"Cache-Control": "no-store, max-age=600"}, None, id="no-store: ask whenever"),
        pytest.param({"Cache-Control": "max-age=31536000"}, LONGEST_FRESH, id="a year: believed for a week"),
        pytest.param({"Cache-Control": "max-age=" + "9" * 400}, LONGEST_FRESH, id="an absurd age"),
        pytest.param({"Cache-Control": "max-age=600", "Age": "500"}, seconds(100), id="it spent some of it in a cache"),
        pytest.param({"Cache-Control": "max-age=600", "Age": "900"}, seconds(0), id="it spent all of it in a cache"),
        pytest.param({"Cache-Control": "max-age=600", "Age": "old"}, seconds(600), id="an age that is no number"),
        pytest.param({"Expires": "Sat, 14 Mar 2026 12:02:00 GMT"}, seconds(120), id="Expires"),
        pytest.param(
            {"Expires": "Sat, 14 Mar 2026 11:02:00 GMT", "Date": "Sat, 14 Mar 2026 11:00:00 GMT", "Age": "20"},
            seconds(100),
            id="Expires by a clock that is behind ours",
        ),
        pytest.param(
            {"Expires": "Mon, 01 Jan 0001 00:00:00 GMT", "Age": "999999999"}, None, id="the first day there is"
        ),
        pytest.param({"Expires": "Sat, 14 Mar 2026 11:00:00 GMT"}, None, id="Expires in the past"),
        pytest.param({"Expires": "0"}, None, id="Expires that means: already"),
        pytest.param({"Expires": "Fri, 31 Dec 9999 23:59:59 GMT"}, LONGEST_FRESH, id="Expires never"),
        pytest.param(
            {"Cache-Control": "max-age=600", "Expires": "Sat, 14 Mar 2026 12:02:00 GMT"},
            seconds(600),
            id="max-age beats Expires",
        ),
    ],
)
def test_how_long_a_response_stays_fresh(headers: dict[str, str], fresh: timedelta | None) -> None:
    assert fresh_for(headers, now=NOW) == fresh


@given(st.text(max_size=60), st.text(max_size=60))
@settings(deadline=None, max_examples=200)
def test_no_header_breaks_the_reading_of_freshness(control: str, expires: str) -> None:
    fresh = fresh_for({"Cache-Control": control, "Expires": expires}, now=NOW)

    assert fresh is None or timedelta(0) <= fresh <= LONGEST_FRESH
