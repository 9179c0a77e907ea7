"""When was a record published and updated, and what is its deadline? The site's own text is kept as well."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from lamplighter.model.record import Finding
from lamplighter.normalise.dates.date_order import Prefers, month_first_shown, order_of
from lamplighter.normalise.dates.dates import ParsedMoment, read_when
from lamplighter.normalise.fields import PageContext, clean_text

_LONGEST = 300
#: clocks and zones may be wrong by a day; a publication date later than that is ignored
_AHEAD = timedelta(days=1)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_PREFERENCES: Mapping[str, Prefers] = {"deadline": "future", "published_at": "past", "updated_at": "past"}
_TEXTS = {name: f"{name}_raw" for name in _PREFERENCES}


class Timing(NamedTuple):
    """The dates of a record."""

    #: deadline, published_at, updated_at; None where unknown
    values: dict[str, date | datetime | None]
    #: `<name>_raw` where the text was not ISO 8601, and `approximate_dates`
    fields: dict[str, Any]


def read_timing(given: Mapping[str, Any], seen: PageContext) -> Timing:
    """The dates of the raw fields, relative to when they were read."""
    values: dict[str, date | datetime | None] = dict.fromkeys(_PREFERENCES)
    fields: dict[str, Any] = {}
    approximate = _known_names(given.get("approximate_dates"))
    for name in given.keys() & _PREFERENCES.keys():
        text = clean_text(given[name], longest=_LONGEST)
        if text is None:
            continue
        when = read_when(
            text, language=seen.language, seen_at=seen.seen_at, prefers=_PREFERENCES[name], month_first=seen.month_first
        )
        values[name] = _value(name, when, seen.seen_at) if when else None
        if values[name] is None or not _ISO.match(text):
            fields[f"{name}_raw"] = text
        if when and when.is_relative:
            approximate.append(name)
    if approximate and (known := sorted({name for name in approximate if values[name] is not None})):
        fields["approximate_dates"] = known
    return Timing(values, fields)


def month_first_on(records: Iterable[Mapping[str, Finding]], *, language: str | None, seen_at: datetime) -> bool | None:
    """Whether the records of a page together show that it writes the month before the day; None when they do not."""
    is_settled = order_of(language).month_first is not None
    return month_first_shown(_texts(records), today=seen_at.astimezone(UTC).date(), is_settled=is_settled)


def unnoticed(said: Mapping[str, Any]) -> set[str]:
    """Names of dates, and of texts about them, that change without a change in meaning: "3 days ago" by waiting."""
    texts = {text for name, text in _TEXTS.items() if said.get(name) is not None}
    return texts.union(said.get("approximate_dates") or (), ("approximate_dates", "updated_at", "updated_at_raw"))


def _texts(records: Iterable[Mapping[str, Finding]]) -> Iterator[tuple[str, Prefers]]:
    for fields in records:
        for name, prefers in _PREFERENCES.items():
            found = fields.get(name)
            # ISO 8601 has a fixed order, and says nothing about another.
            if found is not None and isinstance(found.value, str) and not _ISO.match(found.value):
                yield found.value[:_LONGEST], prefers


def _known_names(value: Any) -> list[str]:
    """A record that was normalised before says itself which of its dates are approximate."""
    return [name for name in _PREFERENCES if name in value] if isinstance(value, (list, tuple)) else []


def _value(name: str, when: ParsedMoment, seen_at: datetime) -> date | datetime | None:
    if name == "deadline":
        # The day as the site counts days: its own zone is not converted away.
        return when.moment.date()
    moment = when.moment if when.moment.tzinfo is UTC else when.moment.astimezone(UTC)
    return moment if moment <= seen_at + _AHEAD else None
