"""W3C dates of any precision."""

from datetime import UTC, datetime

import pytest

from lamplighter.extract.sitemaps.sitemap import moment_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2026", datetime(2026, 1, 1, tzinfo=UTC), id="a year"),
        pytest.param("2026-03", datetime(2026, 3, 1, tzinfo=UTC), id="a month"),
        pytest.param(" 2026-03-02 ", datetime(2026, 3, 2, tzinfo=UTC), id="a day"),
        pytest.param("2026-03-02T12:30Z", datetime(2026, 3, 2, 12, 30, tzinfo=UTC), id="without seconds"),
        pytest.param("2026-03-02T12:30:00.5-05:00", datetime(2026, 3, 2, 17, 30, 0, 500_000, UTC), id="a fraction"),
        pytest.param("2026-03-02T12:30:00", datetime(2026, 3, 2, 12, 30, tzinfo=UTC), id="without a zone"),
        pytest.param("0001-01-01T00:00:00+05:00", None, id="before time"),
        pytest.param("2026-13", None, id="a month too many"),
        pytest.param("yesterday", None, id="no date"),
    ],
)
def test_a_date_is_a_moment_or_nothing(text: str, expected: datetime | None) -> None:
    assert moment_of(text) == expected
