"""SQL about sightings: which pages show which records."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert_into, numbers
from lamplighter.store.schema.tables import pages, records, sightings, sources

_ON_PAGES = sa.select(sightings.c.page_id, sightings.c.record_id).where(Among(sightings.c.page_id, "pages"))
_IN_RUNS = (
    sa.select(pages.c.run_id, sightings.c.record_id, sightings.c.page_id)
    .join(pages, pages.c.id == sightings.c.page_id)
    .where(Among(sightings.c.record_id, "records"), Among(pages.c.run_id, "runs"))
)


class SightingPage(NamedTuple):
    """A page that shows a record."""

    url: str
    is_own: bool
    since: datetime


class OnPage(NamedTuple):
    """A record that a page shows."""

    public_id: str
    title: str
    kind: str
    is_own: bool
    since: datetime
    #: None while it is present
    gone_at: datetime | None


_ELSEWHERE = (
    sa.select(sightings.c.record_id, sa.func.min(sightings.c.page_id).label("page_id"))
    .join(pages, pages.c.id == sightings.c.page_id)
    .join(sources, sources.c.id == pages.c.source_id)
    .join(records, records.c.id == sightings.c.record_id)
    .where(records.c.source_id == sa.bindparam("source"), pages.c.source_id != sa.bindparam("source"))
    .where(sources.c.deleted_at.is_(None))
    .group_by(sightings.c.record_id)
)


async def hand_over(db: Connection, source_id: int) -> None:
    """Moves the records of a source that another source's page shows to that other source: it would not find them
    again, because it does not parse unchanged pages."""
    shown = (await db.execute(_ELSEWHERE, {"source": source_id})).all()
    owner = sa.select(pages.c.source_id).where(pages.c.id == sa.bindparam("on_page")).scalar_subquery()
    moved = sa.update(records).where(records.c.id == sa.bindparam("record"))
    if shown:
        rows = [{"record": row.record_id, "on_page": row.page_id} for row in shown]
        await db.execute(moved.values(source_id=owner, page_id=sa.bindparam("on_page")), rows)


class FoundFirst(NamedTuple):
    """A source whose records another source shows."""

    public_id: str
    name: str
    records: int


async def found_first(db: Connection, source_id: int) -> list[FoundFirst]:
    """The other sources whose records the pages of this source show, those with most records first."""
    count = sa.func.count(sightings.c.record_id.distinct())
    query = (
        sa.select(sources.c.public_id, sources.c.name, count.label("records"))
        .select_from(sightings)
        .join(pages, pages.c.id == sightings.c.page_id)
        .join(records, records.c.id == sightings.c.record_id)
        .join(sources, sources.c.id == records.c.source_id)
        .where(pages.c.source_id == source_id, records.c.source_id != source_id, records.c.gone_at.is_(None))
        .group_by(sources.c.id)
        .order_by(count.desc(), sources.c.id)
    )
    return [FoundFirst._make(row) for row in await db.execute(query)]


async def become(
    db: Connection, shown: Mapping[int, Mapping[int, bool]], *, partial: Collection[int] = (), now: datetime
) -> set[int]:
    """Sets the sightings of pages: page -> record -> whether the page is its own. Writes only differences.

    A page in `partial` was not parsed completely: its earlier sightings stay. Returns the pages that now show other
    records than before.
    """
    before = await _of_pages(db, shown)
    new = [
        (page_id, record_id, int(is_own))
        for page_id, by_record in shown.items()
        for record_id, is_own in by_record.items()
        if record_id not in before.get(page_id, ())
    ]
    ended = [
        (page_id, record_id)
        for page_id, record_ids in before.items()
        if page_id not in partial
        for record_id in record_ids - shown[page_id].keys()
    ]
    if new:
        await db.execute(_begin(db.dialect.name), {"rows": new, "now": now})
    if ended:
        await db.execute(_end(db.dialect.name), {"rows": ended})
    return {page_id for page_id, *_ in (*new, *ended)}


@cache
def _begin(dialect: str) -> Any:
    page_id, record_id, is_own = numbers(dialect, "rows", count=3)
    since = sa.bindparam("now", type_=sightings.c.since.type)
    # Without a WHERE, SQLite would parse ON CONFLICT as a part of the SELECT.
    rows = sa.select(page_id, record_id, is_own == 1, since).where(page_id.is_not(None))
    names = ["page_id", "record_id", "is_own", "since"]
    return insert_into(dialect, sightings).from_select(names, rows).on_conflict_do_nothing()


@cache
def _end(dialect: str) -> Any:
    both = sa.tuple_(sightings.c.page_id, sightings.c.record_id)
    return sa.delete(sightings).where(both.in_(sa.select(*numbers(dialect, "rows", count=2))))


async def of_record(db: Connection, record_id: int) -> list[SightingPage]:
    """The pages that show a record, the earliest first."""
    query = (
        sa.select(pages.c.url, sightings.c.is_own, sightings.c.since)
        .join(pages, pages.c.id == sightings.c.page_id)
        .where(sightings.c.record_id == record_id)
    )
    return [SightingPage._make(row) for row in await db.execute(query.order_by(sightings.c.since, pages.c.id))]


async def on_page(db: Connection, page_id: int, *, limit: int) -> tuple[list[OnPage], int]:
    """The records that a page shows, its own first, then the newest; and how many there are."""
    columns = (records.c.public_id, records.c.title, records.c.kind, sightings.c.is_own, sightings.c.since)
    query = sa.select(*columns, records.c.gone_at).join(records, records.c.id == sightings.c.record_id)
    query = query.where(sightings.c.page_id == page_id).order_by(sightings.c.is_own.desc(), records.c.id.desc())
    rows, total = await queries.page(db, query, limit=limit, offset=0)
    return [OnPage._make(row) for row in rows], total


async def count_shown(db: Connection, source_id: int) -> int:
    """How many records the pages of a source show.

    For a listed record its own page does not count: that page stays long after every list has dropped the record.
    """
    tells = sa.or_(~sightings.c.is_own, ~records.c.is_listed)
    query = (
        sa.select(sa.func.count(sightings.c.record_id.distinct()))
        .select_from(sightings)
        .join(pages, pages.c.id == sightings.c.page_id)
        .join(records, records.c.id == sightings.c.record_id)
        .where(pages.c.source_id == source_id, tells)
    )
    return int(await db.scalar(query))


async def in_runs(
    db: Connection, record_ids: Iterable[int], run_ids: Collection[int], *, but: Collection[int]
) -> set[tuple[int, int]]:
    """Which of these records a page of these runs shows, as pairs of run and record; without the pages `but`."""
    found: set[tuple[int, int]] = set()
    for some in queries.chunks(sorted(record_ids)):
        rows = await db.execute(_IN_RUNS, {"records": some, "runs": sorted(run_ids)})
        found |= {(row.run_id, row.record_id) for row in rows if row.page_id not in but}
    return found


async def _of_pages(db: Connection, page_ids: Iterable[int]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for some in queries.chunks(sorted(page_ids)):
        for row in await db.execute(_ON_PAGES, {"pages": some}):
            found.setdefault(row.page_id, set()).add(row.record_id)
    return found
