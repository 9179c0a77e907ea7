"""A zone is read where it is named, and only where it is one."""

from datetime import datetime

import pytest

from lamplighter.normalise.dates.clock_times import read_zone

SUMMER = datetime(2025, 7, 1)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("23:59 CET", 1),
        ("23:59 EST", -5),
        ("12:00 GMT+7", 7),
        ("12:00 UTC+05:30", 5.5),
        ("10:00 +0200", 2),
        ("10:00:00-05:00", -5),
        ("10:00Z", 0),
        ("23:59 (Geneva time)", 2),
        ("by 5 pm New York time", -4),
        ("17:00 ET", -4),
        ("23:59 Central European Time", 2),
        ("23:59 heure de Genève", 2),
        ("17:00 hrs Nairobi time", 3),
        ("9:00-10:00", None),
        ("12:00 IST", None),
        ("12:00 XYZ", None),
        ("12:00 Gotham time", None),
        ("12:00 GMT+99", None),
        ("12:00", None),
    ],
)
def test_zones(text: str, hours: float | None) -> None:
    zone = read_zone(text)

    offset = zone.utcoffset(SUMMER) if zone else None
    assert (offset.total_seconds() / 3600 if offset is not None else None) == hours
