"""What a discovered link is worth."""

from datetime import timedelta

import pytest

from lamplighter.rules.urls.link_score import score
from tests.moments import NOON

GOOD = {"status": 200, "content_type": "text/html", "source_count": 5, "heard_of_at": NOON, "now": NOON}


@pytest.mark.parametrize(
    ("change", "points"),
    [
        pytest.param({}, 100, id="the best there is"),
        pytest.param({"status": 304}, 100, id="unchanged is as good"),
        pytest.param({"status": 404}, 70, id="does not answer"),
        pytest.param({"status": None}, 70, id="not fetched yet"),
        pytest.param({"content_type": "application/rss+xml; charset=utf-8"}, 100, id="a feed"),
        pytest.param({"content_type": "application/pdf"}, 70, id="cannot be read"),
        pytest.param({"source_count": 1}, 84, id="one source knows it"),
        pytest.param({"source_count": 50}, 100, id="more than five say no more"),
        pytest.param({"heard_of_at": NOON - timedelta(days=15)}, 90, id="half forgotten"),
        pytest.param({"heard_of_at": NOON - timedelta(days=90)}, 80, id="forgotten"),
        pytest.param({"heard_of_at": NOON + timedelta(days=1)}, 100, id="a clock that is ahead"),
    ],
)
def test_each_part_counts(change: dict[str, object], points: int) -> None:
    assert score(**GOOD | change).points == points
