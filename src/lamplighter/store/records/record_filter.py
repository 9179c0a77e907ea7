"""The SQL conditions of a filter over records, for each database."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from lamplighter.model.record_search import Presence, RecordFilter
from lamplighter.store.engine.database import Connection
from lamplighter.store.records import record_changes, record_text
from lamplighter.store.schema.tables import crawl_jobs, hosts, records, source_tags, sources

Condition = sa.ColumnElement[bool]


def conditions(dialect: str, wanted: RecordFilter) -> list[Condition]:
    """The conditions of a filter, with its unwanted words but without its wanted words."""
    return [*_standing(wanted), *_origin(wanted), *_times(wanted), *_said(dialect, wanted), *_unsaid(dialect, wanted)]


def number_in(dialect: str, name: str) -> Any:
    """A kind-specific field as a number; NULL if it is none."""
    value = records.c.fields[name]
    if dialect == "sqlite":
        is_number = sa.func.json_type(records.c.fields, f'$."{name}"').in_(["integer", "real"])
        return sa.case((is_number, value.as_float()))
    return sa.case((sa.func.jsonb_typeof(value) == "number", value.as_float()))


def text_in(name: str) -> Any:
    """A kind-specific field as text."""
    return records.c.fields[name].as_string()


def _is(column: Any, value: str) -> Condition:
    """Whether a text is this one, ignoring case; the database folds the letters that it knows."""
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
    if is_it := _named(wanted):
        yield records.c.source_id.in_(sa.select(sources.c.id).where(*is_it))
    else:
        # A filter by source also finds records of a deleted source; any other filter leaves them out.
        yield records.c.source_id.not_in(sa.select(sources.c.id).where(sources.c.deleted_at.is_not(None)))
    yield from _placed(records.c.source_id, wanted)


def _named(wanted: RecordFilter) -> list[Condition]:
    """Whether a source is the one that the filter names."""
    named = (sources.c.public_id, wanted.source_id), (sources.c.url, wanted.source_url)
    return [column == value for column, value in named if value is not None]


def _placed(source_id: sa.Column[int], wanted: RecordFilter) -> Iterator[Condition]:
    """Whether a source has the filter's tag and host."""
    if wanted.tag is not None:
        yield source_id.in_(sa.select(source_tags.c.source_id).where(source_tags.c.tag == wanted.tag))
    if wanted.host is not None:
        yield is_at(source_id, hosts.c.key == wanted.host.lower())
    if wanted.host_id is not None:
        yield is_at(source_id, hosts.c.id == wanted.host_id)


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
    """The conditions on kind-specific fields."""
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
        # Several types are in one text, separated by commas.
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
    """ "true" or "false" of a field, in both databases."""
    if dialect == "sqlite":
        return sa.func.json_type(records.c.fields, f'$."{name}"')
    return text_in(name)


def _unsaid(dialect: str, wanted: RecordFilter) -> Iterator[Condition]:
    if wanted.text.unwanted:
        yield records.c.id.not_in(record_text.ids_with(dialect, wanted.text.unwanted, any_of_them=True))


def is_at(source_id: sa.ColumnElement[int], which: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Whether a source is at a host: its start page is there, or tasks are submitted for it."""
    watched = sa.select(crawl_jobs.c.source_id).join(hosts, hosts.c.id == crawl_jobs.c.host_id).where(which)
    submitted = sa.select(hosts.c.task_source_id).where(which, hosts.c.task_source_id.is_not(None))
    return sa.or_(source_id.in_(watched), source_id.in_(submitted))


async def source_ids(db: Connection, wanted: RecordFilter, *, most: int) -> tuple[int, ...] | None:
    """The sources that a filter restricts records to, at most `most`; None when it does not.

    For search servers, which know sources by id only: tags, hosts and URLs of sources change without their records.
    """
    named = _named(wanted)
    conditions = [*named, *_placed(sources.c.id, wanted)]
    if not conditions:
        return None
    if not named:
        conditions.append(sources.c.deleted_at.is_(None))
    query = sa.select(sources.c.id).where(*conditions).order_by(sources.c.id).limit(most)
    return tuple(await db.scalars(query))
