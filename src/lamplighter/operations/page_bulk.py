"""Has many pages of the frontier asked for again: all that match."""

from dataclasses import asdict, replace
from datetime import datetime
from functools import partial

from lamplighter.model.page import IGNORED, Stage
from lamplighter.operations import frontier
from lamplighter.operations.frontier import Which
from lamplighter.store import audit_log, page_changes, page_lists, page_orders
from lamplighter.store.database import Connection, Database
from lamplighter.store.page_lists import Wanted

#: pages restarted by one order, and in one transaction of which it has whole ones
MOST_AT_ONCE, _CHUNK = 10_000, 500
_ENDED = frozenset({Stage.COMPLETED, Stage.FAILED, Stage.PAUSED, Stage.CANCELLED})


async def count_restartable(db: Connection, which: Which, *, now: datetime) -> int:
    """How many of these pages ended or were paused, and so can be asked for again; counted no further than needed."""
    wanted = await _restartable(db, which)
    return await page_lists.count(db, wanted, now=now) if wanted is not None else 0


async def restart(db: Database, which: Which, *, actor: str, now: datetime) -> int:
    """Has those asked for again, with all their tries, each in its host's turn; returns how many, MOST_AT_ONCE at most.

    Small transactions: whoever fetches is not held up, and what was restarted when it is cut short stays so.
    """
    done, last = 0, 0
    async with db.read() as connection:
        wanted = await _restartable(connection, which)
    while wanted is not None and done < MOST_AT_ONCE:
        # Found by a read, so that nobody waits for the search; and each once, even if it ends again meanwhile.
        async with db.read() as connection:
            ids = await page_lists.ids(connection, wanted, after=last, limit=min(_CHUNK, MOST_AT_ONCE - done), now=now)
        if not ids:
            break
        done += await db.write(partial(_take, wanted=wanted, ids=ids, actor=actor, now=now))
        last = ids[-1]
    said = {name: str(value) for name, value in asdict(which).items() if value}
    await db.write(lambda connection: _note(connection, done, said, actor=actor, now=now))
    return done


async def _restartable(db: Connection, which: Which) -> Wanted | None:
    """Those of them that ended or were paused, but for links that somebody said lead nowhere."""
    wanted = await frontier.wanted_of(db, which)
    if wanted is None:
        return None
    stages = _ENDED.intersection(wanted.stages) if wanted.stages is not None else _ENDED
    if not stages:
        return None
    return replace(wanted, stages=sorted(stages), other_reasons={IGNORED, *(wanted.other_reasons or ())})


async def _take(db: Connection, *, wanted: Wanted, ids: list[int], actor: str, now: datetime) -> int:
    """Restarts those of these pages that are still wanted."""
    held = await page_lists.hold_many(db, wanted, ids, now=now)
    await page_changes.wait_many(db, held)
    await page_orders.renew_many(db, held, at=now, created_by=actor)
    return len(held)


async def _note(db: Connection, count: int, said: dict[str, str], *, actor: str, now: datetime) -> None:
    after = {"restarted": count, "which": said}
    await audit_log.write(db, actor=actor, action="task.restart_matching", subject="tasks", now=now, after=after)
