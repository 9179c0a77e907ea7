"""Converts windows to JSON and back, and says what is wrong with a window that cannot be parsed."""

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from lamplighter.errors import BadInput
from lamplighter.model.schedule import Window, WindowKind

DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SHORT_NAMES = tuple(name[:3] for name in DAY_NAMES)
DAY_NUMBERS = {name: number for names in (DAY_NAMES, SHORT_NAMES) for number, name in enumerate(names)}
DAY_END = 24 * 60
#: more windows are refused: they would be slow to search
MOST_WINDOWS = 100

_FIELDS = ("kind", "days", "start", "end", "zone")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})")
#: names for a machine's local setting, not for places
_NO_PLACES = frozenset({"localtime", "Factory"})


def from_json(items: object) -> tuple[Window, ...]:
    """Parses windows from a list of objects as in `to_json`."""
    if not isinstance(items, list):
        raise BadInput(f"{shown(items)} is not a list of windows; give a list of objects with {', '.join(_FIELDS)}")
    check_count(items)
    return tuple(_from_item(item) for item in items)


def to_json(windows: Sequence[Window]) -> list[dict[str, Any]]:
    """Windows as they are stored and sent."""
    return [
        {
            "kind": window.kind.value,
            "days": [SHORT_NAMES[day] for day in sorted(window.days)],
            "start": time_text(window.start),
            "end": time_text(window.end),
            "zone": window.zone,
        }
        for window in windows
    ]


def loaded(items: object) -> tuple[tuple[Window, ...], tuple[str, ...]]:
    """The stored windows that are valid, and what is wrong with each of the others; never raises."""
    if not isinstance(items, list):
        return (), (f"{shown(items)} is not a list of windows; none is in effect",)
    windows: list[Window] = []
    complaints: list[str] = []
    for number, item in enumerate(items, start=1):
        try:
            windows.append(_from_item(item))
        except BadInput as refusal:
            complaints.append(f"window {number} of {len(items)} is not in effect: {refusal}")
    return tuple(windows), tuple(complaints)


def known_zone(name: str) -> str:
    """The name itself, if it is a known IANA time zone."""
    if name in zone_names():
        return name
    raise BadInput(f"{shown(name)} is not a known IANA time zone; {near_zones(name)}")


@cache
def zone_names() -> frozenset[str]:
    """Every IANA time zone that this machine knows."""
    return frozenset(available_timezones()) - _NO_PLACES


def day_number(name: object) -> int:
    """The number of a day, from its English name; Monday is 0."""
    number = DAY_NUMBERS.get(name.lower()) if isinstance(name, str) else None
    if number is None:
        raise BadInput(f"{shown(name)} is not a day; write {', '.join(SHORT_NAMES)}, or the full English name")
    return number


def minutes_of(text: object) -> int:
    """Minutes after midnight, from HH:MM."""
    found = _TIME.fullmatch(text) if isinstance(text, str) else None
    minutes = int(found[1]) * 60 + int(found[2]) if found else None
    if found is None or minutes is None or int(found[2]) > 59 or minutes > DAY_END:
        raise BadInput(f"{shown(text)} is not a time of day; write HH:MM, from 00:00 to 24:00")
    return minutes


def near_zones(name: str) -> str:
    """A suggestion: the zones that the name may mean."""
    wanted = name.lower().replace(" ", "_")
    by_lower = {zone.lower(): zone for zone in sorted(zone_names())}
    same = [by_lower[wanted]] if wanted in by_lower else []
    cities = [zone for lower, zone in by_lower.items() if lower.endswith(f"/{wanted}")]
    near = same or cities or [by_lower[lower] for lower in get_close_matches(wanted, by_lower, n=3, cutoff=0.75)]
    if not near:
        return "write one such as Europe/Berlin, America/New_York or UTC"
    return f"did you mean {' or '.join(near[:3])}?"


def _from_item(item: object) -> Window:
    if not isinstance(item, dict) or set(item) != set(_FIELDS):
        raise BadInput(f"{shown(item)} is not a window; give an object with {', '.join(_FIELDS)}, and nothing else")
    if item["kind"] not in list(WindowKind):
        raise BadInput(f"{shown(item['kind'])} is not a kind of window; give 'allow' or 'deny'")
    if not isinstance(item["days"], list) or not item["days"]:
        raise BadInput(f'{shown(item["days"])} is not a list of days; give for example ["mon", "tue"]')
    if not isinstance(item["zone"], str):
        raise BadInput(f"{shown(item['zone'])} is not a known IANA time zone; {near_zones('')}")
    days = frozenset(day_number(name) for name in item["days"])
    return checked_window(
        WindowKind(item["kind"]), days, (minutes_of(item["start"]), minutes_of(item["end"])), known_zone(item["zone"])
    )


def checked_window(kind: WindowKind, days: frozenset[int], times: tuple[int, int], zone: str) -> Window:
    """The window, if it has a length."""
    start, end = times
    if start == DAY_END:
        raise BadInput("A window cannot begin at 24:00; write 00:00 of the next day")
    if start == end:
        raise BadInput(
            f"A window from {time_text(start)} to {time_text(end)} has no length; 00:00-24:00 is a whole day"
        )
    return Window(kind=kind, days=days, start=start, end=end, zone=zone)


def time_text(minutes: int) -> str:
    """HH:MM, from minutes after midnight."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def check_count(given: Collection[object]) -> None:
    """Refuses a list of too many windows."""
    if len(given) > MOST_WINDOWS:
        raise BadInput(f"{len(given)} windows are too many; {MOST_WINDOWS} are the most")


def shown(value: object) -> str:
    """A value for a message, cut off if it is long."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
