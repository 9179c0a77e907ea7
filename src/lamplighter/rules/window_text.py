"""How are windows written, by people and in JSON, and what is wrong with one that cannot be read?"""

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import groupby
from typing import Any
from zoneinfo import available_timezones

from lamplighter.errors import BadInput
from lamplighter.model.schedule import Window, WindowKind

DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
EVERY_DAY = frozenset(range(7))
DAY_END = 24 * 60
WHOLE_DAY = (0, DAY_END)
#: more than this is a mistake, and would be slow to search
MOST_WINDOWS = 100

_SHORT_NAMES = tuple(name[:3] for name in DAY_NAMES)
_DAY_NUMBERS = {name: number for names in (DAY_NAMES, _SHORT_NAMES) for number, name in enumerate(names)}
_FIELDS = ("kind", "days", "start", "end", "zone")
_EXAMPLE = "write for example '22:00-05:00', or 'mon-fri 09:00-17:30 Europe/Berlin; deny sat,sun'"
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})")
_SPACED = re.compile(r"\s*([-,])\s*")
#: names for what a machine happens to be set to, or for nothing; not places
_NO_PLACES = frozenset({"localtime", "Factory"})


def parse(text: str, *, zone: str | None = None) -> tuple[Window, ...]:
    """Windows as people write them, separated by semicolons; `zone` is for those that name none, UTC if None."""
    default_zone = known_zone("UTC" if zone is None else zone)
    parts = [part for part in text.split(";") if part.strip()]
    if not parts:
        raise BadInput(f"{_shown(text)} holds no window; {_EXAMPLE}")
    _check_count(parts)
    return tuple(_parsed(part.strip(), default_zone) for part in parts)


def from_hours(start: int, end: int, days: Iterable[int] | None) -> tuple[Window, ...]:
    """Whole hours in UTC, 0 to 23, on days of the week (Monday is 0; None: every day); a lesser end is overnight."""
    for hour in (start, end):
        if hour not in range(24):
            raise BadInput(f"{hour!r} is not an hour; give 0 to 23")
    chosen = EVERY_DAY if days is None else frozenset(days)
    if not chosen or not chosen <= EVERY_DAY:
        raise BadInput(f"{sorted(chosen)} are not days of the week; give 0 (Monday) to 6, or nothing for every day")
    return (_window(WindowKind.ALLOW, chosen, (start * 60, end * 60), "UTC"),)


def from_json(items: object) -> tuple[Window, ...]:
    """Windows from a list of objects such as `to_json` makes."""
    if not isinstance(items, list):
        raise BadInput(f"{_shown(items)} is not a list of windows; give a list of objects with {', '.join(_FIELDS)}")
    _check_count(items)
    return tuple(_from_item(item) for item in items)


def to_json(windows: Sequence[Window]) -> list[dict[str, Any]]:
    """Windows as they are stored and sent."""
    return [
        {
            "kind": window.kind.value,
            "days": [_SHORT_NAMES[day] for day in sorted(window.days)],
            "start": _time_text(window.start),
            "end": _time_text(window.end),
            "zone": window.zone,
        }
        for window in windows
    ]


def loaded(items: object) -> tuple[tuple[Window, ...], tuple[str, ...]]:
    """Stored windows that can still be used, and what is wrong with each of the others; it never raises."""
    if not isinstance(items, list):
        return (), (f"{_shown(items)} is not a list of windows; none is in force",)
    windows: list[Window] = []
    complaints: list[str] = []
    for number, item in enumerate(items, start=1):
        try:
            windows.append(_from_item(item))
        except BadInput as refusal:
            complaints.append(f"window {number} of {len(items)} is not in force: {refusal}")
    return tuple(windows), tuple(complaints)


def describe(windows: Sequence[Window]) -> str:
    """Windows for people, in the words in which `parse` reads them."""
    return "; ".join(_described(window) for window in windows) or "at any time"


def known_zone(name: str) -> str:
    """The name itself, if it is that of an IANA time zone here."""
    if name in zone_names():
        return name
    raise BadInput(f"{_shown(name)} is not a known IANA time zone; {_near_zones(name)}")


@cache
def zone_names() -> frozenset[str]:
    """Every IANA time zone that this machine knows."""
    return frozenset(available_timezones()) - _NO_PLACES


def _parsed(text: str, default_zone: str) -> Window:
    words: dict[str, str] = {}
    for word in _SPACED.sub(r"\1", text.replace("–", "-")).split():
        role = _role(word)
        if role in words:
            raise BadInput(f"{_shown(text)} has two {role}, {words[role]!r} and {word!r}; separate windows by ';'")
        words[role] = word
    zone = _zone(words["zones"]) if "zones" in words else default_zone
    if not words.keys() & {"days", "times"}:
        raise BadInput(f"{_shown(text)} does not say when; {_EXAMPLE}")
    return _window(
        WindowKind(words["kinds"].lower()) if "kinds" in words else WindowKind.ALLOW,
        _days(words["days"]) if "days" in words else EVERY_DAY,
        _times(words["times"]) if "times" in words else WHOLE_DAY,
        zone,
    )


def _role(word: str) -> str:
    """What a word is there for, judged by its form, so that a wrong one is refused for the right reason."""
    if word.lower() in list(WindowKind):
        return "kinds"
    if word[0].isdigit() or ":" in word:
        return "times"
    if "," in word or any(part in _DAY_NUMBERS for part in word.lower().split("-")):
        return "days"
    return "zones"


def _days(word: str) -> frozenset[int]:
    days: set[int] = set()
    for part in word.split(","):
        first, *last = (_day(name) for name in part.split("-"))
        if len(last) > 1:
            raise BadInput(f"{_shown(part)} is no range of days; write for example mon-fri, or mon,wed,fri")
        length = (last[0] - first) % 7 if last else 0
        days.update((first + step) % 7 for step in range(length + 1))
    return frozenset(days)


def _day(name: object) -> int:
    number = _DAY_NUMBERS.get(name.lower()) if isinstance(name, str) else None
    if number is None:
        raise BadInput(f"{_shown(name)} is not a day; write {', '.join(_SHORT_NAMES)}, or the full English name")
    return number


def _times(word: str) -> tuple[int, int]:
    start, dash, end = word.partition("-")
    if not dash:
        raise BadInput(f"{_shown(word)} has no end; write for example 22:00-05:00")
    return _minutes(start), _minutes(end)


def _minutes(text: object) -> int:
    found = _TIME.fullmatch(text) if isinstance(text, str) else None
    minutes = int(found[1]) * 60 + int(found[2]) if found else None
    if found is None or minutes is None or int(found[2]) > 59 or minutes > DAY_END:
        raise BadInput(f"{_shown(text)} is not a time of day; write HH:MM, from 00:00 to 24:00")
    return minutes


def _zone(word: str) -> str:
    if "/" in word or word in zone_names():
        return known_zone(word)
    days = get_close_matches(word.lower(), _DAY_NUMBERS, n=1, cutoff=0.7)
    remedy = f"did you mean {days[0]}?" if days else _near_zones(word)
    raise BadInput(f"{_shown(word)} is neither a day (mon to sun) nor a known IANA time zone; {remedy}")


def _near_zones(name: str) -> str:
    """A remedy: the zones that the name may have been meant for."""
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
        raise BadInput(f"{_shown(item)} is not a window; give an object with {', '.join(_FIELDS)}, and nothing else")
    if item["kind"] not in list(WindowKind):
        raise BadInput(f"{_shown(item['kind'])} is not a kind of window; give 'allow' or 'deny'")
    if not isinstance(item["days"], list) or not item["days"]:
        raise BadInput(f'{_shown(item["days"])} is not a list of days; give for example ["mon", "tue"]')
    if not isinstance(item["zone"], str):
        raise BadInput(f"{_shown(item['zone'])} is not a known IANA time zone; {_near_zones('')}")
    days = frozenset(_day(name) for name in item["days"])
    return _window(
        WindowKind(item["kind"]), days, (_minutes(item["start"]), _minutes(item["end"])), known_zone(item["zone"])
    )


def _window(kind: WindowKind, days: frozenset[int], times: tuple[int, int], zone: str) -> Window:
    start, end = times
    if start == DAY_END:
        raise BadInput("A window cannot begin at 24:00; write 00:00, and the day after")
    if start == end:
        raise BadInput(
            f"A window from {_time_text(start)} to {_time_text(end)} has no length; 00:00-24:00 is a whole day"
        )
    return Window(kind=kind, days=days, start=start, end=end, zone=zone)


def _described(window: Window) -> str:
    words = [window.kind.value]
    if window.days != EVERY_DAY:
        words.append(_days_text(window.days))
    if window.days == EVERY_DAY or (window.start, window.end) != WHOLE_DAY:
        words.append(f"{_time_text(window.start)}-{_time_text(window.end)}")
    return " ".join([*words, window.zone])


def _days_text(days: Iterable[int]) -> str:
    """Days in a row as a range if there are three or more."""
    runs = [[day for _, day in run] for _, run in groupby(enumerate(sorted(days)), lambda pair: pair[1] - pair[0])]
    names = [[_SHORT_NAMES[day] for day in run] for run in runs]
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(run) for run in names)


def _time_text(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _check_count(given: Collection[object]) -> None:
    if len(given) > MOST_WINDOWS:
        raise BadInput(f"{len(given)} windows are too many; {MOST_WINDOWS} are the most")


def _shown(value: object) -> str:
    """A value as a message shows it: not all of a long one."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
