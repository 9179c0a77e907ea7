"""One record: what it says, how each value was found, what the site itself said, and how it changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from lamplighter.model.record import Method
from lamplighter.rules.text_diff import MOST_PAIRS_OF_LINE, Piece, by_words

Record = Mapping[str, Any]
#: the ways to find a value, in words
_METHODS: Mapping[str, str] = {
    Method.RECIPE: "the source's recipe",
    Method.JSONLD: "JSON-LD in the page",
    Method.MICRODATA: "microdata in the page",
    Method.RDFA: "RDFa in the page",
    Method.FEED: "the feed",
    Method.META: "the page's head",
    Method.STATE: "data of the page's scripts",
    Method.API: "the API's answer",
    Method.LISTING: "the list on the page",
    Method.LABELS: "labels on the page",
    Method.ARTICLE: "the running text",
    Method.HTML: "the page itself",
}
_PLAIN = (
    "title url organisation location_raw country_iso deadline published_at updated_at expires_at language tags"
).split()
_TIMES = ("published_at", "updated_at", "expires_at")
_NAMES = {"country_iso": "country", "location_raw": "place", "level_norm": "level", "url": "address"}
#: a value and the name under which the site's own words for it are kept
_RAW_OF = {"country_iso": "location_raw", "city": "location_raw", "level_norm": "level"}
#: shown below, in full
_LONG = ("description", "text")
_LONGEST_IN_A_LINE = 300
#: changed fields that a page shows, the newest
MOST_CHANGES = 50


class FieldLine(NamedTuple):
    """A field of a record."""

    name: str
    value: str
    #: where it leads; None when it is no address
    link: str | None
    #: None when it is no time
    moment: datetime | None
    #: as the site says it; None where that is the value, or was not kept
    raw: str | None
    #: how it was found; None when that was not noted
    method: str | None
    confidence: float | None


class LongText(NamedTuple):
    """A field of many lines."""

    name: str
    text: str
    method: str | None
    confidence: float | None


class Change(NamedTuple):
    """One field that changed, and which of its words."""

    field: str
    pieces: list[Piece]


class Step(NamedTuple):
    """All that changed at one moment."""

    at: datetime
    changes: list[Change]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """A record, ready to be shown."""

    fields: list[FieldLine]
    texts: list[LongText]
    history: list[Step]
    #: changed fields before those that are shown
    earlier_changes: int
    first_seen_at: datetime
    last_seen_at: datetime
    gone_at: datetime | None
    expires_at: datetime | None
    #: address, whether it is the record's own page, and since when it shows the record
    shown_on: list[tuple[str, bool, datetime]]


def detail(record: Record) -> Detail:
    """The parts of a record's page."""
    said = {name: record[name] for name in _PLAIN} | dict(record["fields"])
    return Detail(
        fields=[_line(record, said, name) for name, value in said.items() if _is_shown(name, value, said)],
        texts=[
            LongText(name, text, *_evidence(record, name))
            for name in _LONG
            if (text := record["description"] if name == "description" else record["fields"].get(name))
        ],
        history=[
            Step(datetime.fromisoformat(at), [_change(line) for line in group])
            for at, group in groupby(record["history"][:MOST_CHANGES], key=lambda line: line["at"])
        ],
        earlier_changes=max(0, len(record["history"]) - MOST_CHANGES),
        first_seen_at=datetime.fromisoformat(record["first_seen_at"]),
        last_seen_at=datetime.fromisoformat(record["last_seen_at"]),
        gone_at=_moment(record["gone_at"]),
        expires_at=_moment(record["expires_at"]),
        shown_on=[(page["url"], page["is_own"], datetime.fromisoformat(page["since"])) for page in record["shown_on"]],
    )


def plain(value: Any) -> str:
    """A value of any shape, as a person reads it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain(each)}" for name, each in value.items() if each is not None)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(plain(each) for each in value)
    return str(value)


def _is_shown(name: str, value: Any, said: Mapping[str, Any]) -> bool:
    is_empty = value is None or value in ("", [], {})
    return not is_empty and name not in _LONG and not _is_beside(name, said)


def _is_beside(name: str, said: Mapping[str, Any]) -> bool:
    """Whether it is shown beside the value that was made of it."""
    tells = [value for value, raw in _RAW_OF.items() if raw == name] + [name.removesuffix("_raw")]
    return any(value != name and said.get(value) is not None for value in tells)


def _line(record: Record, said: Mapping[str, Any], name: str) -> FieldLine:
    value, raw = said[name], said.get(_RAW_OF.get(name, f"{name}_raw"))
    text = plain(value)[:_LONGEST_IN_A_LINE]
    link = value if isinstance(value, str) and value.startswith(("http://", "https://")) else None
    moment = _moment(value) if name in _TIMES else None
    said_by_site = plain(raw) if raw is not None else None
    return FieldLine(_NAMES.get(name, name), text, link, moment, said_by_site, *_evidence(record, name))


def _evidence(record: Record, name: str) -> tuple[str | None, float | None]:
    found = record["provenance"].get(name)
    return (_METHODS.get(found["method"], found["method"]), found["confidence"]) if found else (None, None)


def _change(line: Mapping[str, Any]) -> Change:
    before, after = (plain(value) if value is not None else "" for value in (line["before"], line["after"]))
    return Change(line["field"].removeprefix("fields."), by_words(before, after, most_pairs=MOST_PAIRS_OF_LINE))


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
