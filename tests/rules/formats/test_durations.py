"""Durations as people write them."""

from datetime import timedelta

import pytest

from lamplighter.rules.formats import durations


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("168h", timedelta(days=7)),
        ("90m", timedelta(minutes=90)),
        ("7d", timedelta(days=7)),
        (" 3600S ", timedelta(hours=1)),
    ],
)
def test_a_number_and_its_unit_are_a_duration(text: str, meant: timedelta) -> None:
    assert durations.parsed(text) == meant


@pytest.mark.parametrize("text", ["", "168", "h", "-1h", "1.5h", "1h30m", "0s", "9999999d", "soon", "٣h"])
def test_anything_else_is_none(text: str) -> None:
    assert durations.parsed(text) is None
