"""Restarts all pages of the frontier that match a filter."""

from dataclasses import asdict, replace
from datetime import datetime
from functools import partial

from lamplighter.model.access import Stamp
from lamplighter.model.page import IGNORED, PageStage
from lamplighter.operations.pages import frontier
from lamplighter.operations.pages.frontier import FrontierFilter
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import page_actions, page_lists, tasks
from lamplighter.store.pages.page_lists import PageFilter

#: pages restarted by one order, and in one transaction of which it has whole ones
MOST_AT_ONCE, CHUNK = 10_000, 500
_ENDED = frozenset({PageStage.COMPLETED, PageStage.FAILED, PageStage.PAUSED, PageStage.CANCELLED})


async def count_restartable(db: Connection, which: FrontierFilter, *, now: datetime) -> int:
    """How many of these pages have ended or are paused, and so can be restarted; counted up to a limit."""
    wanted = await _restartable(db, which)
    return await page_lists.count(db, wanted, now=now) if wanted is not None else 0


async def restart(db: Database, which: FrontierFilter, *, stamp: Stamp) -> int:
    """Restarts those pages with all their tries; returns how many, MOST_AT_ONCE at most.

    Small transactions: workers are not held up, and an interrupted restart keeps what it has done.
    """
    done, last = 0, 0
    async with db.read() as connection:
        wanted = await _restartable(connection, which)
    while wanted is not None and done < MOST_AT_ONCE:
        # Found by a read, so that no writer waits for the search; and each once, even if it ends again meanwhile.
        async with db.read() as connection:
            ids = await page_lists.ids(
                connection, wanted, after=last, limit=min(CHUNK, MOST_AT_ONCE - done), now=stamp.now
            )
        if not ids:
            break
        done += await db.write(partial(_take, wanted=wanted, ids=ids, stamp=stamp))
        last = ids[-1]
    counts = {"restarted": done, "which": {name: str(value) for name, value in asdict(which).items() if value}}
    await db.write(lambda writing: audit_log.write(writing, stamp, "task.restart_matching", "tasks", after=counts))
    return done


async def _restartable(db: Connection, which: FrontierFilter) -> PageFilter | None:
    """Those that have ended or are paused, without ignored links."""
    wanted = await frontier.wanted_of(db, which)
    if wanted is None:
        return None
    stages = _ENDED.intersection(wanted.stages) if wanted.stages is not None else _ENDED
    if not stages:
        return None
    return replace(wanted, stages=sorted(stages), other_reasons={IGNORED, *(wanted.other_reasons or ())})


async def _take(db: Connection, *, wanted: PageFilter, ids: list[int], stamp: Stamp) -> int:
    """Restarts those of these pages that are still wanted."""
    held = await page_lists.hold_many(db, wanted, ids, now=stamp.now)
    await page_actions.wait_many(db, held)
    await tasks.renew_many(db, held, at=stamp.now, created_by=stamp.actor)
    return len(held)
