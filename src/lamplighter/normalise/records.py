"""A raw record made clean: one spelling for each value, an identity, and a measure of how complete it is."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from lamplighter.model.record import RawRecord, Record, RecordKind, Skipped
from lamplighter.normalise import fields as clean
from lamplighter.normalise.identity import address_of, canonical_hash, content_hash

_LONGEST_TITLE = 500
_LONGEST_NAME = 300
_LONGEST_TEXT = 50_000

#: what a complete record of each kind has besides its title and its own address
_EXPECTED: Mapping[RecordKind, tuple[str, ...]] = {
    RecordKind.JOB: ("organisation", "location_raw", "deadline", "published_at", "description", "career_type"),
    RecordKind.ARTICLE: ("published_at", "author", "description", "section"),
    RecordKind.PRODUCT: ("price", "currency", "availability", "brand", "description", "sku"),
    RecordKind.OTHER: ("published_at", "description"),
}
_TITLE_WEIGHT = _URL_WEIGHT = 0.2

#: raw names that a record calls otherwise
_RENAMED = {"location": "location_raw", "country": "country_iso"}
#: people who write recipes know the record's names, too
_ALIASES = {name: raw_name for raw_name, name in _RENAMED.items()}
#: fields that have a meaning besides their text
_MAY_BE_UNREAD = ("deadline", "published_at", "updated_at", "country")
#: fields of the record itself; every other raw field goes into its `fields`
_OWN_FIELDS = frozenset(
    "title url organisation location country deadline published_at updated_at description language tags".split()
)
#: what may change without a reader's noticing
_UNNOTICED = frozenset({"updated_at", "updated_at_raw", "guid"})
#: how a kind-specific value is read; the rest only has to fit into JSON
_READERS: Mapping[str, Callable[[Any], Any]] = {
    "price": clean.number_or_text,
    "availability": clean.code_of,
    "career_type": clean.code_of,
    "work_modality": clean.code_of,
    "apply_url": address_of,
    "image": address_of,
}


def to_record(raw: RawRecord, *, page_url: str, source_url: str) -> Record | Skipped:
    """The clean record, or why there is none. `page_url` is where it was found, `source_url` its source's address."""
    given = {_ALIASES.get(name, name): found.value for name, found in raw.fields.items()}
    own_url = _own_url(given.get("url"), source_url)
    title = clean.clean_text(given.get("title"), longest=_LONGEST_TITLE)
    if title is None:
        return Skipped(reason=f"a {raw.kind} without a title, found on {own_url or page_url}")
    values = _values(given)
    fields = _kind_specific(given) | _unread(given, values)
    said = {**fields, **values, "title": title, "url": own_url}
    return Record(
        kind=raw.kind,
        url=own_url or address_of(page_url) or page_url,
        canonical_hash=canonical_hash(
            raw.kind,
            own_url=own_url,
            guid=clean.clean_text(given.get("guid"), longest=_LONGEST_TITLE),
            source_url=source_url,
            page_url=page_url,
            title=title,
            organisation=values["organisation"],
            location=values["location_raw"],
        ),
        content_hash=_content_hash(said),
        title=title,
        fields=fields,
        quality=_quality(raw.kind, own_url, said),
        provenance=_provenance(raw, said),
        **values,
    )


def _own_url(given: Any, source_url: str) -> str | None:
    """The record's own address; the listing's is not its own, however often the listing says so."""
    url = address_of(given)
    return None if url == address_of(source_url) else url


def _values(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that every kind of record has."""
    return {
        "organisation": clean.clean_text(given.get("organisation"), longest=_LONGEST_NAME),
        "location_raw": clean.clean_text(given.get("location"), longest=_LONGEST_NAME),
        "country_iso": clean.country_of(given.get("country")),
        "deadline": _when(given.get("deadline"), clean.parse_date),
        "published_at": _when(given.get("published_at"), clean.parse_datetime),
        "updated_at": _when(given.get("updated_at"), clean.parse_datetime),
        "description": clean.clean_text(given.get("description"), longest=_LONGEST_TEXT),
        "language": clean.language_of(given.get("language")),
        "tags": clean.tags_of(given.get("tags")),
    }


def _when(value: Any, parse: Callable[[str], date | datetime | None]) -> date | datetime | None:
    text = clean.clean_text(value, longest=_LONGEST_NAME)
    return parse(text) if text else None


def _unread(given: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """What the site said where we could not make sense of it, kept under `<name>_raw`."""
    unread = [name for name in _MAY_BE_UNREAD if name in given and values[_RENAMED.get(name, name)] is None]
    texts = ((name, clean.clean_text(given[name], longest=_LONGEST_NAME)) for name in unread)
    return {f"{name}_raw": text for name, text in texts if text}


def _kind_specific(given: Mapping[str, Any]) -> dict[str, Any]:
    found = {
        name: _READERS.get(name, clean.json_ready)(value) for name, value in given.items() if name not in _OWN_FIELDS
    }
    if text := found.get("text"):
        found["word_count"] = len(str(text).split())
    return {name: value for name, value in found.items() if value is not None}


def _content_hash(said: Mapping[str, Any]) -> str:
    """A reader notices neither that a feed touched its dates nor in which order it lists its tags."""
    noticed = {name: value for name, value in said.items() if name not in _UNNOTICED}
    return content_hash(noticed | {"tags": sorted(said["tags"])})


def _quality(kind: RecordKind, own_url: str | None, values: Mapping[str, Any]) -> float:
    """The weighted share of what a complete record has; a title it has anyway."""
    expected = _EXPECTED[kind]
    share = sum([values.get(name) not in (None, "", ()) for name in expected]) / len(expected)
    quality = _TITLE_WEIGHT + _URL_WEIGHT * (own_url is not None) + (1 - _TITLE_WEIGHT - _URL_WEIGHT) * share
    return round(quality, 3)


def _provenance(raw: RawRecord, kept: Mapping[str, Any]) -> dict[str, tuple[str, float]]:
    """Where each kept value came from, under the record's name for it."""
    return {
        name: (str(found.method), found.confidence)
        for raw_name, found in raw.fields.items()
        if kept.get(name := _RENAMED.get(raw_name, raw_name)) not in (None, ())
    }
