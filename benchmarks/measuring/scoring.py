"""How well was a page read? Precision and recall of titles with links, of each field, and of running text."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from benchmarks.corpus import Case, Outcome
from lamplighter.model.record import Record

DATES: Final = ("deadline", "published_at")
_TEXTS: Final = ("organisation", "location_raw", "country_iso", "currency", "author", "level", "sku", "brand")
_NUMBERS: Final = ("price",)
_EXACT: Final = ("apply_url",)
FIELDS: Final = (*DATES, *_TEXTS, *_NUMBERS, *_EXACT)

#: a word, or one character of a script that puts no spaces between words
_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


class Tally(NamedTuple):
    """How many were found right, found at all, and wanted."""

    right: int = 0
    found: int = 0
    wanted: int = 0

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def f1(self) -> float:
        """Their harmonic mean; 1 when nothing was wanted and nothing found."""
        return 2 * self.right / (self.found + self.wanted) if self.found + self.wanted else 1.0


def total(tallies: Iterable[Tally]) -> Tally:
    """All of them counted together."""
    return Tally(*map(sum, zip(*tallies, strict=True))) if (tallies := list(tallies)) else Tally()


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well one case was read."""

    outcome: Outcome
    #: records whose title and link are both right
    listed: Tally
    #: by field, over the records that were found; a record that was not found lacks all its fields
    fields: Mapping[str, Tally]
    #: what is amiss, one line each, for a person to read
    faults: Sequence[str] = field(default_factory=tuple)
    #: word-bag F1 of the running text; None where the case has none
    text_f1: float | None = None
    #: None where the kind is not judged
    kind_right: bool | None = None
    #: None where the next page is not judged
    next_right: bool | None = None
    #: of the links of a sitemap; None elsewhere
    links: Tally | None = None

    @property
    def case(self) -> Case:
        return self.outcome.case

    @property
    def dates(self) -> Tally:
        """Deadlines and days of publication together."""
        return total(self.fields[name] for name in DATES)


def score(outcome: Outcome) -> Score:
    """Compares what was read with what a careful person would take from the page."""
    case = outcome.case
    pairs, spurious = _paired(case.records, outcome.records)
    right = sum(_is_listed(expected, found) for expected, found in pairs)
    links = _links_of(outcome) if case.links else None
    text_f1 = _text_f1(outcome) if case.text is not None else None
    return Score(
        outcome=outcome,
        listed=Tally(right, len(outcome.records), len(case.records)),
        fields={name: total(_judged(name, pair, case) for pair in pairs) for name in FIELDS},
        faults=tuple(_faults(pairs, spurious, case)),
        text_f1=text_f1,
        kind_right=_kind_right(outcome),
        next_right=outcome.reading.next_page == case.next_page if case.next_page else None,
        links=links,
    )


Pair = tuple[Mapping[str, Any], Record | None]


def _paired(wanted: Sequence[Mapping[str, Any]], found: Sequence[Record]) -> tuple[list[Pair], list[Record]]:
    """Each wanted record with the one found for it, by its link and else by its title; then those left over."""
    left = list(found)
    partners: dict[int, Record] = {}
    for key in (_has_link, _has_title):
        for place, expected in enumerate(wanted):
            partner = None if place in partners else next((record for record in left if key(expected, record)), None)
            if partner is not None:
                partners[place] = partner
                left.remove(partner)
    return [(expected, partners.get(place)) for place, expected in enumerate(wanted)], left


def _has_link(expected: Mapping[str, Any], found: Record) -> bool:
    return found.url in _choices(expected.get("url"))


def _has_title(expected: Mapping[str, Any], found: Record) -> bool:
    return _folded(found.title) in map(_folded, _choices(expected["title"]))


def _is_listed(expected: Mapping[str, Any], found: Record | None) -> bool:
    return found is not None and _has_title(expected, found) and ("url" not in expected or _has_link(expected, found))


def _judged(name: str, pair: Pair, case: Case) -> Tally:
    """One field of one record. A date that the page does not say must not be found; other fields may be."""
    expected, found = pair
    if name in case.not_judged or (name not in expected and name not in DATES):
        return Tally()
    choices = _choices(expected.get(name))
    value = _value(found, name) if found else None
    right = value is not None and any(_equal(name, choice, value) for choice in choices)
    return Tally(int(right), int(value is not None), int(bool(choices)))


def _value(record: Record, name: str) -> Any:
    return getattr(record, name) if hasattr(record, name) else record.fields.get(name)


def _equal(name: str, expected: Any, found: Any) -> bool:
    if name in DATES:
        return _same_moment(str(expected), found)
    if name in _NUMBERS:
        return isinstance(found, int | float) and abs(found - expected) < 0.005
    if name in _EXACT:
        return bool(expected == found)
    return _words(str(expected)) == _words(str(found))


def _same_moment(expected: str, found: date | datetime) -> bool:
    """Equal to the second where the page says a time, else to the day."""
    if "T" in expected:
        return isinstance(found, datetime) and found.astimezone(UTC) == datetime.fromisoformat(expected)
    return expected == (found.date() if isinstance(found, datetime) else found).isoformat()


def _text_f1(outcome: Outcome) -> float:
    texts = [str(record.fields["text"]) for record in outcome.records if "text" in record.fields]
    wanted = Counter(_words(outcome.case.text or ""))
    found = Counter(_words(texts[0] if texts else ""))
    return Tally((wanted & found).total(), found.total(), wanted.total()).f1


def _kind_right(outcome: Outcome) -> bool | None:
    """Where the page had to tell by itself: are most of its records of the right kind?"""
    case = outcome.case
    if case.kind is None or case.wanted is not None:
        return None
    right = sum(record.kind is case.kind for record in outcome.records)
    return right * 2 > len(outcome.records)


def _links_of(outcome: Outcome) -> Tally:
    found = {link.url for link in outcome.reading.links}
    wanted = set(outcome.case.links)
    return Tally(len(found & wanted), len(found), len(wanted))


def _faults(pairs: Sequence[Pair], spurious: Sequence[Record], case: Case) -> Iterable[str]:
    for expected, found in pairs:
        if found is None:
            yield f"missing    {_first(expected['title'])!r} {_first(expected.get('url'))}"
            continue
        if not _has_title(expected, found):
            yield f"title      {found.title[:120]!r}, not {_first(expected['title'])!r}"
        if "url" in expected and not _has_link(expected, found):
            yield f"link       {found.url}, not {_first(expected['url'])} ({found.title[:60]!r})"
        for name in FIELDS:
            tally = _judged(name, (expected, found), case)
            if tally.right < max(tally.found, tally.wanted):
                shown = _value(found, name)
                yield f"{name:10} {str(shown)[:100]!r}, not {expected.get(name)!r} ({found.title[:60]!r})"
    yield from (f"spurious   {record.title[:120]!r} {record.url}" for record in spurious)


def _choices(value: Any) -> list[Any]:
    """A list means that any of its values is right."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _first(value: Any) -> Any:
    return next(iter(_choices(value)), None)


def _folded(text: str) -> str:
    return " ".join(normalize("NFKC", text).casefold().split())


def _words(text: str) -> list[str]:
    return _WORD.findall(normalize("NFKC", text).casefold())
