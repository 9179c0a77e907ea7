"""How do people write windows, and what is wrong with a text that cannot be read?"""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import groupby

from lamplighter.errors import BadInput
from lamplighter.model.schedule import Window, WindowKind
from lamplighter.model.window_json import (
    DAY_END,
    DAY_NUMBERS,
    SHORT_NAMES,
    check_count,
    checked_window,
    day_number,
    known_zone,
    minutes_of,
    near_zones,
    shown,
    time_text,
    zone_names,
)

EVERY_DAY = frozenset(range(7))
WHOLE_DAY = (0, DAY_END)

_EXAMPLE = "write for example '22:00-05:00', or 'mon-fri 09:00-17:30 Europe/Berlin; deny sat,sun'"
_SPACED = re.compile(r"\s*([-,])\s*")


def parse(text: str, *, zone: str | None = None) -> tuple[Window, ...]:
    """Parses windows as people write them, separated by semicolons; `zone` is for those that name none, UTC if None."""
    default_zone = known_zone("UTC" if zone is None else zone)
    parts = [part for part in text.split(";") if part.strip()]
    if not parts:
        raise BadInput(f"{shown(text)} holds no window; {_EXAMPLE}")
    check_count(parts)
    return tuple(_parsed(part.strip(), default_zone) for part in parts)


def from_hours(start: int, end: int, days: Iterable[int] | None) -> tuple[Window, ...]:
    """Windows of whole hours in UTC, 0 to 23, on weekdays (Monday is 0; None: every day); a lesser end is overnight."""
    for hour in (start, end):
        if hour not in range(24):
            raise BadInput(f"{hour!r} is not an hour; give 0 to 23")
    chosen = EVERY_DAY if days is None else frozenset(days)
    if not chosen or not chosen <= EVERY_DAY:
        raise BadInput(f"{sorted(chosen)} are not days of the week; give 0 (Monday) to 6, or nothing for every day")
    return (checked_window(WindowKind.ALLOW, chosen, (start * 60, end * 60), "UTC"),)


def describe(windows: Sequence[Window]) -> str:
    """Windows as text that `parse` can read."""
    return "; ".join(_described(window) for window in windows) or "at any time"


def _parsed(text: str, default_zone: str) -> Window:
    words: dict[str, str] = {}
    for word in _SPACED.sub(r"\1", text.replace("–", "-")).split():
        role = _role(word)
        if role in words:
            raise BadInput(f"{shown(text)} has two {role}, {words[role]!r} and {word!r}; separate windows by ';'")
        words[role] = word
    zone = _zone(words["zones"]) if "zones" in words else default_zone
    if not words.keys() & {"days", "times"}:
        raise BadInput(f"{shown(text)} does not say when; {_EXAMPLE}")
    return checked_window(
        WindowKind(words["kinds"].lower()) if "kinds" in words else WindowKind.ALLOW,
        _days(words["days"]) if "days" in words else EVERY_DAY,
        _times(words["times"]) if "times" in words else WHOLE_DAY,
        zone,
    )


def _role(word: str) -> str:
    """The role of a word, judged by its form, so that a wrong word is refused for the right reason."""
    if word.lower() in list(WindowKind):
        return "kinds"
    if word[0].isdigit() or ":" in word:
        return "times"
    if "," in word or any(part in DAY_NUMBERS for part in word.lower().split("-")):
        return "days"
    return "zones"


def _days(word: str) -> frozenset[int]:
    days: set[int] = set()
    for part in word.split(","):
        first, *last = (day_number(name) for name in part.split("-"))
        if len(last) > 1:
            raise BadInput(f"{shown(part)} is not a range of days; write for example mon-fri, or mon,wed,fri")
        length = (last[0] - first) % 7 if last else 0
        days.update((first + step) % 7 for step in range(length + 1))
    return frozenset(days)


def _times(word: str) -> tuple[int, int]:
    start, dash, end = word.partition("-")
    if not dash:
        raise BadInput(f"{shown(word)} has no end; write for example 22:00-05:00")
    return minutes_of(start), minutes_of(end)


def _zone(word: str) -> str:
    if "/" in word or word in zone_names():
        return known_zone(word)
    days = get_close_matches(word.lower(), DAY_NUMBERS, n=1, cutoff=0.7)
    remedy = f"did you mean {days[0]}?" if days else near_zones(word)
    form = "windows are like mon-fri 22:00-05:00 Europe/Berlin"
    raise BadInput(f"{shown(word)} is neither a day (mon to sun) nor a known IANA time zone: {form}; {remedy}")


def _described(window: Window) -> str:
    words = [window.kind.value]
    if window.days != EVERY_DAY:
        words.append(_days_text(window.days))
    if window.days == EVERY_DAY or (window.start, window.end) != WHOLE_DAY:
        words.append(f"{time_text(window.start)}-{time_text(window.end)}")
    return " ".join([*words, window.zone])


def _days_text(days: Iterable[int]) -> str:
    """Days in a row as a range if there are three or more."""
    runs = [[day for _, day in run] for _, run in groupby(enumerate(sorted(days)), lambda pair: pair[1] - pair[0])]
    names = [[SHORT_NAMES[day] for day in run] for run in runs]
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(run) for run in names)
