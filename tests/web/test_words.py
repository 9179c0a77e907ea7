"""How are times, numbers and links shown?"""

from datetime import UTC, datetime, timedelta

import pytest

from lamplighter.web import words

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("away", "expected"),
    [
        (timedelta(0), "now"),
        (timedelta(seconds=-59), "59 s ago"),
        (timedelta(seconds=90), "in 90 s"),
        (timedelta(minutes=-59), "59 min ago"),
        (timedelta(hours=5), "in 5 h"),
        (timedelta(days=-3), "3 d ago"),
    ],
)
def test_a_time_is_shown_as_its_distance(away: timedelta, expected: str) -> None:
    assert words.ago(NOW + away, NOW) == expected


def test_no_time_is_a_dash() -> None:
    assert words.ago(None, NOW) == "-"


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//evil.example", "ftp://a.example", ""])
def test_only_web_addresses_become_links(url: str) -> None:
    assert words.web_link(url) is None


def test_thousands_are_set_apart() -> None:
    assert words.thousands(1234567) == "1\u202f234\u202f567"


def test_code_is_shown_as_code_and_nothing_else_as_markup() -> None:
    assert words.code_spans("send `a<b>` & <i>wait</i>") == "send <code>a&lt;b&gt;</code> &amp; &lt;i&gt;wait&lt;/i&gt;"


def test_a_time_is_an_element_with_the_exact_moment_in_it() -> None:
    moment = datetime(2026, 1, 29, 10, 0, 5, 250_000, tzinfo=UTC)

    element = words.time_ago(moment, moment + timedelta(hours=3))

    exact = 'datetime="2026-01-29T10:00:05.250000+00:00" title="2026-01-29 10:00:05 UTC"'
    assert element == f"<time {exact} data-ago>3 h ago</time>"
    assert hasattr(element, "__html__")


@pytest.mark.parametrize(
    ("number", "word", "expected"),
    [
        pytest.param(1, "run", "1 run", id="one"),
        pytest.param(0, "run", "0 runs", id="none"),
        pytest.param(3, "entry", "3 entries", id="a word with y"),
        pytest.param(1234, "page", "1\u202f234 pages", id="thousands"),
    ],
)
def test_what_is_counted_agrees_with_its_number(number: int, word: str, expected: str) -> None:
    assert words.counted(number, word) == expected


def test_a_time_within_a_reason_becomes_an_element_and_nothing_else_markup() -> None:
    shown = words.timed("<b> is not fetched until 2026-03-01 12:30:05 UTC: HTTP 503")

    element = '<time datetime="2026-03-01T12:30:05+00:00" title="2026-03-01 12:30:05 UTC" data-clock>'
    assert shown == f"&lt;b&gt; is not fetched until {element}2026-03-01 12:30:05 UTC</time>: HTTP 503"


def test_a_reason_beside_its_end_does_not_name_another() -> None:
    reason = "robots.txt could not be fetched (HTTP 503), so no page may be fetched"

    assert words.but_for_next_try(f"{reason}; next try 2026-03-01 12:30:05 UTC") == reason
    assert words.but_for_next_try(f"{reason}; next try of others") == f"{reason}; next try of others"
