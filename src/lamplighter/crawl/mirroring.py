"""Shows outside readers what was visited and learnt, after it is durable: a copy, never the truth, never read back.

Sinks only say which pages and runs they came past. What there is to show of them is read from the database in the
background, so showing never holds up a commit, and what cannot be shown is dropped and counted.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from lamplighter import telemetry
from lamplighter.crawl.answers import Answer
from lamplighter.crawl.parse_sink import Read
from lamplighter.model.sight import Sight, Visited, Waiting
from lamplighter.model.visit import Fetched, NotModified, Redirected
from lamplighter.ports import Clock, Mirror
from lamplighter.rules import urls
from lamplighter.store import sights
from lamplighter.store.database import Connection, Database
from lamplighter.store.sights import ShownRun

log = telemetry.logger("mirror")
#: visited pages that may wait to be shown
_MOST_NOTED = 20_000
#: waiting pages shown of one job
MOST_WAITING = 1_000
#: a run that nothing was heard of is looked at so often, for others may end it
_LOOK_AGAIN_SECONDS = 30.0
_MOST_OPEN_RUNS = 1_000


class Mirroring:
    """Gathers what is to be shown, and hands it to the mirror; without one it does nothing."""

    def __init__(self, db: Database, *, mirror: Mirror | None, clock: Clock) -> None:
        self._db = db
        self._mirror = mirror
        self._clock = clock
        #: run and URL key of pages that were visited
        self._visited: list[tuple[int, str]] = []
        self._touched: set[int] = set()
        #: runs that had not ended when they were last looked at
        self._open: set[int] = set()
        self._looked_at = clock.monotonic()
        #: pieces that could not be shown since this process began
        self.dropped = 0

    def answered(self, answers: Sequence[Answer]) -> None:
        """These answers are durable."""
        if self._mirror is None:
            return
        had = [answer for answer in answers if isinstance(answer.visit, Fetched | NotModified | Redirected)]
        room = _MOST_NOTED - len(self._visited)
        self._visited += [(answer.page.run_id, urls.url_key(answer.page.url)) for answer in had[:room]]
        self.dropped += max(0, len(had) - room)
        self._touched |= {answer.page.run_id for answer in answers}

    def read(self, reads: Iterable[Read]) -> None:
        """These readings are durable."""
        if self._mirror is not None:
            self._touched |= {read.page.run_id for read in reads}

    async def show(self) -> None:
        """Shows what was noted since the last time."""
        if self._mirror is None:
            return
        visited, self._visited = self._visited, []
        run_ids, self._touched = self._touched, set()
        was_away = self._mirror.is_away
        if not await self._mirror.is_there():
            self.dropped += len(visited)
            self._remember_open(run_ids)
            return
        if was_away or self._clock.monotonic() - self._looked_at > _LOOK_AGAIN_SECONDS:
            self._looked_at = self._clock.monotonic()
            run_ids |= self._open
        if not run_ids:
            return
        found = await self._seen(run_ids, visited)
        if not await self._mirror.show(found):
            self.dropped += len(found)
            self._remember_open(run_ids)  # lost on the way: they are shown when it is back

    async def close(self) -> None:
        """Shows what is left, and lets go of the mirror."""
        if self._mirror is None:
            return
        try:
            await self.show()
        except Exception:
            log.exception("mirror.last_words_failed")
        await self._mirror.close()

    def standing(self) -> dict[str, Any]:
        """How the mirror is, for whoever asks how the service is."""
        if self._mirror is None:
            return {"state": "off"}
        return {"state": "away" if self._mirror.is_away else "up", "dropped": self.dropped}

    def figures(self) -> dict[str, float]:
        """What this process tells of its mirror among its other figures."""
        return {} if self._mirror is None else {"mirror_away": self._mirror.is_away, "mirror_dropped": self.dropped}

    async def _seen(self, run_ids: set[int], visited: Sequence[tuple[int, str]]) -> list[Sight]:
        async with self._db.read() as db:
            runs = await sights.runs(db, run_ids)
            found = await self._of_runs(db, runs)
        jobs = {run.id: run.job for run in runs}
        found += [Visited(job=jobs[run_id], url_key=key) for run_id, key in visited if run_id in jobs]
        self._open -= run_ids
        self._remember_open({run.id for run in runs if run.finished_at is None})
        return found

    async def _of_runs(self, db: Connection, runs: Sequence[ShownRun]) -> list[Sight]:
        found: list[Sight] = []
        for run in runs:
            found.append(Waiting(job=run.job, urls=await sights.waiting(db, run.id, limit=MOST_WAITING)))
        if ended := {run.source_id for run in runs if run.finished_at is not None}:
            found += await sights.start_pages(db, ended)
            found += await sights.paces(db, ended)
        return found

    def _remember_open(self, run_ids: set[int]) -> None:
        self._open |= run_ids
        while len(self._open) > _MOST_OPEN_RUNS:
            self._open.pop()
