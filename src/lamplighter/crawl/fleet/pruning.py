"""Deletes old rows: runs, logs, events, receipts, notifications, alerts, samples, change sets, changes of records.

The archive has its own bounds (see `retention`). Takedowns, tombstones and the audit log are never deleted.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from lamplighter import crash_points, telemetry
from lamplighter.crawl.events.event_effects import RECEIPTS_KEPT
from lamplighter.ports import Clock
from lamplighter.store.engine.database import Database, Write
from lamplighter.store.fleet import pruning, upkeep
from lamplighter.store.fleet.pruning import PruneStep
from lamplighter.store.fleet.upkeep import Upkeep
from lamplighter.store.runs import run_hours

log = telemetry.logger("pruning")
#: how long finished notifications and cleared alerts are kept
NOTIFICATIONS_KEPT = timedelta(days=30)
ALERTS_KEPT = timedelta(days=90)
#: how long the page of changes reaches back
CHANGE_SETS_KEPT = timedelta(days=90)
#: the plots of the dashboard reach back less
SAMPLES_KEPT = timedelta(days=90)
#: the figures of the last day need its runs, however many there were
LEAST_RUN_AGE = timedelta(days=1)
#: rows checked in one transaction
AT_ONCE = 500
#: of one kind in one sweep, so that it takes seconds however much there is to delete: the next one continues
MOST_LOOKS = 20
_MOST_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionLimits:
    """How much is kept; of runs, the stricter limit counts."""

    #: of one job
    runs: int = 100
    run_age: timedelta = timedelta(days=30)
    log_age: timedelta = timedelta(days=30)
    #: of record changes; None means as long as the record
    change_age: timedelta | None = None


class Pruning:
    """Sweeps old rows."""

    def __init__(self, db: Database, *, clock: Clock, kept: RetentionLimits) -> None:
        self._db = db
        self._clock = clock
        self.kept = kept
        #: kind -> the id after which the next transaction continues
        self._reached: dict[str, int] = {}

    async def sweep(self) -> Counter[str]:
        """Deletes some old rows of each kind, and returns how many of each."""
        now, removed = self._clock.now(), Counter[str]()
        async with self._db.read() as db:
            settled = await run_hours.settled_until(db, now=now)
        for kind, look in self._looks(now, runs_before=min(settled, now - LEAST_RUN_AGE)):
            removed[kind] += await self._go_through(kind, look)
        # The log does not say why a run was deleted.
        removed["runs"] += removed.pop("surplus_runs")
        removed = +removed
        if removed:
            log.info("pruning.swept", **removed)
            await self._db.write(lambda db: upkeep.note(db, Upkeep.SWEEP, now=now, figures=removed))
        return removed

    def _looks(
        self, now: datetime, *, runs_before: datetime
    ) -> Iterator[tuple[str, Callable[[int], Write[PruneStep]]]]:
        """The deletions by kind, each from an id."""
        kept = self.kept

        def by_age(look: Callable[..., Any], age: timedelta) -> Callable[[int], Write[PruneStep]]:
            return lambda after: partial(look, before=now - age, after=after, limit=AT_ONCE)

        yield "log_lines", by_age(pruning.log_lines, kept.log_age)
        yield "runs", by_age(pruning.old_runs, max(kept.run_age, now - runs_before))
        yield (
            "surplus_runs",
            lambda after: partial(pruning.surplus_runs, keep=kept.runs, before=runs_before, after=after, limit=AT_ONCE),
        )
        yield "events", by_age(pruning.delivered_events, RECEIPTS_KEPT)
        yield "receipts", lambda _: partial(pruning.old_receipts, before=now - RECEIPTS_KEPT, limit=AT_ONCE)
        yield "notifications", by_age(pruning.ended_notifications, NOTIFICATIONS_KEPT)
        yield "alerts", by_age(pruning.cleared_alerts, ALERTS_KEPT)
        yield "change_sets", by_age(pruning.old_change_sets, CHANGE_SETS_KEPT)
        yield "samples", lambda _: partial(pruning.old_samples, before=now - SAMPLES_KEPT)
        if kept.change_age is not None:
            yield "changes", by_age(pruning.changes, kept.change_age)

    async def _go_through(self, kind: str, look: Callable[[int], Write[PruneStep]]) -> int:
        """Deletes in several transactions, and continues from the reached id at the next sweep."""
        removed, began = 0, self._clock.monotonic()
        for _ in range(MOST_LOOKS):
            passed = await self._db.write(look(self._reached.get(kind, 0)))
            if passed.removed:
                crash_points.reached("prune.after_step")
            removed += passed.removed
            self._reached[kind] = passed.last or 0
            if passed.last is None or self._clock.monotonic() - began > _MOST_SECONDS:
                break
        return removed
