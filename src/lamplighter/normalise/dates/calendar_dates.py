"""Which calendar day does a text name, in digits or with a month's name in any language?"""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import NamedTuple

from lamplighter.normalise.cldr import fold
from lamplighter.normalise.dates.date_order import DateOrder, Prefers, day_or_none
from lamplighter.normalise.dates.date_words import ERAS, GLUE, ORDINALS

FIRST_YEAR, YEARS_AHEAD = 1990, 10
#: a day without its year among many words is rarely a date
_LONGEST_WITHOUT_YEAR = 50
#: How long after its deadline a job may still be listed, when the deadline has no year: "12 March" means the same day
#: from 305 days before it to 60 days after. A shorter time would make a deadline that has passed jump ahead by a year.
_LISTED_AFTER = timedelta(days=60)
_CLOCKS_DIFFER = timedelta(days=1)

_WORD = re.compile(r"""[^\s\d.,;:/()\[\]|'"+~<>-]+""")
_VIETNAMESE_MONTH = re.compile(r"\b(?:tháng|thg)\s+(\d{1,2})(?!\d)", re.IGNORECASE)
#: Arabic names of two words
_TWO_WORDS = {"كانون الثاني": 1, "تشرين الأول": 10, "تشرين الثاني": 11, "كانون الأول": 12}

#: a year of a Japanese era; the first has a name, not a number
_ERA_YEAR = re.compile(rf"({'|'.join(ERAS)})\s?(元|\d{{1,2}})\s?年")
#: an ordinal's ending is right after the digits, or after a mark: 1er, 1.o, 1-го
_NUMBERED = re.compile(r"\d[.-]?\Z")

_PLAIN = re.compile(r"(\d\d?)[ .-]{1,2}([^\W\d_]{3,12})[ .-]{1,2}(\d{4})|([^\W\d_]{3,12})\.? (\d\d?),? (\d{4})")
#: with marks, or none where every number has all its digits: 02112026
_PLAIN_FIGURES = re.compile(r"(\d\d?)([./-])(\d\d?)\2(\d{4})|(\d\d)(\d\d)((?:19|20)\d\d)")
_LONE_YEAR = re.compile(r"(?<![\d:.+-])\d{4}(?![\d:])")

# In these patterns <12> is December, in whatever language the text names it.
_MONTH = r"<(?P<month>\d\d?)>(?:\s*/\s*<\d\d?>)?"
_DAY = r"(?P<day>\d\d?)(?![\d:])"
_APART = r"[\s.,/'-]{0,6}"
_TO = r"\s*(?:-|~|to|bis|au|al|a|à|do|до|по|til|till|tot|t/m|and|und|et|y|e|и|至)\s*"
#: two digits are a year only where nothing follows that makes them a day or an hour; a time of day may follow
_YEAR = r"(?P<year>\d{4}(?!\d)|\d\d(?!\.?\s*[\w:<])|\d\d(?=,?\s\d\d?:\d\d))"
_YEAR_AFTER = rf"\s?[,/'-]\s?'?{_YEAR}|\s{{1,2}}(?P<later>\d{{4}}(?!\d)|\d\d\Z)"
_WITH_MONTH_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"<(?P<from_month>\d\d?)>[\s.-]{{0,3}}(?P<from>\d\d?){_TO}{_MONTH}[\s.-]{{0,3}}{_DAY}(?:{_YEAR_AFTER})?",
        rf"(?<!\d)(?P<year>\d{{4}}){_APART}{_MONTH}[\s.,-]{{0,3}}{_DAY}(?!,?\s?\d{{4}})",
        rf"(?<!\d)(?<!\d[.:])(?:(?P<from>\d\d?)[\s.]?{_TO})?{_DAY}{_APART}{_MONTH}(?:{_APART}{_YEAR})?",
        # Dec-6-25: with a dash on both sides of the day, the last two digits are a year; Dec 6-25 is a range.
        rf"{_MONTH}\s?-\s?{_DAY}\s?-\s?{_YEAR}",
        rf"{_MONTH}[\s.-]{{0,3}}(?P<from>\d\d?){_TO}{_DAY}(?:{_YEAR_AFTER})?",
        rf"{_MONTH}[\s.-]{{0,3}}{_DAY}(?:{_YEAR_AFTER})?",
        rf"{_MONTH}{_APART}(?P<year>\d{{4}})(?!\d)",
    )
)
_IN_FIGURES = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})\s?(?P<between>[-/.])\s?(?P<month>\d\d?)\s?(?P=between)\s?(?P<day>\d\d?)"
        r"(?!\d|[-.]\d|/\d\d?\b)",
        r"(?<![\d.,])(?:(?P<from>\d\d?)\.(?:(?P<from_month>\d\d?)\.)?\s?-\s?)?"
        r"(?P<a>\d\d?)\s?(?P<mark>[-/.])\s?(?P<b>\d\d?)\s?(?P=mark)\s?'?(?P<year>\d{4}|\d\d)(?!\d|(?P=mark)\d)",
        r"\A(?P<year>\d{4})-(?P<month>\d\d)\Z",
    )
)
_IN_CHARACTERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})\s?[年년]\s?(?P<month>\d\d?)\s?[月월](?:\s?(?P<day>\d\d?)\s?[日일号號])?",
        r"(?<![\d年년])(?<!年 |년 )(?P<month>\d\d?)\s?[月월]\s?(?P<day>\d\d?)\s?[日일号號]",
    )
)


class Day(NamedTuple):
    """A day that a text names, and the rest of the text, which may contain a time of day."""

    day: date
    rest: str


class _Named(NamedTuple):
    """What the text names, which may be too little for a day or too much."""

    start: int
    end: int
    year: int | None
    month: int
    day: int | None
    #: the day and the month at which a range starts that ends with this day
    start_of_range: tuple[int, int] | None = None


def read_day(
    text: str,
    months: Mapping[str, int],
    *,
    order: DateOrder,
    seen_at: datetime,
    prefers: Prefers,
    needs_year: bool = False,
) -> Day | None:
    """The day that the text names; of several the last for `prefers="future"`, else the first."""
    today = seen_at.date()
    plain = _plain_day(text, months) or _plain_figures(text, order, today, prefers)
    if plain and _is_plausible(plain, today):
        return Day(plain, "")
    spelt = _with_figures(text, months)
    named = _with_lone_year(sorted(_named(spelt, order, today, prefers)), spelt)
    if (needs_year or len(text) > _LONGEST_WITHOUT_YEAR) and not any(each.year for each in named):
        return None
    days = [(day, each) for each in _dated(named, today, prefers) for day in _days(each, prefers)]
    plausible = [(day, each) for day, each in days if _is_plausible(day, today)]
    if not plausible:
        return None
    day, chosen = plausible[-1 if prefers == "future" else 0]
    following = next((each.start for each in named if each.start >= chosen.end), len(spelt))
    preceding = max((each.end for each in named if each.end <= chosen.start), default=0)
    return Day(day, f"{spelt[chosen.end : following]} {spelt[preceding : chosen.start]}".strip())


def _plain_day(text: str, months: Mapping[str, int]) -> date | None:
    """The day of a text in the most common forms, "11 Dec 2025" or "December 11, 2025": in a quarter of the time."""
    if (found := _PLAIN.fullmatch(text)) is None:
        return None
    month = months.get(fold(found[2] or found[4]))
    return day_or_none(int(found[3] or found[6]), month, int(found[1] or found[5])) if month else None


def _plain_figures(text: str, order: DateOrder, today: date, prefers: Prefers) -> date | None:
    if (found := _PLAIN_FIGURES.fullmatch(text)) is None:
        return None
    figures = (found[1], found[3], found[4]) if found[2] else (found[5], found[6], found[7])
    parts = order.resolve(figures, mark=found[2] or "", today=today, prefers=prefers)
    return day_or_none(*parts) if parts else None


def _is_plausible(day: date, today: date) -> bool:
    return FIRST_YEAR <= day.year <= today.year + YEARS_AHEAD


def _with_figures(text: str, months: Mapping[str, int]) -> str:
    """The text with each month's name as <number>, and without the words between a day, its month and its year."""

    def said(found: re.Match[str]) -> str:
        word = fold(found[0])
        # Hebrew writes "in December" as one word.
        if month := months.get(word) or months.get(word.removeprefix("ב")):
            return f" <{month}> "
        if word in ORDINALS and _NUMBERED.search(text, max(found.start() - 2, 0), found.start()):
            return ""
        # The m of "3:45 p.m." is no Lithuanian year.
        is_glue = word in GLUE and text[max(found.start() - 2, 0) : found.start()].lower() not in ("a.", "p.")
        return " " if is_glue else found[0]

    if not text.isascii():
        for name, month in _TWO_WORDS.items():
            text = text.replace(name, f" <{month}> ")
        text = _VIETNAMESE_MONTH.sub(r" <\1> ", text)
        text = _ERA_YEAR.sub(_without_era, text)
    return _WORD.sub(said, text)


def _without_era(found: re.Match[str]) -> str:
    year = 1 if found[2] == "元" else int(found[2])
    return f"{ERAS[found[1]] + year}年"


def _named(spelt: str, order: DateOrder, today: date, prefers: Prefers) -> Iterator[_Named]:
    """Every date in the text, the fuller reading first where two overlap."""
    taken: list[tuple[int, int]] = []
    for pattern in _patterns(spelt):
        for found in pattern.finditer(spelt):
            start, end = found.span()
            if any(start < other_end and end > other_start for other_start, other_end in taken):
                continue
            taken.append((start, end))
            if named := _from_match(found, order, today, prefers):
                yield named


def _patterns(spelt: str) -> Iterator[re.Pattern[str]]:
    """The patterns that could match, since most could not."""
    if not spelt.isascii():
        yield from _IN_CHARACTERS
    if "-" in spelt or "/" in spelt or "." in spelt:
        yield from _IN_FIGURES
    if "<" in spelt:
        yield from _WITH_MONTH_NAMES


def _from_match(found: re.Match[str], order: DateOrder, today: date, prefers: Prefers) -> _Named | None:
    said = found.groupdict()
    figures = said.get("year") or said.get("later")
    if "mark" in said:
        triple = (said["a"], said["b"], said["year"])
        parts = order.resolve(triple, mark=said["mark"], today=today, prefers=prefers)
        if parts is None:
            return None
        year, month, day = parts
    else:
        year = int(figures) + (2000 if len(figures) == 2 else 0) if figures else 0
        month, day = int(said["month"]), int(said["day"]) if said.get("day") else 0
    start = int(said.get("from") or 0)
    if not start:
        return _Named(*found.span(), year or None, month, day or None)
    from_month = int(said.get("from_month") or month)
    if start < day or from_month != month:
        return _Named(*found.span(), year or None, month, day or None, (start, from_month))
    # A range ascends: of "28-3 May" or "May 28-3" only the day beside the month is sure.
    return _Named(*found.span(), year or None, month, day if found.start("from") < found.start("month") else start)


def _with_lone_year(named: list[_Named], spelt: str) -> list[_Named]:
    """Days without a year get the one that is elsewhere in the text: "2025. gada 17. maijs"."""
    if all(each.year for each in named):
        return named
    for each in named:
        spelt = f"{spelt[: each.start]}{' ' * (each.end - each.start)}{spelt[each.end :]}"
    years = set(_LONE_YEAR.findall(spelt))
    if not years:
        return named
    year = int(years.pop()) if len(years) == 1 else None
    return [each if each.year else each._replace(year=year) for each in named if each.year or year]


def _dated(named: list[_Named], today: date, prefers: Prefers) -> Iterator[_Named]:
    """Each with a year: that of the next date that has one ("28 Nov - 15 Dec 2025"), else the nearest to today."""
    following: _Named | None = None
    dated: list[_Named] = []
    for each in reversed(named):
        if each.year is None and following is not None and following.year is not None:
            each = each._replace(year=following.year - (each.month > following.month))
        elif each.year is None:
            # What has begun may end tomorrow: of a range in the past, the first day counts.
            has_begun = prefers == "past" and each.start_of_range
            day, month = has_begun or (each.day or 1, each.month)
            year = _nearest_year(month, day, today, prefers)
            each = each._replace(year=year + (month > each.month) if year else None)
        else:
            following = each
        dated.append(each)
    return reversed(dated)


def _nearest_year(month: int, day: int, today: date, prefers: Prefers) -> int | None:
    candidates = [found for year in range(today.year - 1, today.year + 2) if (found := day_or_none(year, month, day))]
    if prefers == "past":
        candidates = [each for each in candidates if each <= today + _CLOCKS_DIFFER]
    elif prefers == "future":
        candidates = [each for each in candidates if each >= today - _LISTED_AFTER]
    return min(candidates, key=lambda each: abs(each - today)).year if candidates else None


def _days(named: _Named, prefers: Prefers) -> Iterator[date]:
    """The first and the last day that were named; a month alone covers all its days."""
    if named.year is None or not 1 <= named.month <= 12:
        return
    if named.day is None:
        last = monthrange(named.year, named.month)[1] if 1 <= named.year <= 9999 else 0
        if day := day_or_none(named.year, named.month, last if prefers == "future" else 1):
            yield day
        return
    if named.start_of_range:
        first_day, first_month = named.start_of_range
        if day := day_or_none(named.year - (first_month > named.month), first_month, first_day):
            yield day
    if day := day_or_none(named.year, named.month, named.day):
        yield day
