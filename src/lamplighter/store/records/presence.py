"""SQL about which records are present: set-based, as a source may have a hundred thousand."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.model.visit import SOFT_NOT_FOUND, Fault, Refusal
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.records import change_sets
from lamplighter.store.schema.tables import pages, record_changes, records, sightings
from lamplighter.store.schema.types import literal


def _is_dead(table: Any) -> sa.ColumnElement[bool]:
    """Whether the site says that there is no such page, by status or by text."""
    by_status = table.c.reason.in_((Fault.NOT_FOUND, Fault.GONE))
    in_words = sa.and_(table.c.reason == Fault.OBSTRUCTED, table.c.detail == SOFT_NOT_FOUND)
    return sa.and_(table.c.phase.in_(literal(Phase.FAILED)), sa.or_(by_status, in_words))


_IS_DEAD = _is_dead(pages)
_COUNT_UNKNOWN = (
    sa.select(sa.func.count())
    .select_from(pages)
    .where(pages.c.run_id == sa.bindparam("run"), pages.c.phase.in_(literal(Phase.FAILED)), ~_IS_DEAD)
    .where(sa.not_(sa.and_(pages.c.reason.in_(tuple(Refusal)), pages.c.content_hash.is_(None))))
)
_WAS_MISSING = records.c.missing_count > sa.literal_column("0")
_NOT_PASSED = sa.or_(pages.c.run_id.is_(None), pages.c.run_id != sa.bindparam("run"))
_FALLEN = sa.union_all(
    sa.select(pages.c.id).where(
        pages.c.source_id == sa.bindparam("source"), pages.c.role.in_(literal(PageRole.SEED)), _NOT_PASSED
    ),
    # By the source, whose failed pages are few: SQLite may expect a run's pages to be all pages.
    sa.select(pages.c.id).where(
        pages.c.source_id == sa.bindparam("source"), pages.c.run_id == sa.bindparam("run"), _IS_DEAD
    ),
    sa.select(pages.c.id).where(pages.c.run_id == sa.bindparam("run"), pages.c.redirected_to.is_not(None)),
)
_FINDER = pages.alias("finder")
_LISTS_NOT_PASSED = (
    sa.select(
        pages.c.id,
        pages.c.found_on,
        sa.or_(
            pages.c.phase == Phase.PAUSED,
            sa.and_(
                _FINDER.c.role == PageRole.LINK,
                sa.func.coalesce(_FINDER.c.run_id, 0) != sa.bindparam("run"),
                ~_is_dead(_FINDER),
            ),
        ).label("stands"),
    )
    .join_from(pages, _FINDER, _FINDER.c.id == pages.c.found_on, isouter=True)
    .where(pages.c.source_id == sa.bindparam("source"), pages.c.role.in_(literal(PageRole.LISTING)), _NOT_PASSED)
)


async def count_unknown(db: Connection, run_id: int) -> int:
    """Counts a run's pages with unknown content: failed but not dead, or refused after an earlier reading."""
    return int(await db.scalar(_COUNT_UNKNOWN, {"run": run_id}))


async def drop_fallen(db: Connection, source_id: int, *, run_id: int) -> None:
    """After a complete run: removes the sightings on listings it did not reach, dead pages and redirecting pages.

    They count as unparsed from then on, so that their sightings are stored again if they come back unchanged.
    """
    fallen = list(await db.scalars(_FALLEN, {"source": source_id, "run": run_id}))
    fallen += await _fallen_lists(db, source_id, run_id=run_id)
    for ids in queries.chunks(fallen):
        await db.execute(sa.delete(sightings).where(sightings.c.page_id.in_(ids)))
        unread = sa.update(pages).where(pages.c.id.in_(ids), pages.c.content_hash.is_not(None))
        await db.execute(unread.values(content_hash=None))


async def _fallen_lists(db: Connection, source_id: int, *, run_id: int) -> list[int]:
    """Listings to which no page leads any more.

    A listing that the run did not reach is kept if it is paused, or if a linked page leads to it that was not due in
    this run; so are the listings behind it.
    """
    rows = (await db.execute(_LISTS_NOT_PASSED, {"source": source_id, "run": run_id})).all()
    behind = defaultdict[int | None, list[int]](list)
    for row in rows:
        behind[row.found_on].append(row.id)
    left = {row.id for row in rows}
    present = [row.id for row in rows if row.stands]
    while present:
        page_id = present.pop()
        if page_id in left:
            left.remove(page_id)
            present += behind[page_id]
    return sorted(left)


async def note_missing(
    db: Connection, source_id: int, *, run_id: int, now: datetime, gone_after: int, by_absence: Iterable[str]
) -> int:
    """After a complete run: updates the missing counts of records, and returns how many are gone now.

    Records of the kinds `by_absence` are missing when no list shows them any more, records of other kinds only when
    their own page is dead. `rules.records.presence.is_missing` is the same rule for one record.
    """
    found_again, missed = _missing_of(tuple(sorted(by_absence)))
    await db.execute(found_again, {"source": source_id})
    if not rows_written(await db.execute(missed, {"source": source_id})):
        return 0
    of_source = sa.and_(records.c.source_id == source_id, records.c.gone_at.is_(None))
    return await _make_gone(
        db, sa.and_(of_source, _WAS_MISSING, records.c.missing_count >= gone_after), run_id=run_id, now=now
    )


@cache
def _missing_of(by_absence: tuple[str, ...]) -> tuple[sa.Update, sa.Update]:
    """The two statements that reset and increase missing counts of a source's records."""
    is_missing = sa.or_(_is_off_all_lists(by_absence), _own_page_is_dead(sa.bindparam("source")))
    of_source = sa.and_(records.c.source_id == sa.bindparam("source"), records.c.gone_at.is_(None))
    found_again = sa.update(records).where(of_source, _WAS_MISSING, ~is_missing).values(missing_count=0)
    missed = sa.update(records).where(of_source, is_missing).values(missing_count=records.c.missing_count + 1)
    return found_again, missed


async def expire(db: Connection, *, now: datetime) -> int:
    """Makes records gone that are past the expiry their page set; returns how many."""
    is_due = sa.and_(records.c.expires_at.is_not(None), records.c.expires_at <= now, records.c.gone_at.is_(None))
    gone = await _make_gone(db, is_due, run_id=None, now=now)
    if gone:
        await change_sets.note_expiry(db, now=now)
    return gone


async def revive(db: Connection, ids: Iterable[int], *, now: datetime) -> list[int]:
    """Makes records present that were seen again, unless their own page is dead; returns them."""
    back: list[int] = []
    is_wanted = sa.or_(records.c.expires_at.is_(None), records.c.expires_at > now)
    is_own = sa.and_(pages.c.source_id == records.c.source_id, pages.c.url_key == records.c.url_key)
    dead = sa.exists().where(is_own, pages.c.role == PageRole.LINK, _IS_DEAD)
    for some in queries.chunks(sorted(ids)):
        revived = sa.update(records).where(records.c.id.in_(some), ~dead, is_wanted)
        back += await db.scalars(revived.values(gone_at=None, missing_count=0).returning(records.c.id))
    return back


async def _make_gone(db: Connection, which: Any, *, run_id: int | None, now: datetime) -> int:
    said = {"run_id": run_id, "at": now, "field": "state", "before": "present", "after": "gone"}
    columns = record_changes.c
    values = [sa.literal(value, columns[name].type).label(name) for name, value in said.items()]
    lines = sa.select(records.c.id, *values).where(which)
    await db.execute(sa.insert(record_changes).from_select(["record_id", *said], lines))
    return rows_written(await db.execute(sa.update(records).where(which).values(gone_at=now)))


def _is_off_all_lists(kinds: Collection[str]) -> Any:
    on_a_list = sa.exists().where(sightings.c.record_id == records.c.id, ~sightings.c.is_own)
    return sa.and_(records.c.kind.in_(kinds), records.c.is_listed, ~on_a_list)


def _own_page_is_dead(source_id: Any) -> Any:
    dead = sa.select(pages.c.url_key).where(pages.c.source_id == source_id, pages.c.role == PageRole.LINK, _IS_DEAD)
    return sa.and_(records.c.url_key.is_not(None), records.c.url_key.in_(dead))
