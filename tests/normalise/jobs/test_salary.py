"""What a job pays, where the text is plain about it."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.normalise.fields import PageContext
from lamplighter.normalise.jobs.salary import read_salary

SEEN = PageContext("https://jobs.example/", "en-US", datetime(2026, 3, 2, tzinfo=UTC))


def salary(low: float | None, high: float | None, currency: str | None = None, period: str | None = None) -> Any:
    parts = {"min": low, "max": high, "currency": currency, "period": period}
    return {name: part for name, part in parts.items() if part is not None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("USD 60,000 - 80,000 per year", salary(60000, 80000, "USD", "year")),
        ("€45k–€60k p.a.", salary(45000, 60000, "EUR", "year")),
        ("45-60k EUR", salary(45000, 60000, "EUR")),
        ("from £30,000", salary(30000, None, "GBP")),
        ("£30,000+", salary(30000, None, "GBP")),
        ("up to $25 per hour", salary(None, 25, "USD", "hour")),
        ("3.500 € brutto im Monat", salary(3500, 3500, "EUR", "month")),
        ("€45,000 for 38 hours per week", salary(45000, 45000, "EUR")),
        ("60000", salary(60000, 60000)),
        ({"min": "1", "max": "2", "currency": "EUR", "period": "YEAR"}, salary(1, 2, "EUR", "year")),
        ({"min": 2, "max": 1}, salary(1, 2)),
    ],
)
def test_plain_pay(text: Any, expected: dict[str, Any]) -> None:
    assert read_salary(text, SEEN) == expected


@pytest.mark.parametrize(
    "value",
    ["Competitive", "TVöD E13", "2024", "P-3", "", None, True, [], {}, {"currency": "EUR"}, "£10 or £20 or £30"],
)
def test_unplain_pay_is_unknown(value: Any) -> None:
    assert read_salary(value, SEEN) is None


@settings(deadline=None, max_examples=200)
@given(
    st.text(max_size=60) | st.from_regex(r"(from |up to )?[€$£]?[0-9.,k -]{1,20}( per (year|hour))?", fullmatch=True)
)
def test_reading_a_salary_again_gives_the_same(text: str) -> None:
    once = read_salary(text, SEEN)

    assert once is None or read_salary(once, SEEN) == once
