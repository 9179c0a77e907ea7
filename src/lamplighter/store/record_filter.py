"""The conditions of a filter over records, in the words of each database."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from lamplighter.model.record_search import Presence, RecordFilter
from lamplighter.store import record_changes, record_text
from lamplighter.store.search_scope import is_at
from lamplighter.store.tables import hosts, records, source_tags, sources

Condition = sa.ColumnElement[bool]


def conditions(dialect: str, wanted: RecordFilter) -> list[Condition]:
    """What must hold of each record. The words that it must have are not among them, those it must not have are."""
    return [*_standing(wanted), *_origin(wanted), *_times(wanted), *_said(dialect, wanted), *_unsaid(dialect, wanted)]


def number_in(dialect: str, name: str) -> Any:
    """A kind-specific field as a number; NULL where it is none."""
    value = records.c.fields[name]
    if dialect == "sqlite":
        is_number = sa.func.json_type(records.c.fields, f'$."{name}"').in_(["integer", "real"])
        return sa.case((is_number, value.as_float()))
    return sa.case((sa.func.jsonb_typeof(value) == "number", value.as_float()))


def text_in(name: str) -> Any:
    """A kind-specific field as text."""
    return records.c.fields[name].as_string()


def _is(column: Any, value: str) -> Condition:
    """Whether a text is this one, in small or capital letters; of both, the database folds those that it knows."""
    return sa.func.lower(column) == sa.func.lower(value)


def _standing(wanted: RecordFilter) -> Iterator[Condition]:
    if wanted.presence is Presence.PRESENT:
        yield records.c.gone_at.is_(None)
    if wanted.presence is Presence.GONE:
        yield records.c.gone_at.is_not(None)
    if wanted.kind is not None:
        yield records.c.kind == wanted.kind
    if wanted.country is not None:
        yield records.c.country_iso == wanted.country.upper()
    if wanted.language is not None:
        is_narrower = records.c.language.istartswith(f"{wanted.language}-", autoescape=True)
        yield sa.or_(_is(records.c.language, wanted.language), is_narrower)
    if wanted.organisation is not None:
        yield _is(records.c.organisation, wanted.organisation)


def _origin(wanted: RecordFilter) -> Iterator[Condition]:
    if wanted.source_id is not None or wanted.source_url is not None:
        named = (sources.c.public_id, wanted.source_id), (sources.c.url, wanted.source_url)
        is_it = [column == value for column, value in named if value is not None]
        yield records.c.source_id.in_(sa.select(sources.c.id).where(*is_it))
    else:
        # Who asks for a source by name may see what it found; elsewhere, a deleted source takes its records along.
        yield records.c.source_id.not_in(sa.select(sources.c.id).where(sources.c.deleted_at.is_not(None)))
    if wanted.tag is not None:
        yield records.c.source_id.in_(sa.select(source_tags.c.source_id).where(source_tags.c.tag == wanted.tag))
    if wanted.host is not None:
        yield is_at(records.c.source_id, hosts.c.key == wanted.host.lower())
    if wanted.host_id is not None:
        yield is_at(records.c.source_id, hosts.c.id == wanted.host_id)


def _times(wanted: RecordFilter) -> Iterator[Condition]:
    for column, after, before in (
        (records.c.published_at, wanted.published_after, wanted.published_before),
        (records.c.first_seen_at, wanted.first_seen_after, wanted.first_seen_before),
        (records.c.deadline, wanted.deadline_after, wanted.deadline_before),
    ):
        if after is not None:
            yield column >= after
        if before is not None:
            yield column < before
    if wanted.changed_after is not None:
        yield records.c.id.in_(record_changes.ids_since(wanted.changed_after))


def _said(dialect: str, wanted: RecordFilter) -> Iterator[Condition]:
    """What the kind-specific fields must say."""
    if wanted.price_min is not None:
        yield records.c.price >= wanted.price_min
    if wanted.price_max is not None:
        yield records.c.price <= wanted.price_max
    if wanted.rating_min is not None:
        yield number_in(dialect, "rating") >= wanted.rating_min
    for name, value in (
        ("level_norm", wanted.level),
        ("work_modality", wanted.modality),
        ("currency", wanted.currency.upper() if wanted.currency is not None else None),
        ("availability", wanted.availability),
    ):
        if value is not None:
            yield text_in(name) == value
    for name, value in (("brand", wanted.brand), ("category", wanted.category)):
        if value is not None:
            yield _is(text_in(name), value)
    if wanted.career_type is not None:
        # Several types stand in one text, with commas between.
        listed = sa.literal(", ") + text_in("career_type") + ", "
        yield listed.contains(f", {wanted.career_type}, ", autoescape=True)
    if wanted.mission_tag is not None:
        yield _has_item(dialect, "mission_tags", wanted.mission_tag)
    if wanted.international_eligible is not None:
        yield _json_type(dialect, "international_eligible") == str(wanted.international_eligible).lower()


def _has_item(dialect: str, name: str, item: str) -> Condition:
    if dialect == "sqlite":
        each = sa.func.json_each(records.c.fields, f'$."{name}"').table_valued("value")
        return sa.exists().where(each.c.value == item)
    return records.c.fields.op("@>", is_comparison=True)({name: [item]})


def _json_type(dialect: str, name: str) -> Any:
    """ "true" or "false" of a claim, in both databases."""
    if dialect == "sqlite":
        return sa.func.json_type(records.c.fields, f'$."{name}"')
    return text_in(name)


def _unsaid(dialect: str, wanted: RecordFilter) -> Iterator[Condition]:
    if wanted.text.unwanted:
        yield records.c.id.not_in(record_text.ids_with(dialect, wanted.text.unwanted, any_of_them=True))
