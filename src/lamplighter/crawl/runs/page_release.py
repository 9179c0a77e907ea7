"""Lets the waiting pages of runs be fetched once no page of their lists is left to read."""

from collections.abc import Iterable
from datetime import datetime

from lamplighter.model.reading import PageRole
from lamplighter.rules.pages import frontier
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.pages import waiting_pages
from lamplighter.store.pages.waiting_pages import WaitingPage
from lamplighter.store.runs import crawl_runs


async def release(db: Connection, run_ids: Iterable[int], *, now: datetime) -> set[int]:
    """Shares the room of these runs out among their waiting pages, and returns the hosts with new work."""
    runs = await crawl_runs.lock_open(db, run_ids)
    busy = await waiting_pages.with_open_lists(db, {run.id: run.source_id for run in runs.values()})
    woken: set[int] = set()
    for run_id, waiting in (await waiting_pages.of_runs(db, runs.keys() - busy)).items():
        run = runs[run_id]
        chosen = frontier.share_out(
            waiting, page_count=run.page_count, page_budget=run.page_budget, started_at=run.started_at, now=now
        )
        woken |= await _start(db, run_id, chosen, now=now)
    return woken


async def take_over(db: Connection, source_id: int, *, run_id: int, page_budget: int, now: datetime) -> set[int]:
    """Goes on where the source's previous run stopped: with its list at once, with linked pages later."""
    most = frontier.most_waiting(page_budget)
    waiting = await waiting_pages.take_over(db, source_id, run_id=run_id, most=most)
    lists = [page for page in waiting if page.role is not PageRole.LINK and page.fetched_at is None]
    return await _start(db, run_id, lists[: max(0, page_budget - 1)], now=now)


async def _start(db: Connection, run_id: int, chosen: Iterable[WaitingPage], *, now: datetime) -> set[int]:
    started = list(chosen)
    if not started:
        return set()
    await waiting_pages.start(db, [page.id for page in started])
    woken = {page.host_id for page in started}
    await hosts.wake(db, woken, now=now)
    await crawl_runs.add_up(db, {run_id: {"page_count": len(started)}}, now=now)
    return woken
