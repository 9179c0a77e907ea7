"""Normalises raw records: one spelling for each value, an identity, and a measure of how complete it is.

0. The records of a page together show how it writes dates (`date_order`).
1. The fields that every kind has are read: names and texts (`fields`), dates (`timing`), places (`places`).
2. The fields of some kinds are read by name (`kind_fields`): prices, terms, authors.
3. More fields are inferred from the words of a job posting (`job_posting`).
4. Hashes, quality and provenance are computed from the result.

Where the site's own text says more than its normal form, it is kept under `<name>_raw`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter.model.record import Finding, Method, RawRecord, Record, RecordKind, RejectedRecord
from lamplighter.normalise import fields as clean
from lamplighter.normalise.dates.timing import month_first_on, read_timing, unnoticed
from lamplighter.normalise.fields import PageContext
from lamplighter.normalise.identity import address_of, canonical_hash, content_hash
from lamplighter.normalise.jobs.job_posting import CONCLUDED, Posting, conclude
from lamplighter.normalise.kind_fields import followed_from, kind_fields
from lamplighter.normalise.places.places import read_whereabouts

_LONGEST_TITLE = 500
_LONGEST_NAME = 300
_LONGEST_TEXT = 50_000

#: authors of recipes may also use the record's own names
_ALIASES = {"location_raw": "location", "country_iso": "country"}
#: fields of the record itself; every other raw field goes into its `fields`
_OWN_FIELDS = frozenset(
    "title url organisation location country deadline published_at updated_at description language tags "
    "approximate_dates".split()
)


#: a count of reviews grows without a change of the product
_UNNOTICED = frozenset({"guid", "review_count"})

#: factor on the confidence of a field when another one is inferred from it
CAUTION = 0.8
#: confidence that a record is in the language of its page
OF_THE_PAGE = 0.5

#: record value -> raw field of another name that gives it directly
_TELLS = {"location": "location_raw", "country": "country_iso"}
_NOTHING: tuple[Any, ...] = (None, ())
_NOT_CONCLUDED = frozenset({("level_norm", "level")})

#: the weight of each field; the weights of a kind add up to 1, so that one more field never makes a record worse
WEIGHTS: Mapping[RecordKind, Mapping[str, float]] = {
    RecordKind.JOB: {
        "title": 0.20, "url": 0.20, "location_raw": 0.15, "deadline": 0.15, "organisation": 0.10, "description": 0.10,
        "published_at": 0.05, "career_type": 0.05,
    },
    RecordKind.ARTICLE: {
        "title": 0.20, "url": 0.20, "published_at": 0.20, "description": 0.10, "text": 0.15, "author": 0.10,
        "section": 0.05,
    },
    RecordKind.PRODUCT: {
        "title": 0.20, "url": 0.20, "price": 0.25, "currency": 0.10, "availability": 0.10, "description": 0.05,
        "brand": 0.05, "sku": 0.05,
    },
    RecordKind.OTHER: {"title": 0.20, "url": 0.20, "description": 0.35, "published_at": 0.25},
}  # fmt: skip
_MISSING: tuple[Any, ...] = (None, "", ())


class _Values(NamedTuple):
    """The values of a record."""

    #: of every kind of record, under the names of its attributes
    common: dict[str, Any]
    fields: dict[str, Any]
    #: name -> the raw field that it was inferred from
    sources: dict[str, str]


def to_records(
    raws: Sequence[RawRecord], *, page_url: str, source_url: str, language: str | None, seen_at: datetime
) -> list[Record | RejectedRecord]:
    """The records of one page in their order, each normalised, or why it was skipped.

    `page_url` is where they were found, `source_url` their source's address, `language` the page's, `seen_at` when the
    body was fetched: what "3 days ago" counts from.
    """
    month_first = month_first_on((raw.fields for raw in raws), language=language, seen_at=seen_at)
    shared = _shared_addresses(raws)
    return [
        to_record(
            raw,
            page_url=page_url,
            source_url=source_url,
            language=language,
            seen_at=seen_at,
            month_first=month_first,
            is_address_shared=bool(shared) and _value(raw, "url") in shared,
        )
        for raw in raws
    ]


def _shared_addresses(raws: Sequence[RawRecord]) -> frozenset[Any]:
    """Addresses that entries of a feed with different titles share: parts of one page, such as release notes."""
    titles: dict[Any, set[Any]] = {}
    for raw in raws:
        if (url := raw.fields.get("url")) is not None and url.method is Method.FEED:
            titles.setdefault(url.value, set()).add(_value(raw, "title"))
    return frozenset(url for url, different in titles.items() if len(different) > 1)


def _value(raw: RawRecord, name: str) -> Any:
    found = raw.fields.get(name)
    return found.value if found is not None else None


def to_record(
    raw: RawRecord,
    *,
    page_url: str,
    source_url: str,
    language: str | None,
    seen_at: datetime,
    month_first: bool | None = None,
    is_address_shared: bool = False,
) -> Record | RejectedRecord:
    """One record on its own; `month_first` is what the page's other records show about its dates.

    An address that it shares with others does not identify it.
    """
    found = raw.fields
    if not _ALIASES.keys().isdisjoint(found):
        found = {_ALIASES.get(name, name): where for name, where in found.items()}
    given = {name: where.value for name, where in found.items()}
    own_url = _own_url(given.get("url"), source_url)
    title = clean.clean_text(given.get("title"), longest=_LONGEST_TITLE)
    if title is None:
        return RejectedRecord(reason=f"{raw.kind} record without a title, found on {own_url or page_url}")
    seen = PageContext(
        page_url, clean.language_of(given.get("language")) or clean.language_of(language), seen_at, month_first
    )
    values, fields, sources = _read(raw.kind, title, given, seen)
    said = {**fields, **values, "title": title, "url": own_url}
    return Record(
        kind=raw.kind,
        url=own_url or address_of(page_url) or page_url,
        canonical_hash=canonical_hash(
            raw.kind,
            own_url=None if is_address_shared else own_url,
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
        quality=quality(raw.kind, said),
        provenance=provenance(found, said, sources),
        **values,
    )


def _own_url(given: Any, source_url: str) -> str | None:
    """The record's own address; the listing's is not its own, however often the listing says so."""
    url = address_of(given)
    return None if url == address_of(source_url) else url


def _read(kind: RecordKind, title: str, given: Mapping[str, Any], seen: PageContext) -> _Values:
    """Everything that the raw fields say, and what follows from it."""
    timing, place = read_timing(given, seen), read_whereabouts(given, seen)
    values: dict[str, Any] = {
        "organisation": clean.clean_text(given.get("organisation"), longest=_LONGEST_NAME),
        "location_raw": place.location_raw,
        "country_iso": place.country_iso,
        "description": clean.clean_text(given.get("description"), longest=_LONGEST_TEXT),
        "language": seen.language,
        "tags": clean.tags_of(given.get("tags")),
        **timing.values,
    }
    of_its_kind = {name: value for name, value in given.items() if name not in _OWN_FIELDS}
    fields = kind_fields(of_its_kind, seen) | timing.fields | place.fields
    sources = dict.fromkeys(place.concluded, "location") | followed_from(given, fields)
    if kind is RecordKind.JOB:
        concluded = conclude(
            Posting(
                title=title,
                description=values["description"],
                location=place.location_raw,
                is_remote=place.is_remote,
                tags=values["tags"],
                fields=fields,
            )
        )
        fields = {name: value for name, value in fields.items() if name not in CONCLUDED} | concluded.fields
        sources |= concluded.sources
    return _Values(values, fields, sources)


def _content_hash(said: Mapping[str, Any]) -> str:
    """The content hash, which ignores passing time, touched dates of a feed, and the order of tags."""
    ignored = unnoticed(said) | _UNNOTICED
    noticed = {name: value for name, value in said.items() if name not in ignored}
    noticed["tags"] = sorted(said["tags"])
    return content_hash(noticed)


def provenance(
    found: Mapping[str, Finding], kept: Mapping[str, Any], concluded: Mapping[str, str]
) -> dict[str, tuple[str, float]]:
    """Method and confidence of each kept value. `concluded` names the raw field from which a value follows."""
    origins: dict[str, tuple[str, float]] = {}
    last: Finding | None = None
    origin = ("", 0.0)
    for raw_name, where in found.items():
        name = _TELLS.get(raw_name, raw_name)
        if kept.get(name) in _NOTHING:
            continue
        if last is None or where.method is not last.method or where.confidence != last.confidence:
            # Most fields of a record were found in one place: then they share one tuple.
            last, origin = where, (where.method.value, where.confidence)
        origins[name] = origin
    for name, source in concluded.items():
        if source in found:
            share = 1.0 if (name, source) in _NOT_CONCLUDED else CAUTION
            origins[name] = (found[source].method.value, round(found[source].confidence * share, 3))
    if kept.get("language") is not None and "language" not in origins:
        origins["language"] = (Method.HTML.value, OF_THE_PAGE)
    return origins


def quality(kind: RecordKind, values: Mapping[str, Any]) -> float:
    """The sum of the weights of the fields that have a value."""
    return round(sum([weight for name, weight in WEIGHTS[kind].items() if values.get(name) not in _MISSING]), 3)
