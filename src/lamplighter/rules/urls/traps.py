"""Does this URL, or what its site has lately returned, look like an endless crawler trap?

Sites rarely mean harm: a relative link that adds itself again, a calendar with a "next month" on every page. But a
crawler that follows them never finishes.
"""

import re
from collections.abc import Iterator, Sequence

_MAX_URL_LENGTH = 2000
_MAX_SEGMENTS = 20
_MAX_PARAMETERS = 20
#: a part of the path that repeats so often in a row is a trap
_REPEATS = 3
_FIRST_YEAR = 1990
_YEARS_AHEAD = 2

_YEAR = re.compile(r"[0-9]{4,8}")
_MONTH = re.compile(r"0?[1-9]|1[0-2]")
_TWO_DIGIT_MONTH = re.compile(r"0[1-9]|1[0-2]")
_TWO_DIGIT_DAY = re.compile(r"0[1-9]|[12][0-9]|3[01]")
_YEAR_MONTH_DAY = re.compile(r"([0-9]{4,8})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:T.*)?")
_YEAR_MONTH = re.compile(r"([0-9]{4,8})-(?:0?[1-9]|1[0-2])")
_COMPACT_DATE = re.compile(r"([0-9]{4})(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])?")

_CALENDARS = frozenset({"calendar", "calendrier", "calendario", "kalender", "agenda", "year", "month", "week", "day"})
_DATED = _CALENDARS | {"event", "events", "archive", "archives", "blog", "news", "schedule", "termine"}
_YEAR_NAMES = frozenset({"year", "yr", "yyyy", "calyear", "cal_year", "jahr", "annee"})
_MONTH_NAMES = frozenset({"month", "m", "mo", "mm", "calmonth", "cal_month", "week", "day", "monat", "mois"})
_DATE_NAME = re.compile(r"date|month|week|day|cal|from|start|since|until")


def trap_reason(url: str, *, now_year: int) -> str | None:
    """Why a normalised URL should not be followed, or None when nothing is suspicious."""
    if len(url) > _MAX_URL_LENGTH:
        return f"URL of {len(url)} characters, more than {_MAX_URL_LENGTH}"
    location, _, query = url.partition("://")[2].partition("?")
    segments = [segment for segment in location.split("/")[1:] if segment]
    parameters = query.split("&") if query else []
    if len(segments) > _MAX_SEGMENTS:
        return f"{len(segments)} path segments, more than {_MAX_SEGMENTS}"
    if len(parameters) > _MAX_PARAMETERS:
        return f"{len(parameters)} query parameters, more than {_MAX_PARAMETERS}"
    if cycle := _repeated(segments):
        return f"path repeats /{'/'.join(cycle)} {_REPEATS} times"
    for year in _years(segments, parameters) if _YEAR.search(url) else ():
        if year is not None and not _FIRST_YEAR <= year <= now_year + _YEARS_AHEAD:
            return f"calendar page of the year {year}"
    return None


def novelty_exhausted(recent: Sequence[bool], *, window: int = 50, least_novel: float = 0.05) -> bool:
    """Did too few of the last pages have anything new? Never true before `window` pages were seen."""
    latest = recent[-window:]
    return len(latest) == window and sum(latest) < least_novel * window


def _repeated(segments: list[str]) -> list[str]:
    """The part of the path that repeats too often; empty when none does."""
    if len(segments) - len(set(segments)) < _REPEATS - 1:
        return []
    for length in range(1, len(segments) // _REPEATS + 1):
        equal_in_a_row = 0
        for position in range(length, len(segments)):
            equal_in_a_row = equal_in_a_row + 1 if segments[position] == segments[position - length] else 0
            if equal_in_a_row == length * (_REPEATS - 1):
                return segments[position - length + 1 : position + 1]
    return []


def _years(segments: list[str], parameters: list[str]) -> Iterator[int | None]:
    """The years at places where only a date can be: a number alone, as in /jobs/7749, is not a year."""
    words = [segment.lower() for segment in segments]
    for place, word in enumerate(words):
        yield _year_in_path(word, before=words[:place], after=words[place + 1 :])
    values = {name.lower(): value for name, _, value in (parameter.partition("=") for parameter in parameters)}
    in_calendar = not _MONTH_NAMES.isdisjoint(values) or not _DATED.isdisjoint(words)
    for name, value in values.items():
        yield _year_in_query(name, value, in_calendar=in_calendar)


def _year_in_path(word: str, *, before: list[str], after: list[str]) -> int | None:
    if dated := _YEAR_MONTH_DAY.fullmatch(word):
        return int(dated[1])
    if (dated := _YEAR_MONTH.fullmatch(word)) and not _DATED.isdisjoint(before):
        return int(dated[1])
    return int(word) if _YEAR.fullmatch(word) and _reads_as_year(before, after) else None


def _reads_as_year(before: list[str], after: list[str]) -> bool:
    """Is a number at this place of the path a year?"""
    if before and before[-1] in _CALENDARS:
        return True
    if not after or not _MONTH.fullmatch(after[0]):
        return False
    if len(after) > 1 and _TWO_DIGIT_MONTH.fullmatch(after[0]) and _TWO_DIGIT_DAY.fullmatch(after[1]):
        return True
    # /news/7749/2 is the second page of an article; /news/7749/02 is a February.
    return not _CALENDARS.isdisjoint(before) or (after[0].startswith("0") and not _DATED.isdisjoint(before))


def _year_in_query(name: str, value: str, *, in_calendar: bool) -> int | None:
    if dated := _YEAR_MONTH_DAY.fullmatch(value):
        return int(dated[1])
    if _DATE_NAME.search(name) and (dated := _YEAR_MONTH.fullmatch(value) or _COMPACT_DATE.fullmatch(value)):
        return int(dated[1])
    if not _YEAR.fullmatch(value):
        return None
    if name in _YEAR_NAMES:
        # A shop may sell cars of 1985, but not of the year 7749.
        return int(value) if in_calendar or int(value) >= _FIRST_YEAR else None
    return int(value) if name == "y" and in_calendar else None
