"""Updates the mirror with visits and results after they are committed: a copy that is never read back.

Sinks only note which pages and runs they stored. Their mirror entries are read from the database in the
background, so the mirror never delays a commit; entries that cannot be written are dropped and counted.
"""

from collections.abc import Sequence
from typing import Any

from lamplighter import telemetry
from lamplighter.crawl.fetching.page_visits import PageVisit
from lamplighter.crawl.pages.page_results import PageResult
from lamplighter.model.mirror import MirrorEntry, MirrorVisit, PendingPages
from lamplighter.model.visit import Fetched, NotModified, Redirected
from lamplighter.ports import Clock, Mirror
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import mirror_queries
from lamplighter.store.fleet.mirror_queries import MirrorRun

log = telemetry.logger("mirror")
#: visited pages that may wait for the mirror
_MOST_NOTED = 20_000
#: pending pages of one job in the mirror
MOST_WAITING = 1_000
#: an open run without news is read again so often, because other processes may end it
_LOOK_AGAIN_SECONDS = 30.0
_MOST_OPEN_RUNS = 1_000


class MirrorUpdates:
    """Collects mirror entries and writes them; does nothing without a mirror."""

    def __init__(self, db: Database, *, mirror: Mirror | None, clock: Clock) -> None:
        self._db = db
        self._mirror = mirror
        self._clock = clock
        #: run and URL key of pages that were visited
        self._visited: list[tuple[int, str]] = []
        self._touched: set[int] = set()
        #: runs that had not ended when they were last read
        self._open: set[int] = set()
        self._looked_at = clock.monotonic()
        #: entries that could not be written since this process began
        self.dropped = 0
        self._was_asked = False

    def stored(self, results: Sequence[PageResult]) -> None:
        """Notes stored visits and readings."""
        if self._mirror is None:
            return
        pages = [result.visited.page for result in results if result.visited is not None and _was_asked(result.visited)]
        room = _MOST_NOTED - len(self._visited)
        self._visited += [(page.run_id, urls.url_key(page.url)) for page in pages[:room]]
        self.dropped += max(0, len(pages) - room)
        for visited, reading, _ in results:
            self._touched |= {each.page.run_id for each in (visited, reading) if each is not None}

    async def show(self) -> None:
        """Writes what was noted to the mirror."""
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
        self._was_asked = True
        found = await self._seen(run_ids, visited)
        if not await self._mirror.show(found):
            self.dropped += len(found)
            self._remember_open(run_ids)  # the write failed: they are written when the mirror is back

    async def close(self) -> None:
        """Writes what is left, and closes the mirror."""
        if self._mirror is None:
            return
        try:
            await self.show()
        except Exception:
            log.exception("mirror.last_words_failed")
        await self._mirror.close()

    @property
    def is_on(self) -> bool:
        """Whether there is a mirror."""
        return self._mirror is not None

    async def answers(self) -> bool:
        """Asks the mirror's server; True without a mirror."""
        self._was_asked = True
        return self._mirror is None or await self._mirror.answers()

    def status(self) -> dict[str, Any]:
        """The mirror's state, for the service's status; unknown until its server was first asked."""
        if self._mirror is None:
            return {"state": "off"}
        up = "up" if self._was_asked else "unknown"
        return {"state": "away" if self._mirror.is_away else up, "dropped": self.dropped}

    def figures(self) -> dict[str, float]:
        """The mirror's part of this process's heartbeat figures."""
        return {} if self._mirror is None else {"mirror_away": self._mirror.is_away, "mirror_dropped": self.dropped}

    async def _seen(self, run_ids: set[int], visited: Sequence[tuple[int, str]]) -> list[MirrorEntry]:
        async with self._db.read() as db:
            runs = await mirror_queries.runs(db, run_ids)
            found = await self._of_runs(db, runs)
        jobs = {run.id: run.job for run in runs}
        found += [MirrorVisit(job=jobs[run_id], url_key=key) for run_id, key in visited if run_id in jobs]
        self._open -= run_ids
        self._remember_open({run.id for run in runs if run.finished_at is None})
        return found

    async def _of_runs(self, db: Connection, runs: Sequence[MirrorRun]) -> list[MirrorEntry]:
        found: list[MirrorEntry] = []
        for run in runs:
            found.append(PendingPages(job=run.job, urls=await mirror_queries.waiting(db, run.id, limit=MOST_WAITING)))
        if ended := {run.source_id for run in runs if run.finished_at is not None}:
            found += await mirror_queries.start_pages(db, ended)
            found += await mirror_queries.paces(db, ended)
        return found

    def _remember_open(self, run_ids: set[int]) -> None:
        self._open |= run_ids
        while len(self._open) > _MOST_OPEN_RUNS:
            self._open.pop()


def _was_asked(visited: PageVisit) -> bool:
    return isinstance(visited.visit, Fetched | NotModified | Redirected)
