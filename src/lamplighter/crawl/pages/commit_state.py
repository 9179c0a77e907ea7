"""What one transaction of the page sink knows and gathers."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter.crawl.fetching.page_revisits import PageRevisits
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.crawl.runs.run_notes import RunNotes
from lamplighter.model.page import Page, Phase
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import pages
from lamplighter.store.pages.pages import PageBeforeVisit
from lamplighter.store.runs.crawl_runs import OpenRun


class _Fetched(NamedTuple):
    """The row of a page that was fetched, and is written with what was read."""

    kind: str
    row: dict[str, Any]


class CommitState:
    """One try of one transaction."""

    def __init__(
        self,
        tools: RunTools,
        *,
        now: datetime,
        runs: Mapping[int, OpenRun],
        before: Mapping[int, PageBeforeVisit],
        revisits: PageRevisits,
    ) -> None:
        self.tools = tools
        self.now = now
        #: those that are open, locked
        self.runs = runs
        #: page -> what was stored of it; after its visit, if that is stored in the same transaction
        self.before = dict(before)
        self.revisits = revisits
        self.notes = RunNotes(tools.keeping, now=now)
        #: run -> counter -> by how much
        self.counts: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(int))
        #: hosts with new work
        self.woken: set[int] = set()
        #: the rows of pages that end with this transaction
        self.ended: list[Mapping[str, Any]] = []
        #: rows to be saved, those with the same columns together
        self._saves: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._fetched: dict[int, _Fetched] = {}

    def count(self, run_id: int, **by: float) -> None:
        """Adds to counters of a run."""
        counts = self.counts[run_id]
        for name, more in by.items():
            counts[name] += more

    def add(self, kind: str, row: dict[str, Any]) -> None:
        """Adds the row of a page; rows of the same kind have the same columns."""
        if (fetched := self._fetched.pop(row["page"], None)) is not None:
            kind, row = f"{kind} after {fetched.kind}", fetched.row | row
        self._saves[kind].append(row)

    def is_read(self, page: Page, kind: str, row: dict[str, Any], *, fetched_at: datetime, is_same: bool) -> None:
        """Keeps the row of a visit until what was read is added."""
        had = self.before[page.id]
        self._fetched[page.id] = _Fetched(kind, row)
        self.before[page.id] = had._replace(
            phase=Phase.DOWNLOADED, fetched_at=fetched_at, links_due_at=had.links_due_at if is_same else None
        )
        self.revisits.fetched(page, at=fetched_at)

    async def save(self, db: Connection) -> None:
        """Saves the rows that were added since the last time."""
        for rows in self._saves.values():
            await pages.save(db, rows)
            self.ended += [row for row in rows if row.get("phase") in (Phase.COMPLETED, Phase.FAILED)]
        self._saves.clear()
