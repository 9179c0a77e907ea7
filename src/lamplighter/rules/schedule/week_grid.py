"""At which hours of one week are windows open, in the local time of a zone?"""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from lamplighter.model.schedule import Window
from lamplighter.rules.schedule import window

HOURS = 7 * 24
_HOUR = timedelta(hours=1)


def monday_of(now: datetime, zone: ZoneInfo) -> date:
    """The Monday of the current week in the zone."""
    there = now.astimezone(zone).date()
    return there - timedelta(days=there.weekday())


def hour_of(moment: datetime, *, monday: date, zone: ZoneInfo) -> float:
    """Hours from that Monday's midnight to the moment, on the zone's clocks."""
    shown = moment.astimezone(zone).replace(tzinfo=None)
    return (shown - datetime.combine(monday, time())) / _HOUR


def open_stretches(windows: Sequence[Window], *, monday: date, zone: ZoneInfo) -> Iterator[tuple[float, float]]:
    """The open stretches of that week, in hours from its midnight; where a clock is put back, they overlap."""
    moment, end = _midnight(monday, zone), _midnight(monday + timedelta(days=7), zone)
    while moment < end:
        opens = window.next_opening(windows, moment)
        if opens is None or opens >= end:
            return
        shuts = min(window.closes_at(windows, opens) or end, end)
        last = HOURS if shuts == end else hour_of(shuts, monday=monday, zone=zone)
        yield hour_of(opens, monday=monday, zone=zone), last
        moment = shuts


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)
