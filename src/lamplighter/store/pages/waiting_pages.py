"""SQL about pages that wait for room in a run: the pages of its list come first, and its page budget is limited.

They are in the phase `waiting` with the reason `LEFT_FOR_LATER`, belong to the latest run of their source and are not
open: a run ends without them. Submitted pages wait in the same phase, for another reason.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import Trigger
from lamplighter.model.page import LEFT_FOR_LATER, Phase, RevisitState
from lamplighter.model.reading import PageRole
from lamplighter.store.engine import queries
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import page_revisits
from lamplighter.store.pages.pages import AFRESH, OPEN_PHASES
from lamplighter.store.schema.tables import crawl_runs, pages
from lamplighter.store.schema.types import literal

#: what a page says while it waits
WAITS: dict[str, Any] = {
    "phase": Phase.WAITING,
    "reason": LEFT_FOR_LATER,
    "detail": "the pages of the list come first, then the page budget: it is fetched when there is room",
}


class WaitingPage(NamedTuple):
    """A page that waits for room in its run."""

    id: int
    run_id: int
    host_id: int
    role: PageRole
    #: None before its first fetch
    fetched_at: datetime | None
    created_at: datetime
    #: set for a known page that is announced as changed
    due_at: datetime | None
    revisit: RevisitState


class LeftOver(NamedTuple):
    """What a run had no room for."""

    lists: int
    links: int


_WAITS_FOR_ROOM = sa.and_(pages.c.phase == Phase.WAITING, pages.c.reason == LEFT_FOR_LATER)
_PLAIN = ("id", "run_id", "host_id", "role", "fetched_at", "created_at", "due_at")
_OF_RUNS = (
    sa.select(*(pages.c[name] for name in _PLAIN), *page_revisits.COLUMNS)
    # `coalesce` keeps SQLite from ix_pages_reason, which has the waiting pages of every run.
    .where(
        Among(pages.c.run_id, "runs"),
        pages.c.phase == Phase.WAITING,
        sa.func.coalesce(pages.c.reason, "") == LEFT_FOR_LATER,
    )
    .order_by(pages.c.id)
)
_FINDER = pages.alias("finder")
_RUN_OF_FINDER = sa.select(_FINDER.c.run_id).where(_FINDER.c.id == pages.c.found_on).scalar_subquery()
_HOLD = (
    sa.update(pages)
    .where(Among(pages.c.found_on, "finders"), pages.c.role == PageRole.LISTING, pages.c.phase != Phase.PAUSED)
    .where(sa.or_(pages.c.run_id.is_(None), pages.c.run_id != _RUN_OF_FINDER))
    .values(AFRESH | WAITS | {"run_id": _RUN_OF_FINDER, "hops": 0})
    .returning(pages.c.run_id)
)


def _open_lists(role: PageRole) -> sa.Select[Any]:
    # `literal` repeats the condition of the partial index; a page that is retried later holds nothing up.
    return sa.select(pages.c.id, pages.c.run_id).where(
        Among(pages.c.source_id, "sources"),
        pages.c.role.in_(literal(role)),
        pages.c.phase.in_(OPEN_PHASES),
        pages.c.retry_count == 0,
    )


_OPEN_LISTS = sa.union_all(_open_lists(PageRole.SEED), _open_lists(PageRole.LISTING))


async def with_open_lists(db: Connection, runs: Mapping[int, int], *, but: Collection[int] = ()) -> set[int]:
    """Those runs (run -> source) that still fetch or parse pages of their list, besides the pages `but`."""
    rows = await db.execute(_OPEN_LISTS, {"sources": sorted(set(runs.values()))})
    return {row.run_id for row in rows if row.run_id in runs and row.id not in but}


async def of_runs(db: Connection, run_ids: Iterable[int]) -> dict[int, list[WaitingPage]]:
    """Run -> its waiting pages, in the order in which they were found."""
    found: dict[int, list[WaitingPage]] = {}
    for row in await db.execute(_OF_RUNS, {"runs": sorted(run_ids)}):
        values = {name: getattr(row, name) for name in _PLAIN} | {"role": PageRole(row.role)}
        found.setdefault(row.run_id, []).append(WaitingPage(**values, revisit=page_revisits.revisit_of(row)))
    return found


async def start(db: Connection, ids: Iterable[int]) -> None:
    """Makes waiting pages pending."""
    for some in queries.chunks(sorted(ids)):
        await db.execute(sa.update(pages).where(pages.c.id.in_(some)).values(AFRESH))


async def take_over(db: Connection, source_id: int, *, run_id: int, most: int) -> list[WaitingPage]:
    """Moves what the source's previous run had no room for to this run, and returns it."""
    before = sa.select(sa.func.max(crawl_runs.c.id)).where(
        crawl_runs.c.source_id == source_id, crawl_runs.c.id != run_id, crawl_runs.c.trigger != Trigger.TASKS
    )
    previous = await db.scalar(before)
    if previous is None:
        return []
    waiting = (await of_runs(db, [previous])).get(previous, [])
    kept = sorted(waiting, key=lambda page: (page.role is PageRole.LINK, -page.id))[:most]
    for some in queries.chunks(sorted(page.id for page in kept)):
        await db.execute(sa.update(pages).where(pages.c.id.in_(some)).values(run_id=run_id))
    return [page._replace(run_id=run_id) for page in kept]


async def hold_listings(db: Connection, unchanged: Iterable[int]) -> set[int]:
    """Lets the "next" pages that were found on unchanged pages wait in the runs of these; returns those runs."""
    return set(await db.scalars(_HOLD, {"finders": sorted(unchanged)}))


async def left_over(db: Connection, run_id: int) -> LeftOver:
    """How many pages wait when a run ends."""
    is_list = pages.c.role == PageRole.LISTING
    counts = (queries.count_if(is_list).label("lists"), queries.count_if(~is_list).label("links"))
    query = sa.select(*counts).where(pages.c.run_id == run_id, _WAITS_FOR_ROOM)
    row = (await db.execute(query)).one()
    return LeftOver(int(row.lists or 0), int(row.links or 0))


async def forget(db: Connection, source_id: int) -> None:
    """Stops waiting, as when the source has a new URL or follows other links."""
    waiting = sa.and_(pages.c.source_id == source_id, _WAITS_FOR_ROOM)
    # The pages that link to them count as not parsed, or an unchanged list would not lead to those still wanted.
    led_there = set(await db.scalars(sa.select(pages.c.found_on).where(waiting, pages.c.found_on.is_not(None))))
    for some in queries.chunks(sorted(led_there)):
        await db.execute(sa.update(pages).where(pages.c.id.in_(some)).values(content_hash=None))
    await db.execute(sa.update(pages).where(waiting).values(run_id=None, phase=Phase.CANCELLED))
