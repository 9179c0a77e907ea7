"""Forgets what was kept long enough: runs, their logs, events, receipts, notifications, alerts, changes of records.

The archive has bounds of its own (see `retention`). Takedowns, tombstones and the audit log are never forgotten.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from lamplighter import telemetry
from lamplighter.crawl.event_effects import RECEIPTS_KEPT
from lamplighter.ports import Clock
from lamplighter.store import pruning, run_hours, upkeep
from lamplighter.store.database import Database, Write
from lamplighter.store.pruning import Passed
from lamplighter.store.upkeep import Upkeep

log = telemetry.logger("pruning")
#: how long what was sent, given up or cancelled stays to be looked at, and what was an alert
NOTIFICATIONS_KEPT = timedelta(days=30)
ALERTS_KEPT = timedelta(days=90)
#: the figures of the last day are made from its runs, however many there were
LEAST_RUN_AGE = timedelta(days=1)
#: rows looked at in one transaction
_AT_ONCE = 500
#: of one kind in one sweep, so that it takes seconds however much there is to forget: the next one goes on
_MOST_LOOKS = 20
_MOST_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """How much is kept; of runs, the more restrictive counts."""

    #: of one job
    runs: int = 100
    run_age: timedelta = timedelta(days=30)
    log_age: timedelta = timedelta(days=30)
    #: of what is known of how records changed; None means as long as the record
    change_age: timedelta | None = None


class Pruning:
    """One sweep at a time."""

    def __init__(self, db: Database, *, clock: Clock, kept: Kept) -> None:
        self._db = db
        self._clock = clock
        self._kept = kept
        #: kind -> the id from which the next look goes on
        self._reached: dict[str, int] = {}

    async def sweep(self) -> Counter[str]:
        """Forgets some of everything that may go, and returns how much of each kind."""
        now, removed = self._clock.now(), Counter[str]()
        async with self._db.read() as db:
            settled = await run_hours.settled_until(db, now=now)
        for kind, look in self._looks(now, runs_before=min(settled, now - LEAST_RUN_AGE)):
            removed[kind] += await self._go_through(kind, look)
        # Why a run went does not matter to who reads it.
        removed["runs"] += removed.pop("surplus_runs")
        removed = +removed
        if removed:
            log.info("pruning.swept", **removed)
            await self._db.write(lambda db: upkeep.note(db, Upkeep.SWEEP, now=now, figures=removed))
        return removed

    def _looks(self, now: datetime, *, runs_before: datetime) -> Iterator[tuple[str, Callable[[int], Write[Passed]]]]:
        """What is looked through, each from an id on."""
        kept = self._kept

        def by_age(look: Callable[..., Any], age: timedelta) -> Callable[[int], Write[Passed]]:
            return lambda after: partial(look, before=now - age, after=after, limit=_AT_ONCE)

        yield "log_lines", by_age(pruning.log_lines, kept.log_age)
        yield "runs", by_age(pruning.old_runs, max(kept.run_age, now - runs_before))
        yield (
            "surplus_runs",
            lambda after: partial(
                pruning.surplus_runs, keep=kept.runs, before=runs_before, after=after, limit=_AT_ONCE
            ),
        )
        yield "events", by_age(pruning.delivered_events, RECEIPTS_KEPT)
        yield "receipts", lambda _: partial(pruning.old_receipts, before=now - RECEIPTS_KEPT, limit=_AT_ONCE)
        yield "notifications", by_age(pruning.ended_notifications, NOTIFICATIONS_KEPT)
        yield "alerts", by_age(pruning.cleared_alerts, ALERTS_KEPT)
        if kept.change_age is not None:
            yield "changes", by_age(pruning.changes, kept.change_age)

    async def _go_through(self, kind: str, look: Callable[[int], Write[Passed]]) -> int:
        """Looks again and again, each time in a transaction of its own, and goes on from there at the next sweep."""
        removed, began = 0, self._clock.monotonic()
        for _ in range(_MOST_LOOKS):
            passed = await self._db.write(look(self._reached.get(kind, 0)))
            removed += passed.removed
            self._reached[kind] = passed.last or 0
            if passed.last is None or self._clock.monotonic() - began > _MOST_SECONDS:
                break
        return removed
