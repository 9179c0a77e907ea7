"""SQL that finds records: one page of those that a filter wants, how many there are, and what they have in common."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from lamplighter.model.record_search import Hit, Hits, Order, RecordFilter, SortKey
from lamplighter.store import record_text
from lamplighter.store.database import Connection
from lamplighter.store.record_filter import conditions, number_in, text_in
from lamplighter.store.tables import crawl_jobs, hosts, records, sources

#: Of more matches than this, only the newest so many are weighed against each other; the rest follow, newest first.
#: Weighing one means reading all its words.
MOST_WEIGHED = 1_000
#: from so many matches on, to go through all records of the narrowest index is quicker than to look each match up
_MANY_MATCHES = 5_000
#: An expression, so that a database goes through that index instead of the records in the order of their ids.
_WITHOUT_ITS_INDEX = records.c.id + 0
#: values in one IN
_MANY = 500


async def find(db: Connection, wanted: RecordFilter, order: Order) -> Hits:
    """A page of the records that a filter wants."""
    found = await _found(db, wanted)
    if order.by is SortKey.RELEVANCE and wanted.text.wanted:
        return await _weighed(db, found, wanted, order)
    page = [Hit(record_id, None) for record_id in await _sorted(db, found, wanted, order)]
    if order.offset == 0 and len(page) < order.limit:
        return Hits(page, len(page))
    return Hits(page, await _count(db, found.subquery()))


async def _found(db: Connection, wanted: RecordFilter) -> sa.Select[tuple[int]]:
    """Selects the ids that a filter wants."""
    dialect = db.dialect.name
    query = sa.select(records.c.id).where(*conditions(dialect, wanted))
    if not wanted.text.wanted:
        return query
    if dialect == "postgresql":
        # The planner does not know that lexemes lie in a side table, and would fetch every one of them from there.
        await db.execute(sa.text("SET LOCAL enable_seqscan = off"))
    matches = record_text.ids_with(dialect, wanted.text.wanted)
    are_many = await _count(db, matches.limit(_MANY_MATCHES).subquery()) == _MANY_MATCHES
    return query.where((_WITHOUT_ITS_INDEX if are_many else records.c.id).in_(matches))


async def _weighed(db: Connection, found: sa.Select[tuple[int]], wanted: RecordFilter, order: Order) -> Hits:
    """The best matches first."""
    ids = found.cte("found").prefix_with("MATERIALIZED")
    by_age = sa.select(ids.c.id).order_by(ids.c.id.desc())
    weighed = record_text.scores_of(db.dialect.name, wanted.text, by_age.limit(MOST_WEIGHED)).subquery()
    total = sa.select(sa.func.count()).select_from(ids).scalar_subquery()
    best = (
        sa.select(weighed.c.id, weighed.c.score, total.label("total"))
        .order_by(weighed.c.score.desc(), weighed.c.id.desc())
        .limit(order.limit)
        .offset(order.offset)
    )
    rows = (await db.execute(best)).all()
    page = [Hit(row.id, row.score) for row in rows]
    number = rows[0].total if rows else await _count(db, found.subquery())
    missing = min(order.offset + order.limit, number) - max(order.offset + len(page), MOST_WEIGHED)
    if missing > 0:
        rest = by_age.limit(missing).offset(max(order.offset, MOST_WEIGHED))
        page += [Hit(record_id, None) for record_id in await db.scalars(rest)]
    return Hits(page, number)


async def _sorted(db: Connection, found: sa.Select[tuple[int]], wanted: RecordFilter, order: Order) -> list[int]:
    """The ids of one page, in the order of a column."""
    page = found.limit(order.limit).offset(order.offset)
    column = _columns(db.dialect.name).get(order.by)
    if column is None:
        # Records get their ids in the order in which they are first seen.
        is_narrowed = db.dialect.name == "sqlite" and (wanted.kind or wanted.country or wanted.language)
        own_id = _WITHOUT_ITS_INDEX if is_narrowed else records.c.id
        return list(await db.scalars(page.order_by(_directed(own_id, order))))
    by_value, by_id = _directed(column, order), _directed(records.c.id, order)
    # PostgreSQL cannot follow an index downwards and have nothing last; of those with a value it can.
    ids = list(await db.scalars(page.where(column.is_not(None)).order_by(by_value, by_id)))
    if len(ids) == order.limit:
        return ids
    return list(await db.scalars(page.order_by(by_value.nulls_last(), by_id)))


def _directed(column: Any, order: Order) -> Any:
    return column.desc() if order.descending else column.asc()


def _columns(dialect: str) -> Mapping[SortKey, Any]:
    return {
        SortKey.PUBLISHED: records.c.published_at,
        SortKey.DEADLINE: records.c.deadline,
        SortKey.TITLE: records.c.title,
        SortKey.PRICE: records.c.price,
        SortKey.RATING: number_in(dialect, "rating"),
    }


async def _count(db: Connection, what: sa.FromClause) -> int:
    return int(await db.scalar(sa.select(sa.func.count()).select_from(what)))


async def after(db: Connection, wanted: RecordFilter, *, record_id: int, limit: int) -> list[int]:
    """The next records that a filter wants, in the order of their ids."""
    found = (await _found(db, wanted)).where(records.c.id > record_id)
    return list(await db.scalars(found.order_by(records.c.id).limit(limit)))


async def still_wanted(db: Connection, wanted: RecordFilter, ids: Sequence[int]) -> set[int]:
    """Those of these records that a filter wants, whatever words they have."""
    query = sa.select(records.c.id).where(*conditions(db.dialect.name, wanted))
    found: set[int] = set()
    for start in range(0, len(ids), _MANY):
        found.update(await db.scalars(query.where(records.c.id.in_(ids[start : start + _MANY]))))
    return found


async def rows(db: Connection, ids: Sequence[int]) -> list[Any]:
    """These records in this order, each with its source's public id and name."""
    source = sources.c.public_id.label("source_public_id"), sources.c.name.label("source_name")
    query = sa.select(records, *source).join(sources, sources.c.id == records.c.source_id)
    by_id: dict[int, Any] = {}
    for start in range(0, len(ids), _MANY):
        found = await db.execute(query.where(records.c.id.in_(ids[start : start + _MANY])))
        by_id |= {row.id: row for row in found}
    return [by_id[record_id] for record_id in ids if record_id in by_id]


#: what records can be counted by
FACETS: Mapping[str, Any] = {
    "kind": records.c.kind,
    "country": records.c.country_iso,
    "language": records.c.language,
    "organisation": records.c.organisation,
    # As an expression, so that SQLite goes through the narrow index instead of looking every record of a source up.
    "source": records.c.source_id + 0,
    "level": text_in("level_norm"),
    "modality": text_in("work_modality"),
    "career_type": text_in("career_type"),
    "currency": text_in("currency"),
    "availability": text_in("availability"),
    "brand": text_in("brand"),
    "category": text_in("category"),
}


async def count_by(db: Connection, wanted: RecordFilter, facet: str, *, most: int) -> list[tuple[Any, int]]:
    """How many of the wanted records have each value, the most frequent first; records without a value do not count."""
    value, number = FACETS[facet].label("value"), sa.func.count().label("number")
    found = (await _found(db, wanted)).with_only_columns(value, number)
    query = found.where(FACETS[facet].is_not(None)).group_by(value).order_by(number.desc(), value).limit(most)
    return [(row.value, row.number) for row in await db.execute(query)]


async def source_names(db: Connection, ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """The public ids and names of these sources."""
    query = sa.select(sources.c.id, sources.c.public_id, sources.c.name).where(sources.c.id.in_(ids))
    return {row.id: (row.public_id, row.name) for row in await db.execute(query)}


async def hosts_of(db: Connection, source_ids: Sequence[int]) -> dict[int, tuple[int, str]]:
    """The id and name of the host that each of these sources is at."""
    watched = sa.select(crawl_jobs.c.source_id, hosts.c.id, hosts.c.key).join(hosts, hosts.c.id == crawl_jobs.c.host_id)
    submitted = sa.select(hosts.c.task_source_id, hosts.c.id, hosts.c.key)
    found = watched.where(crawl_jobs.c.source_id.in_(source_ids)).union_all(
        submitted.where(hosts.c.task_source_id.in_(source_ids))
    )
    rows: Sequence[Any] = (await db.execute(found)).all()
    return {row[0]: (row[1], row[2]) for row in rows}
