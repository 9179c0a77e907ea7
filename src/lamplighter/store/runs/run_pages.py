"""Queries for the pages of a run: its progress, its results, and its end."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.model.visit import SOFT_NOT_FOUND, Fault, Refusal
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.pages.pages import OPEN_PHASES
from lamplighter.store.schema.tables import pages
from lamplighter.store.schema.types import literal

_REFUSALS = literal(*Refusal)
_NOT_THERE = literal(Fault.NOT_FOUND, Fault.GONE)
_SEED_OF_RUN = sa.select(pages.c.fetched_at, pages.c.last_modified, pages.c.fresh_until, pages.c.due_at).where(
    pages.c.run_id == sa.bindparam("run"), pages.c.role == PageRole.SEED
)
_FIRST_PROBLEM = (
    sa.select(pages.c.url, pages.c.role, pages.c.reason, pages.c.detail, pages.c.status)
    .where(pages.c.run_id == sa.bindparam("run"), pages.c.phase == Phase.FAILED)
    .order_by(sa.case((pages.c.role == PageRole.SEED, 0), (pages.c.reason.in_(_REFUSALS), 2), else_=1), pages.c.id)
    .limit(sa.literal_column("1"))
)
#: a page that says in words that it was not found counts as one that does so by its status; further pages of a list
#: count as such, unless the list only ends there
_FAILED_BY_REASON = (
    sa.select(
        sa.case(
            (pages.c.detail == SOFT_NOT_FOUND, Fault.NOT_FOUND.value),
            (sa.and_(pages.c.role == PageRole.LISTING, pages.c.reason.not_in(_NOT_THERE)), PageRole.LISTING.value),
            else_=pages.c.reason,
        ).label("why"),
        sa.func.count().label("pages"),
    )
    .where(pages.c.run_id == sa.bindparam("run"), pages.c.phase == Phase.FAILED, pages.c.reason.not_in(_REFUSALS))
    .group_by("why")
)
#: permanent redirects
FOR_GOOD = (301, 308)
#: whether the source's own URL redirects for good
_HAS_MOVED = sa.select(
    sa.exists().where(
        pages.c.run_id == sa.bindparam("run"),
        pages.c.redirected_to.is_not(None),
        pages.c.hops == sa.literal_column("0"),
        pages.c.role == PageRole.SEED,
        pages.c.status.in_(FOR_GOOD),
    )
)


async def has_moved(db: Connection, run_id: int) -> bool:
    """Whether the source's own URL redirected for good in this run."""
    return bool(await db.scalar(_HAS_MOVED, {"run": run_id}))


async def count_of_run(db: Connection, run_id: int) -> tuple[int, int]:
    """How many pages a run has, and how many of them are open."""
    counts = (sa.func.count().label("known"), queries.count_if(pages.c.phase.in_(OPEN_PHASES)).label("open"))
    row = (await db.execute(sa.select(*counts).where(pages.c.run_id == run_id))).one()
    return int(row.known), int(row.open or 0)


async def close_open(db: Connection, run_id: int, *, phase: Phase, reason: str, detail: str) -> int:
    """Closes the open pages of a run; returns how many."""
    is_left = sa.and_(pages.c.run_id == run_id, pages.c.phase.in_(OPEN_PHASES))
    # The pages that link to them count as not parsed, or an unchanged list would not lead there again.
    led_there = set(await db.scalars(sa.select(pages.c.found_on).where(is_left, pages.c.found_on.is_not(None))))
    for some in queries.chunks(sorted(led_there)):
        await db.execute(sa.update(pages).where(pages.c.id.in_(some)).values(content_hash=None))
    # A body that was never parsed must not count as parsed when the site says "not modified" next time, nor may its
    # page have a revisit delay.
    unread = {
        name: sa.case((pages.c.phase == Phase.DOWNLOADED, None), else_=pages.c[name])
        for name in ("content_hash", "fetched_at")
    }
    ended = sa.update(pages).where(is_left).values(phase=phase, reason=reason, detail=detail, **unread)
    return rows_written(await db.execute(ended))


async def hosts_to_ask(db: Connection, run_id: int, *, now: datetime) -> list[int]:
    """The hosts of a run's pages that may be fetched now."""
    is_due = sa.or_(pages.c.due_at.is_(None), pages.c.due_at <= now)
    query = sa.select(pages.c.host_id).where(pages.c.run_id == run_id, pages.c.phase == Phase.PENDING, is_due)
    return list(await db.scalars(query.distinct()))


async def is_being_read(db: Connection, run_id: int) -> bool:
    """Whether a run has a downloaded page to parse."""
    is_had = sa.and_(pages.c.run_id == run_id, pages.c.phase.in_(OPEN_PHASES), pages.c.phase == Phase.DOWNLOADED)
    return (await db.execute(sa.select(pages.c.id).where(is_had).limit(1))).first() is not None


async def redirects_in_run(db: Connection, run_id: int) -> dict[str, str]:
    """URL -> where it redirected to in this run."""
    query = sa.select(pages.c.url, pages.c.redirected_to).where(pages.c.run_id == run_id)
    # Hops are never negative: named so that SQLite uses ix_pages_redirected, and does not read every page of the run.
    rows = await db.execute(query.where(pages.c.redirected_to.is_not(None), pages.c.hops >= 0))
    return {row.url: row.redirected_to for row in rows}


async def open_among(db: Connection, run_id: int, urls: Iterable[str]) -> set[str]:
    """Those of these URLs whose pages the run has still to fetch or to parse."""
    mine = sa.and_(pages.c.run_id == run_id, pages.c.phase.in_(OPEN_PHASES), pages.c.url.in_(sorted(set(urls))))
    return set(await db.scalars(sa.select(pages.c.url).where(mine)))


async def first_among(db: Connection, run_id: int, urls: Collection[str]) -> set[int]:
    """Those of these pages that no redirect led to in this run."""
    mine = sa.and_(pages.c.run_id == run_id, pages.c.url.in_(sorted(urls)), pages.c.hops == 0)
    return set(await db.scalars(sa.select(pages.c.id).where(mine)))


async def fail_redirected(
    db: Connection, run_id: int, urls: Collection[str], *, reason: str, detail: str, now: datetime
) -> None:
    """Fails those of these pages whose redirect was followed first in this run, not on the way."""
    mine = sa.and_(pages.c.run_id == run_id, pages.c.url.in_(sorted(urls)), pages.c.hops == 0)
    followed = sa.and_(pages.c.redirected_to.is_not(None), pages.c.phase == Phase.COMPLETED)
    values = {"phase": Phase.FAILED, "reason": reason, "detail": detail, "failed_at": now}
    await db.execute(sa.update(pages).where(mine, followed).values(values))


async def seed_of(db: Connection, run_id: int) -> Any:
    """The start page of a run: when it was fetched, its Last-Modified, until when it is fresh, when it may be tried."""
    return (await db.execute(_SEED_OF_RUN, {"run": run_id})).first()


async def first_problem(db: Connection, run_id: int) -> Any:
    """The first page of the run that was refused or failed, the start page before others; None without any."""
    return (await db.execute(_FIRST_PROBLEM, {"run": run_id})).first()


async def failed_by_reason(db: Connection, run_id: int) -> dict[str, int]:
    """How many pages of the run failed, by reason or as pages of a list; refused ones do not count."""
    return {row.why: row.pages for row in await db.execute(_FAILED_BY_REASON, {"run": run_id})}
