"""What do the visits of one batch say about how long their pages rest? Asked by both sinks."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Protocol

from lamplighter.model.page import Rest
from lamplighter.model.reading import Role
from lamplighter.rules import page_rest
from lamplighter.rules.page_rest import Revisit
from lamplighter.rules.priors import Evidence
from lamplighter.store import page_rests
from lamplighter.store.database import Connection
from lamplighter.store.page_rests import Circumstances
from lamplighter.store.pages import Waiting


class _Visited(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def run_id(self) -> int: ...
    @property
    def role(self) -> Role: ...


class Resting:
    """The rests of one transaction's pages; every answer is the columns to be written."""

    def __init__(self, waiting: Mapping[int, Waiting], around: Mapping[int, Circumstances]) -> None:
        self._waiting = dict(waiting)
        self._around = around
        #: run -> counter -> by how much
        self.counts: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))

    @classmethod
    async def of(
        cls, db: Connection, waiting: Mapping[int, Waiting], *, compared: Iterable[_Visited], now: datetime
    ) -> "Resting":
        """Looks once at everything that has a say about the pages that were compared with our copies."""
        linked = [page.id for page in compared if page.role is Role.LINK]
        day = page_rest.closed_before(now)
        return cls(waiting, await page_rests.circumstances(db, linked, closed_before=day))

    def after_same_answer(self, page: _Visited, *, at: datetime) -> dict[str, Any]:
        """Of a page that the site says is unchanged, or that it sent byte for byte as we have it."""
        return self._after_comparison(page, at=at, since=self._waiting[page.id].fetched_at, is_changed=False)

    def after_reading(self, page: _Visited, *, is_changed: bool, now: datetime) -> dict[str, Any]:
        """Of a page that was read, and reads as it did or does not."""
        had = self._waiting[page.id]
        return self._after_comparison(page, at=had.fetched_at or now, since=had.rest.until, is_changed=is_changed)

    def _after_comparison(
        self, page: _Visited, *, at: datetime, since: datetime | None, is_changed: bool
    ) -> dict[str, Any]:
        around = self._around.get(page.id)
        visit = Revisit(at=at, since=since, is_changed=is_changed) if since is not None else None
        if around is None or visit is None or not visit.is_a_lesson:
            return self.after_first_look(page, at=at)
        if not around.is_closed:  # whose long silence says nothing about pages that are still of use
            self.counts[page.run_id]["revisit_changes"] += is_changed
            self.counts[page.run_id]["revisit_hours"] += visit.gap / page_rest.HOUR
        siblings = Evidence(changes=around.page_changes, hours=around.page_hours)
        rest = page_rest.after_lesson(self._waiting[page.id].rest, visit, siblings=siblings, is_closed=around.is_closed)
        return self._values(page, rest)

    def after_first_look(self, page: _Visited, *, at: datetime) -> dict[str, Any]:
        """Of a page that was had, and could not be compared."""
        return self._values(page, page_rest.after_first_look(self._waiting[page.id].rest, at=at))

    def after_nothing_said(self, page: _Visited, *, at: datetime) -> dict[str, Any]:
        """Of a page in whose place something else stood, or that is not for us."""
        return self._values(page, page_rest.after_nothing_said(self._waiting[page.id].rest, at=at))

    def after_missing(self, page: _Visited, *, at: datetime) -> dict[str, Any]:
        """Of a page that was not there."""
        return self._values(page, page_rest.after_missing(self._waiting[page.id].rest, at=at))

    def until_read(self, page: _Visited) -> dict[str, Any]:
        """Of a page that waits to be read: when it was had before, which its new visit overwrites where it stood."""
        return {"rest_until": self._waiting[page.id].fetched_at}

    def as_before(self, page: _Visited) -> dict[str, Any]:
        """Of a page that could not be had."""
        return self._values(page, self._waiting[page.id].rest)

    def _values(self, page: _Visited, rest: Rest) -> dict[str, Any]:
        # Listings and start pages are asked for in every run.
        return page_rests.values(rest if page.role is Role.LINK else Rest())
