"""Revisit delays of the pages in one batch of visits and readings."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

from lamplighter.model.page import RevisitState
from lamplighter.model.reading import PageRole
from lamplighter.rules.change import revisit_delay
from lamplighter.rules.change.priors import GroupEvidence
from lamplighter.rules.change.revisit_delay import Revisit
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import page_revisits
from lamplighter.store.pages.page_revisits import PageCircumstances
from lamplighter.store.pages.pages import PageBeforeVisit


class _Visited(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def run_id(self) -> int: ...
    @property
    def role(self) -> PageRole: ...


class PageRevisits:
    """Revisit delays of one transaction's pages; methods return the columns to write."""

    def __init__(self, waiting: Mapping[int, PageBeforeVisit], *, now: datetime) -> None:
        self._waiting = dict(waiting)
        self._closed_before = revisit_delay.closed_before(now)
        self._around: dict[int, PageCircumstances] = {}
        #: run -> counter -> by how much
        self.counts: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))

    async def look(self, db: Connection, compared: Iterable[_Visited]) -> None:
        """Reads at once what the delays of compared pages depend on: of pages that were read, after their records."""
        linked = [page.id for page in compared if page.role is PageRole.LINK]
        self._around |= await page_revisits.circumstances(db, linked, closed_before=self._closed_before)

    def after_unchanged(self, page: _Visited, *, at: datetime) -> dict[str, Any]:
        """For a page that the site says is unchanged, or that has the same bytes as our copy."""
        return self._after_comparison(page, at=at, since=self._waiting[page.id].fetched_at, is_changed=False)

    def after_reading(self, page: _Visited, *, is_changed: bool, now: datetime) -> dict[str, Any]:
        """For a page that was read, and has changed or not."""
        had = self._waiting[page.id]
        return self._after_comparison(page, at=had.fetched_at or now, since=had.revisit.until, is_changed=is_changed)

    def _after_comparison(
        self, page: _Visited, *, at: datetime, since: datetime | None, is_changed: bool
    ) -> dict[str, Any]:
        around = self._around.get(page.id)
        visit = Revisit(at=at, since=since, is_changed=is_changed) if since is not None else None
        if around is None or visit is None or not visit.is_a_lesson:
            return self.after_first_look(page, at=at)
        if not around.is_closed:  # closed pages seldom change, which says nothing about open ones
            self.counts[page.run_id]["revisit_changes"] += is_changed
            self.counts[page.run_id]["revisit_hours"] += visit.gap / revisit_delay.HOUR
        siblings = GroupEvidence(changes=around.page_changes, hours=around.page_hours)
        revisit = revisit_delay.after_lesson(
            self._waiting[page.id].revisit, visit, siblings=siblings, is_closed=around.is_closed
        )
        return self._values(page, revisit)

    def after_first_look(self, page: _Visited, *, at: datetime) -> dict[str, Any]:
        """For a fetched page that could not be compared."""
        return self._values(page, revisit_delay.after_first_look(self._waiting[page.id].revisit, at=at))

    def after_nothing_said(self, page: _Visited, *, at: datetime) -> dict[str, Any]:
        """For a page that we cannot use, or whose response was something else."""
        return self._values(page, revisit_delay.after_nothing_said(self._waiting[page.id].revisit, at=at))

    def after_missing(self, page: _Visited, *, at: datetime) -> dict[str, Any]:
        """For a page that is missing."""
        return self._values(page, revisit_delay.after_missing(self._waiting[page.id].revisit, at=at))

    def fetched(self, page: _Visited, *, at: datetime) -> None:
        """Notes that a page was fetched and is read in the same transaction."""
        had = self._waiting[page.id]
        self._waiting[page.id] = had._replace(fetched_at=at, revisit=replace(had.revisit, until=had.fetched_at))

    def until_read(self, page: _Visited) -> dict[str, Any]:
        """For a page that waits to be read: keeps its previous fetch time, which the new visit overwrites."""
        return {"rest_until": self._waiting[page.id].fetched_at}

    def as_before(self, page: _Visited) -> dict[str, Any]:
        """For a page not fetched."""
        return self._values(page, self._waiting[page.id].revisit)

    def _values(self, page: _Visited, revisit: RevisitState) -> dict[str, Any]:
        # Listings and start pages are fetched in every run.
        return page_revisits.values(revisit if page.role is PageRole.LINK else RevisitState())
