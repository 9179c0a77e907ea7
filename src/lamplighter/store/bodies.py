"""SQL about bodies: which the archive keeps, where, and who still needs them.

A row is only ever written by whoever has just put the bytes into the archive, so a body that is known here was there.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection, rows_written
from lamplighter.store.tables import bodies, page_versions, pages
from lamplighter.store.types import Json
from lamplighter.store.upsert import insert_into

#: ids looked at in one statement
RANGE = 5_000
_NEEDED = sa.exists().where(page_versions.c.body_id == bodies.c.id)


class NewBody(NamedTuple):
    """A body that was put into the archive."""

    hash: str
    key: str
    segment: str
    stored_bytes: int
    size_bytes: int


class Body(NamedTuple):
    """A body that the archive keeps."""

    id: int
    key: str


class Living(NamedTuple):
    """A body that is needed, and whence it came first."""

    id: int
    key: str
    url: str
    fetched_at: datetime
    status: int


class Share(NamedTuple):
    """What a segment holds that is needed."""

    bodies: int
    stored_bytes: int


async def known(db: Connection, hashes: Iterable[str]) -> set[str]:
    """Which of these the archive keeps."""
    return set(await db.scalars(_by_hash(db.dialect.name), {"hashes": sorted(hashes)}))


async def hold(db: Connection, new: Sequence[NewBody], *, hashes: Iterable[str]) -> dict[str, Body]:
    """Hash -> body, of new ones and of those known already; until the transaction ends, none goes or moves."""
    if new:
        rows = [body._asdict() for body in sorted(new)]
        await db.execute(_add(db.dialect.name), rows)
    held = await db.execute(_held_by_hash(db.dialect.name), {"hashes": sorted(hashes)})
    return {row.hash: Body(row.id, row.key) for row in held}


@cache
def _add(dialect: str) -> Any:
    return insert_into(dialect, bodies).on_conflict_do_nothing(index_elements=["hash"])


@cache
def _by_hash(dialect: str) -> sa.Select[tuple[str, int, str]]:
    """Bodies whose hashes are given as one parameter: one for each would cost more than looking them up."""
    unfold = sa.func.json_each if dialect == "sqlite" else sa.func.jsonb_array_elements_text
    given = unfold(sa.bindparam("hashes", type_=Json)).table_valued("value").c.value
    return sa.select(bodies.c.hash, bodies.c.id, bodies.c.key).where(bodies.c.hash.in_(sa.select(given)))


@cache
def _held_by_hash(dialect: str) -> sa.Select[tuple[str, int, str]]:
    return _by_hash(dialect).order_by(bodies.c.hash).with_for_update(read=True)


async def forget_unneeded(db: Connection, ids: Iterable[int]) -> list[tuple[str, int]]:
    """Forgets those of these bodies that no version refers to; key and stored bytes of each."""
    # First locked, then looked at: PostgreSQL would not look again after waiting for a rival that needs the body.
    these = sorted(ids)
    if not these:
        return []
    await db.execute(sa.select(bodies.c.id).where(bodies.c.id.in_(these)).order_by(bodies.c.hash).with_for_update())
    unneeded = sa.delete(bodies).where(bodies.c.id.in_(these), sa.not_(_NEEDED))
    gone = await db.execute(unneeded.returning(bodies.c.key, bodies.c.stored_bytes))
    return [(row.key, row.stored_bytes) for row in gone]


async def forget_at(db: Connection, ids: Iterable[int], keys: Iterable[str]) -> None:
    """Forgets those of these bodies that stand where bytes were overwritten, with every version that had them."""
    await db.execute(sa.delete(bodies).where(bodies.c.id.in_(sorted(ids)), bodies.c.key.in_(sorted(keys))))


async def unneeded(db: Connection, *, after: int) -> list[int]:
    """Those among the next ids that no version refers to."""
    some = sa.and_(bodies.c.id > after, bodies.c.id <= after + RANGE)
    return list(await db.scalars(sa.select(bodies.c.id).where(some, sa.not_(_NEEDED))))


async def greatest_id(db: Connection) -> int:
    """How far the ids go."""
    return int(await db.scalar(sa.select(sa.func.max(bodies.c.id))) or 0)


async def keys_of_pages(db: Connection, page_ids: Iterable[int]) -> set[str]:
    """Where those bodies of these pages are that somebody needs."""
    theirs = sa.select(pages.c.body_hash).where(pages.c.id.in_(sorted(page_ids)))
    return set(await db.scalars(sa.select(bodies.c.key).where(bodies.c.hash.in_(theirs))))


async def lost(db: Connection, page_id: int, key: str) -> None:
    """Forgets the body of a page, with every version that had it: its bytes are not in the archive any more."""
    latest = sa.select(page_versions.c.body_id).where(
        page_versions.c.page_id == page_id, page_versions.c.superseded_at.is_(None)
    )
    await db.execute(sa.delete(bodies).where(bodies.c.id.in_(latest), bodies.c.key == key))


async def shares(db: Connection) -> dict[str, Share]:
    """Segment -> what it holds that is needed."""
    columns = (bodies.c.segment, sa.func.count().label("bodies"), sa.func.sum(bodies.c.stored_bytes).label("stored"))
    rows = await db.execute(sa.select(*columns).group_by(bodies.c.segment))
    return {row.segment: Share(row.bodies, int(row.stored)) for row in rows}


async def stored_bytes(db: Connection) -> int:
    """What all of them take up."""
    return int(await db.scalar(sa.select(sa.func.sum(bodies.c.stored_bytes))) or 0)


async def in_segments(db: Connection, segments: Iterable[str]) -> list[int]:
    """The bodies of these segments."""
    return sorted(await db.scalars(sa.select(bodies.c.id).where(bodies.c.segment.in_(sorted(segments)))))


async def living(db: Connection, ids: Iterable[int], *, besides: Iterable[int] = ()) -> list[Living]:
    """Those of these bodies that are needed, by others than the pages `besides`."""
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
    return [Living._make(row) for row in await db.execute(query.order_by(bodies.c.id))]


async def move(db: Connection, body: Living, *, to: Mapping[str, object]) -> bool:
    """Notes that a body stands elsewhere (key, segment, stored_bytes); False when it is gone, or moved meanwhile."""
    here = sa.and_(bodies.c.id == body.id, bodies.c.key == body.key)
    if not rows_written(await db.execute(sa.update(bodies).where(here).values(**to))):
        return False
    latest = sa.select(page_versions.c.page_id).where(
        page_versions.c.body_id == body.id, page_versions.c.superseded_at.is_(None)
    )
    theirs = sa.and_(pages.c.id.in_(latest), pages.c.body_key == body.key)
    await db.execute(sa.update(pages).where(theirs).values(body_key=to["key"]))
    return True
