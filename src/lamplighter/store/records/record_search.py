"""SQL that searches records: one page of a filter's records, their total, and facets."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from lamplighter.model.record_search import Hit, Hits, RecordFilter, RecordOrder, SortKey
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.records import record_text
from lamplighter.store.records.record_filter import conditions, number_in, text_in
from lamplighter.store.schema.tables import crawl_jobs, hosts, records, sources

#: Of more matches than this, only the newest are scored; the others follow, newest first.
#: Scoring a record means reading all its words.
MOST_WEIGHED = 1_000
#: from this many matches on, scanning the narrowest index is faster than looking up each match
MANY_MATCHES = 5_000
#: An expression, so that a database scans that index instead of the records in the order of their ids.
_WITHOUT_ITS_INDEX = records.c.id + 0


async def find(db: Connection, wanted: RecordFilter, order: RecordOrder) -> Hits:
    """One page of a filter's records."""
    found = await _found(db, wanted)
    if order.by is SortKey.RELEVANCE and wanted.text.wanted:
        return await _weighed(db, found, wanted, order)
    page = [Hit(record_id, None) for record_id in await _sorted(db, found, wanted, order)]
    if order.offset == 0 and len(page) < order.limit:
        return Hits(page, len(page))
    return Hits(page, await queries.count(db, found.subquery()))


async def _found(db: Connection, wanted: RecordFilter) -> sa.Select[tuple[int]]:
    """Selects the ids that match a filter."""
    dialect = db.dialect.name
    query = sa.select(records.c.id).where(*conditions(dialect, wanted))
    if not wanted.text.wanted:
        return query
    if dialect == "postgresql":
        # The planner does not know that lexemes are in a side table, and would read all of them from there.
        await db.execute(sa.text("SET LOCAL enable_seqscan = off"))
    matches = record_text.ids_with(dialect, wanted.text.wanted)
    are_many = await queries.count(db, matches.limit(MANY_MATCHES).subquery()) == MANY_MATCHES
    return query.where((_WITHOUT_ITS_INDEX if are_many else records.c.id).in_(matches))


async def _weighed(db: Connection, found: sa.Select[tuple[int]], wanted: RecordFilter, order: RecordOrder) -> Hits:
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
    number = rows[0].total if rows else await queries.count(db, found.subquery())
    missing = min(order.offset + order.limit, number) - max(order.offset + len(page), MOST_WEIGHED)
    if missing > 0:
        rest = by_age.limit(missing).offset(max(order.offset, MOST_WEIGHED))
        page += [Hit(record_id, None) for record_id in await db.scalars(rest)]
    return Hits(page, number)


async def _sorted(db: Connection, found: sa.Select[tuple[int]], wanted: RecordFilter, order: RecordOrder) -> list[int]:
    """The ids of one page, sorted by a column."""
    page = found.limit(order.limit).offset(order.offset)
    column = _columns(db.dialect.name).get(order.by)
    if column is None:
        # Records get their ids in the order in which they are first seen.
        is_narrowed = db.dialect.name == "sqlite" and (wanted.kind or wanted.country or wanted.language)
        own_id = _WITHOUT_ITS_INDEX if is_narrowed else records.c.id
        return list(await db.scalars(page.order_by(_directed(own_id, order))))
    by_value, by_id = _directed(column, order), _directed(records.c.id, order)
    # PostgreSQL cannot scan an index in descending order with NULL last; without NULL it can.
    ids = list(await db.scalars(page.where(column.is_not(None)).order_by(by_value, by_id)))
    if len(ids) == order.limit:
        return ids
    return list(await db.scalars(page.order_by(by_value.nulls_last(), by_id)))


def _directed(column: Any, order: RecordOrder) -> Any:
    return column.desc() if order.descending else column.asc()


def _columns(dialect: str) -> Mapping[SortKey, Any]:
    return {
        SortKey.PUBLISHED: records.c.published_at,
        SortKey.DEADLINE: records.c.deadline,
        SortKey.TITLE: records.c.title,
        SortKey.PRICE: records.c.price,
        SortKey.RATING: number_in(dialect, "rating"),
    }


async def after(db: Connection, wanted: RecordFilter, *, record_id: int, limit: int) -> list[int]:
    """The next of a filter's records, in the order of their ids."""
    found = (await _found(db, wanted)).where(records.c.id > record_id)
    return list(await db.scalars(found.order_by(records.c.id).limit(limit)))


async def still_wanted(db: Connection, wanted: RecordFilter, ids: Sequence[int]) -> set[int]:
    """Those of these records that match a filter, without its wanted words."""
    query = sa.select(records.c.id).where(*conditions(db.dialect.name, wanted))
    return {found for some in queries.chunks(ids) for found in await db.scalars(query.where(records.c.id.in_(some)))}


async def rows(db: Connection, ids: Sequence[int]) -> list[Any]:
    """These records in this order, each with its source's public id and name."""
    source = sources.c.public_id.label("source_public_id"), sources.c.name.label("source_name")
    query = sa.select(records, *source).join(sources, sources.c.id == records.c.source_id)
    by_id: dict[int, Any] = {}
    for some in queries.chunks(ids):
        by_id |= {row.id: row for row in await db.execute(query.where(records.c.id.in_(some)))}
    return [by_id[record_id] for record_id in ids if record_id in by_id]


#: what records can be counted by
FACETS: Mapping[str, Any] = {
    "kind": records.c.kind,
    "country": records.c.country_iso,
    "language": records.c.language,
    "organisation": records.c.organisation,
    # An expression, so that SQLite scans the narrow index instead of looking up every record of a source.
    "source": records.c.source_id + 0,
    "level": text_in("level_norm"),
    "modality": text_in("work_modality"),
    **{name: text_in(name) for name in ("career_type", "currency", "availability", "brand", "category")},
}


async def count_by(db: Connection, wanted: RecordFilter, facet: str, *, most: int) -> list[tuple[Any, int]]:
    """Counts the wanted records by value, the most frequent first; records without a value do not count."""
    value, number = FACETS[facet].label("value"), sa.func.count().label("number")
    found = (await _found(db, wanted)).with_only_columns(value, number)
    query = found.where(FACETS[facet].is_not(None)).group_by(value).order_by(number.desc(), value).limit(most)
    return [(row.value, row.number) for row in await db.execute(query)]


async def source_names(db: Connection, ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """The public ids and names of these sources."""
    query = sa.select(sources.c.id, sources.c.public_id, sources.c.name).where(sources.c.id.in_(ids))
    return {row.id: (row.public_id, row.name) for row in await db.execute(query)}


async def hosts_of(db: Connection, source_ids: Sequence[int]) -> dict[int, tuple[int, str]]:
    """Source -> the id and name of its host."""
    watched = sa.select(crawl_jobs.c.source_id, hosts.c.id, hosts.c.key).join(hosts, hosts.c.id == crawl_jobs.c.host_id)
    submitted = sa.select(hosts.c.task_source_id, hosts.c.id, hosts.c.key)
    found = watched.where(crawl_jobs.c.source_id.in_(source_ids)).union_all(
        submitted.where(hosts.c.task_source_id.in_(source_ids))
    )
    rows: Sequence[Any] = (await db.execute(found)).all()
    return {row[0]: (row[1], row[2]) for row in rows}
