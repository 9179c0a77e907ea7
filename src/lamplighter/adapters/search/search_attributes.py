"""The attributes by which search servers filter, sort and count, and a filter as conditions on them.

Both servers get the same attributes and the same conditions, each in its own syntax.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, NamedTuple

from lamplighter.model.record_search import Presence, RecordFilter, RecordOrder, SortKey
from lamplighter.model.search_index import Document, IndexQuery
from lamplighter.ports import NotExpressible

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: characters of a title that are sorted by
_SORTED_BY = 200

#: facet -> attribute
FACETS = {
    "kind": "kind",
    "country": "country_iso",
    "language": "language",
    "organisation": "organisation",
    "source": "source_id",
    "level": "level_norm",
    "modality": "work_modality",
    "career_type": "career_type",
    "currency": "currency",
    "availability": "availability",
    "brand": "brand",
    "category": "category",
}
#: sort attributes; records without a value come last
_SORTED = {
    SortKey.PUBLISHED: "published_us",
    SortKey.DEADLINE: "deadline_day",
    SortKey.TITLE: "title_order",
    SortKey.PRICE: "price",
    SortKey.RATING: "rating",
}
#: records get their ids in the order in which they are first seen
ID = "record_id"
STAMP = "stamp"

WORDS = (
    *("kind", "country_iso", "language", "languages", "organisation", "organisation_key", "level_norm"),
    *("work_modality", "career_type", "career_types", "mission_tags", "currency", "availability", "brand", "brand_key"),
    *("category", "category_key", "title_order", STAMP),
)
NUMBERS = (ID, "source_id", "published_us", "first_seen_us", "deadline_day")
FRACTIONS = ("price", "rating")
CLAIMS = ("is_gone", "is_hidden", "international_eligible")
SORTABLE = (ID, *_SORTED.values())

Relation = Literal["=", "in", ">=", "<=", "<"]


class Condition(NamedTuple):
    """A condition on an attribute; with several values, on any of them."""

    attribute: str
    relation: Relation
    value: Any


def of(document: Document) -> dict[str, Any]:
    """The attributes of a document; None where there is no value."""
    said = document.fields
    organisation, brand, category = document.organisation, _text(said.get("brand")), _text(said.get("category"))
    career_type, eligible = _text(said.get("career_type")), said.get("international_eligible")
    return {
        ID: document.id,
        STAMP: document.stamp,
        "source_id": document.source_id,
        "is_gone": document.is_gone,
        "is_hidden": document.is_hidden,
        "kind": document.kind,
        "country_iso": document.country_iso,
        "language": document.language,
        "languages": _with_more_general(document.language),
        "organisation": organisation,
        "organisation_key": _key(organisation),
        "published_us": _microseconds(document.published_at),
        "first_seen_us": _microseconds(document.first_seen_at),
        "deadline_day": _day(document.deadline),
        "title_order": document.title[:_SORTED_BY],
        "price": document.price,
        "rating": _number(said.get("rating")),
        "level_norm": _text(said.get("level_norm")),
        "work_modality": _text(said.get("work_modality")),
        "career_type": career_type,
        "career_types": career_type.split(", ") if career_type else [],
        "mission_tags": [tag for tag in said.get("mission_tags") or () if isinstance(tag, str)],
        "international_eligible": eligible if isinstance(eligible, bool) else None,
        "currency": _text(said.get("currency")),
        "availability": _text(said.get("availability")),
        "brand": brand,
        "brand_key": _key(brand),
        "category": category,
        "category_key": _key(category),
    }


def conditions(query: IndexQuery) -> list[Condition]:
    """A filter as conditions, without its text; NotExpressible when documents lack the attribute."""
    wanted = query.wanted
    if wanted.changed_after is not None:
        raise NotExpressible("a search server does not know since when records changed")
    return [*_presence(query), *_equal(wanted), *_times(wanted), *_numbers(wanted)]


def sorted_by(order: RecordOrder) -> list[tuple[str, bool]]:
    """Attributes and whether descending, most important first."""
    attribute = _SORTED.get(order.by)
    by_id = (ID, order.descending)
    return [by_id] if attribute is None else [(attribute, order.descending), by_id]


def is_by_relevance(query: IndexQuery, order: RecordOrder) -> bool:
    """Whether results are sorted by how well they match."""
    return order.by is SortKey.RELEVANCE and bool(query.wanted.text.wanted)


def _presence(query: IndexQuery) -> Iterator[Condition]:
    if query.wanted.presence is not Presence.ALL:
        yield Condition("is_gone", "=", query.wanted.presence is Presence.GONE)
    if query.source_ids is None:
        yield Condition("is_hidden", "=", False)
    else:
        yield Condition("source_id", "in", list(query.source_ids))


def _equal(wanted: RecordFilter) -> Iterator[Condition]:
    for attribute, value in (
        ("kind", wanted.kind),
        ("country_iso", wanted.country.upper() if wanted.country is not None else None),
        ("languages", wanted.language),
        ("organisation_key", _key(wanted.organisation)),
        ("level_norm", wanted.level),
        ("work_modality", wanted.modality),
        ("career_types", wanted.career_type),
        ("mission_tags", wanted.mission_tag),
        ("international_eligible", wanted.international_eligible),
        ("currency", wanted.currency.upper() if wanted.currency is not None else None),
        ("availability", wanted.availability),
        ("brand_key", _key(wanted.brand)),
        ("category_key", _key(wanted.category)),
    ):
        if value is not None:
            yield Condition(attribute, "=", value)


def _times(wanted: RecordFilter) -> Iterator[Condition]:
    for attribute, after, before in (
        ("published_us", _microseconds(wanted.published_after), _microseconds(wanted.published_before)),
        ("first_seen_us", _microseconds(wanted.first_seen_after), _microseconds(wanted.first_seen_before)),
        ("deadline_day", _day(wanted.deadline_after), _day(wanted.deadline_before)),
    ):
        if after is not None:
            yield Condition(attribute, ">=", after)
        if before is not None:
            yield Condition(attribute, "<", before)


def _numbers(wanted: RecordFilter) -> Iterator[Condition]:
    bounds: tuple[tuple[str, Relation, float | None], ...] = (
        ("price", ">=", wanted.price_min),
        ("price", "<=", wanted.price_max),
        ("rating", ">=", wanted.rating_min),
    )
    for attribute, relation, bound in bounds:
        if bound is not None:
            yield Condition(attribute, relation, bound)


def _with_more_general(language: str | None) -> list[str]:
    """ "zh-Hant-TW" is "zh-Hant" and "zh", too."""
    parts = language.split("-") if language else []
    return ["-".join(parts[: count + 1]) for count in range(len(parts))]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _key(value: str | None) -> str | None:
    return value.lower() if value is not None else None


def _microseconds(moment: datetime | None) -> int | None:
    return (moment - _EPOCH) // timedelta(microseconds=1) if moment is not None else None


def _day(day: date | None) -> int | None:
    return day.toordinal() if day is not None else None
