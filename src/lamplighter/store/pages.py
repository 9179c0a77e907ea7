"""SQL about pages: the frontier, the two phases, what became of each URL."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import HeldBody, Page, Phase, Rest
from lamplighter.model.reading import Role
from lamplighter.model.visit import NO_VALIDATORS
from lamplighter.store import page_rests, page_validators
from lamplighter.store.database import Connection
from lamplighter.store.lists import Among
from lamplighter.store.tables import bodies as page_bodies
from lamplighter.store.tables import pages
from lamplighter.store.types import literal
from lamplighter.store.upsert import insert_into

Row = Mapping[str, Any]
#: still to be asked for or read
OPEN_PHASES = literal(Phase.PENDING, Phase.DOWNLOADED)


def stands(phase: Phase, table: Any = pages) -> sa.ColumnElement[bool]:
    """Whether a page waits to be asked for, or to be read.

    Written as the indexes of such pages have it: from a list of one, SQLite does not see that they apply.
    """
    return table.c.phase == sa.literal_column(f"'{phase}'")  # type: ignore[no-any-return]


def in_frontier(host_id: Any) -> sa.ColumnElement[bool]:
    """Whether a page of this host waits to be asked for.

    In the very words of ix_pages_in_turn, and with the rank, which is never negative: otherwise SQLite would as soon
    take ix_pages_host, and walk all pages that the host has ever had.
    """
    return sa.and_(pages.c.host_id == host_id, stands(Phase.PENDING), pages.c.rank >= 0)


def in_turn(table: sa.FromClause = pages) -> tuple[sa.ColumnElement[Any], ...]:
    """The order in which a host is asked for its pages: by rank, among equals those of the run that began first.

    By their number alone a source could wait for ever behind one whose pages are known for longer.
    """
    return table.c.rank, table.c.run_id, table.c.id


class Known(NamedTuple):
    """A page that a source already has."""

    id: int
    run_id: int | None
    phase: Phase
    role: Role
    fetched_at: datetime | None
    rest: Rest
    body: HeldBody | None


class Waiting(NamedTuple):
    """What is stored of a page whose visit or reading is about to be."""

    #: of its last reading; None when it was never read to the end
    content_hash: str | None
    fetched_at: datetime | None
    rest: Rest
    #: the body that it has, and where the archive keeps it
    body_hash: str | None = None
    body_key: str | None = None
    #: the run it is in
    run_id: int | None = None
    #: while it waits to be read: None unless it has not changed, and is read for the sake of its links
    links_due_at: datetime | None = None


class Downloaded(NamedTuple):
    """A page whose body waits to be read."""

    id: int
    source_id: int
    run_id: int
    url: str
    depth: int
    role: Role
    body_key: str
    content_type: str | None
    robots_tag: str | None
    usage: str | None
    crash_count: int


_FRONTIER = (
    pages.c.id,
    pages.c.source_id,
    pages.c.run_id,
    pages.c.host_id,
    pages.c.url,
    pages.c.depth,
    pages.c.role,
    pages.c.hops,
    pages.c.retry_count,
    pages.c.max_retries,
    pages.c.etag,
    pages.c.last_modified,
    pages.c.body_hash,
    pages.c.body_key,
    pages.c.content_type,
    pages.c.robots_tag,
    pages.c.usage,
    pages.c.content_hash,
    pages.c.links_due_at,
    pages.c.fetched_at,
)
#: a page in a new run has its tries before it
AFRESH: dict[str, Any] = {
    "phase": Phase.PENDING,
    "due_at": None,
    "retry_count": 0,
    "crash_count": 0,
    "redirected_to": None,
    "reason": None,
    "detail": None,
}
_BODY = (
    pages.c.body_hash,
    pages.c.body_key,
    pages.c.etag,
    pages.c.last_modified,
    pages.c.content_type,
    pages.c.robots_tag,
    pages.c.usage,
)
_KNOWN = (
    *(pages.c[name] for name in ("source_id", "url_key", "id", "run_id", "phase", "role", "fetched_at")),
    *page_rests.COLUMNS,
    *_BODY,
)
_WAITING = tuple(
    pages.c[name] for name in ("id", "content_hash", "fetched_at", "body_hash", "body_key", "run_id", "links_due_at")
)
# Statements that every few pages need are built once: to build one takes longer than to run it.
_DUE = (
    sa.select(*_FRONTIER)
    .where(in_frontier(sa.bindparam("host")))
    .where(sa.or_(pages.c.due_at.is_(None), pages.c.due_at <= sa.bindparam("now")))
    .order_by(*in_turn())
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_BY_KEYS = sa.select(*_KNOWN).where(Among(pages.c.url_key, "keys"))
_SEEDS = sa.select(pages.c.source_id, pages.c.url).where(
    Among(pages.c.source_id, "sources"), pages.c.role.in_(literal(Role.SEED))
)
_STILL_IN = (
    sa.select(*_WAITING, *page_rests.COLUMNS)
    .where(Among(pages.c.id, "ids"), pages.c.phase == sa.bindparam("in_phase"))
    .order_by(pages.c.id)
    .with_for_update()
)


async def stay_fresh(db: Connection, until: Mapping[int, datetime]) -> None:
    """Notes of pages, by id, until when nothing new is to be expected; never sooner than is known already."""
    if until:
        later = sa.or_(pages.c.fresh_until.is_(None), pages.c.fresh_until < sa.bindparam("until"))
        statement = sa.update(pages).where(pages.c.id == sa.bindparam("page"), later)
        rows = [{"page": page_id, "until": moment} for page_id, moment in sorted(until.items())]
        await db.execute(statement.values(fresh_until=sa.bindparam("until")), rows)


async def due(db: Connection, host_id: int, *, now: datetime, limit: int) -> list[Page]:
    """The host's next pages: by priority, then depth, then the age of their runs."""
    rows = await db.execute(_DUE, {"host": host_id, "now": now, "most": limit})
    return [
        Page(
            id=row.id,
            source_id=row.source_id,
            run_id=row.run_id,
            host_id=row.host_id,
            url=row.url,
            depth=row.depth,
            role=Role(row.role),
            hops=row.hops,
            retry_count=row.retry_count,
            max_retries=row.max_retries,
            body=_body(row),
            was_read=row.content_hash is not None,
            links_due_at=row.links_due_at,
            fetched_at=row.fetched_at,
        )
        for row in rows
    ]


async def known(db: Connection, keys: Iterable[str]) -> dict[str, dict[int, Known]]:
    """Which of these URL keys are known, and to which sources."""
    wanted = sorted(keys)
    found: dict[str, dict[int, Known]] = {}
    for start in range(0, len(wanted), 500):
        rows = await db.execute(_BY_KEYS, {"keys": wanted[start : start + 500]})
        for row in rows:
            there = Known(
                id=row.id,
                run_id=row.run_id,
                phase=Phase(row.phase),
                role=Role(row.role),
                fetched_at=row.fetched_at,
                rest=page_rests.rest_of(row),
                body=_body(row),
            )
            found.setdefault(row.url_key, {})[row.source_id] = there
    return found


async def bodies(db: Connection, url_keys: Iterable[str]) -> dict[str, HeldBody]:
    """URL -> the newest body that any source got from it and the archive keeps, for these URL keys."""
    kept = sa.exists().where(page_bodies.c.hash == pages.c.body_hash)
    query = sa.select(pages.c.url, *_BODY).where(pages.c.url_key.in_(sorted(url_keys)), kept)
    rows = await db.execute(query.order_by(pages.c.fetched_at))
    return {row.url: body for row in rows if (body := _body(row)) is not None}


def _body(row: Any) -> HeldBody | None:
    if row.body_key is None:
        return None
    return HeldBody(
        hash=row.body_hash,
        key=row.body_key,
        validators=page_validators.of_row(row),
        content_type=row.content_type,
        robots_tag=row.robots_tag,
        usage=row.usage,
    )


def body_values(body: HeldBody | None) -> dict[str, Any]:
    """The columns that hold a body."""
    return {
        "body_hash": body.hash if body else None,
        "body_key": body.key if body else None,
        "content_type": body.content_type if body else None,
        "robots_tag": body.robots_tag if body else None,
        "usage": body.usage if body else None,
    } | page_validators.values(body.validators if body else NO_VALIDATORS)


async def add(db: Connection, rows: Sequence[Row]) -> None:
    """Adds new pending pages; one that a rival added meanwhile stays as the rival wrote it."""
    if rows:
        await db.execute(_add(db.dialect.name), rows)


@cache
def _add(dialect: str) -> Any:
    return insert_into(dialect, pages).on_conflict_do_nothing(index_elements=["source_id", "url_key"])


async def readmit(db: Connection, rows: Sequence[Row]) -> None:
    """Puts known pages into a run again: rows of page, run, depth, rank, hops, and when each is due if not now."""
    if rows:
        await db.execute(
            sa.update(pages)
            .where(pages.c.id == sa.bindparam("page"))
            .values(
                run_id=sa.bindparam("run"),
                depth=sa.bindparam("new_depth"),
                rank=sa.bindparam("new_rank"),
                hops=sa.bindparam("new_hops"),
                **AFRESH | {"due_at": sa.bindparam("new_due_at", None, type_=pages.c.due_at.type)},
            ),
            rows,
        )


async def promote(db: Connection, rows: Sequence[Row]) -> None:
    """Notes that pages first met as plain links are more than that: rows of page, new_role, found_page."""
    if rows:
        promoted = sa.update(pages).where(pages.c.id == sa.bindparam("page"))
        await db.execute(promoted.values(role=sa.bindparam("new_role"), found_on=sa.bindparam("found_page")), rows)


async def readmit_listings(db: Connection, found_on: int, *, run_id: int) -> list[int]:
    """Puts the "next" page found on an unchanged listing into the run, and returns the hosts to wake."""
    rows = await db.execute(
        sa.update(pages)
        .where(pages.c.found_on == found_on, pages.c.role == Role.LISTING, pages.c.phase != Phase.PAUSED)
        .where(sa.or_(pages.c.run_id.is_(None), pages.c.run_id != run_id))
        .values(run_id=run_id, hops=0, **AFRESH)
        .returning(pages.c.host_id)
    )
    return [row.host_id for row in rows]


async def save(db: Connection, rows: Sequence[Row]) -> None:
    """Writes what a phase brought; every row has the same keys, `page` is the id."""
    if not rows:
        return
    names = {name: f"new_{name}" for name in rows[0] if name != "page"}
    parameters = [{"page": row["page"]} | {new: row[name] for name, new in names.items()} for row in rows]
    await db.execute(_save(tuple(names)), parameters)


@cache
def _save(names: tuple[str, ...]) -> sa.Update:
    """One for each kind of outcome, of which there are about a dozen."""
    values: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in names}
    return sa.update(pages).where(pages.c.id == sa.bindparam("page")).values(**values)


async def still_in(db: Connection, ids: Iterable[int], phase: Phase) -> dict[int, Waiting]:
    """Which of these pages still are in that phase, and what is stored of them; locked until the transaction ends."""
    rows = await db.execute(_STILL_IN, {"ids": sorted(ids), "in_phase": phase})
    return {
        row.id: Waiting(
            row.content_hash,
            row.fetched_at,
            page_rests.rest_of(row),
            row.body_hash,
            row.body_key,
            row.run_id,
            row.links_due_at,
        )
        for row in rows
    }


async def by_url(db: Connection, url_key: str) -> Any:
    """The page with this URL that was last in a run, of whichever source; None when we do not know it."""
    return next(iter(await all_by_url(db, url_key, limit=1)), None)


async def all_by_url(db: Connection, url_key: str, *, limit: int = 20) -> Sequence[Any]:
    """The pages with this URL, one for each source that knows it, the one that was last in a run first."""
    # A page without a run would come first in PostgreSQL and last in SQLite.
    query = sa.select(pages).where(pages.c.url_key == url_key).order_by(pages.c.run_id.desc().nulls_last(), pages.c.id)
    return (await db.execute(query.limit(limit))).all()


async def url_of(db: Connection, page_id: int) -> str | None:
    """The URL of a page."""
    found: str | None = await db.scalar(sa.select(pages.c.url).where(pages.c.id == page_id))
    return found


async def hosts_of(db: Connection, ids: Iterable[int]) -> list[int]:
    """The hosts of these pages."""
    return list(await db.scalars(sa.select(pages.c.host_id).where(pages.c.id.in_(sorted(ids))).distinct()))


async def seed_urls(db: Connection, source_ids: Iterable[int]) -> dict[int, list[str]]:
    """Source -> its start URL and wherever that redirected to."""
    found: dict[int, list[str]] = {}
    for row in await db.execute(_SEEDS, {"sources": sorted(source_ids)}):
        found.setdefault(row.source_id, []).append(row.url)
    return found
