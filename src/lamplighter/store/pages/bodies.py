"""SQL about bodies: which the archive keeps, where, and which versions need them.

A process writes a row only after it put the bytes into the archive, so the bytes of every row were archived.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import insert_into
from lamplighter.store.pages.pages import body_values
from lamplighter.store.schema.tables import bodies, page_versions, pages
from lamplighter.store.schema.types import Json

#: ids checked in one statement
RANGE = 5_000
_NEEDED = sa.exists().where(page_versions.c.body_id == bodies.c.id)


class NewBody(NamedTuple):
    """A body that was put into the archive."""

    hash: str
    key: str
    segment: str
    stored_bytes: int
    size_bytes: int


class ArchivedBody(NamedTuple):
    """A body that the archive keeps."""

    id: int
    key: str


class NeededBody(NamedTuple):
    """A needed body, and its first fetch."""

    id: int
    key: str
    url: str
    fetched_at: datetime
    status: int


class SegmentUse(NamedTuple):
    """The needed bodies of a segment."""

    bodies: int
    stored_bytes: int


async def known(db: Connection, hashes: Iterable[str]) -> dict[str, str]:
    """Those of these that are archived: hash -> key."""
    rows = await db.execute(_by_hash(db.dialect.name), {"hashes": sorted(hashes)})
    return {row.hash: row.key for row in rows}


async def keys_in(db: Connection, segment: str) -> list[str]:
    """The keys of all bodies in a segment."""
    return list(await db.scalars(sa.select(bodies.c.key).where(bodies.c.segment == segment)))


async def hold(db: Connection, new: Sequence[NewBody], *, hashes: Iterable[str]) -> dict[str, ArchivedBody]:
    """Stores new bodies; hash -> body for these hashes, locked until the transaction ends."""
    if new:
        await db.execute(_add(db.dialect.name), [body._asdict() for body in sorted(new)])
    held = await db.execute(
        _by_hash(db.dialect.name).order_by(bodies.c.hash).with_for_update(read=True), {"hashes": sorted(hashes)}
    )
    return {row.hash: ArchivedBody(row.id, row.key) for row in held}


@cache
def _add(dialect: str) -> Any:
    return insert_into(dialect, bodies).on_conflict_do_nothing(index_elements=["hash"])


@cache
def _by_hash(dialect: str) -> sa.Select[tuple[str, int, str]]:
    """Selects bodies by hashes in one parameter: one parameter for each would cost more than the lookup."""
    unfold = sa.func.json_each if dialect == "sqlite" else sa.func.jsonb_array_elements_text
    given = unfold(sa.bindparam("hashes", type_=Json)).table_valued("value").c.value
    return sa.select(bodies.c.hash, bodies.c.id, bodies.c.key).where(bodies.c.hash.in_(sa.select(given)))


async def forget_unneeded(db: Connection, ids: Iterable[int]) -> list[tuple[str, int]]:
    """Deletes those of these bodies that no version needs; returns their keys and sizes."""
    # Locked before the check: PostgreSQL would not check again after it waited for a transaction that needs the body.
    these = sorted(ids)
    if not these:
        return []
    await db.execute(sa.select(bodies.c.id).where(bodies.c.id.in_(these)).order_by(bodies.c.hash).with_for_update())
    unneeded = sa.delete(bodies).where(bodies.c.id.in_(these), sa.not_(_NEEDED))
    gone = await db.execute(unneeded.returning(bodies.c.key, bodies.c.stored_bytes))
    return [(row.key, row.stored_bytes) for row in gone]


async def forget_at(db: Connection, ids: Iterable[int], keys: Iterable[str]) -> None:
    """Deletes those of these bodies whose keys were overwritten, with all their versions."""
    await db.execute(sa.delete(bodies).where(bodies.c.id.in_(sorted(ids)), bodies.c.key.in_(sorted(keys))))


async def unneeded(db: Connection, *, after: int) -> list[int]:
    """Bodies among the next ids that no version needs."""
    some = sa.and_(bodies.c.id > after, bodies.c.id <= after + RANGE)
    return list(await db.scalars(sa.select(bodies.c.id).where(some, sa.not_(_NEEDED))))


async def keys_of_pages(db: Connection, page_ids: Iterable[int]) -> set[str]:
    """The keys of these pages' stored bodies."""
    theirs = sa.select(pages.c.body_hash).where(pages.c.id.in_(sorted(page_ids)))
    return set(await db.scalars(sa.select(bodies.c.key).where(bodies.c.hash.in_(theirs))))


async def lost(db: Connection, page_id: int, key: str) -> None:
    """Deletes a page's body, which the archive has lost, with every version that had it."""
    latest = sa.select(page_versions.c.body_id).where(
        page_versions.c.page_id == page_id, page_versions.c.superseded_at.is_(None)
    )
    await db.execute(sa.delete(bodies).where(bodies.c.id.in_(latest), bodies.c.key == key))


async def shares(db: Connection) -> dict[str, SegmentUse]:
    """Segment -> its needed bodies."""
    columns = (bodies.c.segment, sa.func.count().label("bodies"), sa.func.sum(bodies.c.stored_bytes).label("stored"))
    rows = await db.execute(sa.select(*columns).group_by(bodies.c.segment))
    return {row.segment: SegmentUse(row.bodies, int(row.stored)) for row in rows}


async def stored_bytes(db: Connection) -> int:
    """The size of all bodies."""
    return int(await db.scalar(sa.select(sa.func.sum(bodies.c.stored_bytes))) or 0)


async def in_segments(db: Connection, segments: Iterable[str]) -> list[int]:
    """The bodies of these segments."""
    return sorted(await db.scalars(sa.select(bodies.c.id).where(bodies.c.segment.in_(sorted(segments)))))


async def living(db: Connection, ids: Iterable[int], *, besides: Iterable[int] = ()) -> list[NeededBody]:
    """Those of these bodies that pages other than `besides` need."""
    of_others = page_versions.c.page_id.not_in(sorted(besides))
    first = (
        sa.select(page_versions.c.body_id, sa.func.min(page_versions.c.id).label("version_id"))
        .where(page_versions.c.body_id.in_(sorted(ids)), of_others)
        .group_by(page_versions.c.body_id)
        .subquery()
    )
    query = (
        sa.select(bodies.c.id, bodies.c.key, pages.c.url, page_versions.c.fetched_at, page_versions.c.status)
        .join(first, first.c.body_id == bodies.c.id)
        .join(page_versions, page_versions.c.id == first.c.version_id)
        .join(pages, pages.c.id == page_versions.c.page_id)
    )
    return [NeededBody._make(row) for row in await db.execute(query.order_by(bodies.c.id))]


async def move(db: Connection, body: NeededBody, *, to: Mapping[str, object]) -> bool:
    """Stores a body's new place (key, segment, stored_bytes); False when it was deleted or moved meanwhile."""
    here = sa.and_(bodies.c.id == body.id, bodies.c.key == body.key)
    if not rows_written(await db.execute(sa.update(bodies).where(here).values(**to))):
        return False
    latest = sa.select(page_versions.c.page_id).where(
        page_versions.c.body_id == body.id, page_versions.c.superseded_at.is_(None)
    )
    theirs = sa.and_(pages.c.id.in_(latest), pages.c.body_key == body.key)
    await db.execute(sa.update(pages).where(theirs).values(body_key=to["key"]))
    return True


#: a run that ends clears the hash and time of pages that it has not parsed
_IS_UNREAD = sa.and_(
    pages.c.phase.in_((Phase.CANCELLED, Phase.FAILED)),
    pages.c.content_hash.is_(None),
    pages.c.fetched_at.is_(None),
    pages.c.body_key.is_not(None),
)


class UnreadVersion(NamedTuple):
    """A page's latest version, which was never parsed."""

    version_id: int
    page_id: int
    #: its body's key
    key: str
    #: X-Robots-Tag of its response
    robots_tag: str | None


async def unread(db: Connection, *, after: int) -> list[UnreadVersion]:
    """The versions among the next ids whose bodies were never parsed, because their run ended before."""
    some = sa.and_(page_versions.c.id > after, page_versions.c.id <= after + RANGE)
    query = (
        sa.select(page_versions.c.id, pages.c.id, pages.c.body_key, pages.c.robots_tag)
        .join(pages, pages.c.id == page_versions.c.page_id)
        .where(some, page_versions.c.superseded_at.is_(None), _IS_UNREAD)
    )
    return [UnreadVersion._make(row) for row in await db.execute(query)]


async def hold_unread(db: Connection, unread: UnreadVersion) -> bool:
    """Locks the page against runs until the transaction ends; False when a run has taken it in the meantime."""
    mine = sa.and_(pages.c.id == unread.page_id, pages.c.body_key == unread.key, _IS_UNREAD)
    return await db.scalar(sa.select(pages.c.id).where(mine).with_for_update()) is not None


async def take_away(db: Connection, page_id: int) -> None:
    """Removes the body from a page, so that it is fetched as if for the first time."""
    await db.execute(sa.update(pages).where(pages.c.id == page_id).values(**body_values(None)))
