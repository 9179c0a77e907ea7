"""Passes fetched pages to a parse phase: that of this process while it has room, else that of any process."""

from collections.abc import Sequence

from lamplighter.crawl.fetching.page_visits import ParseLease
from lamplighter.crawl.reading.parse_phase import ParsePhase
from lamplighter.ports import Queue
from lamplighter.store.pages.pages import Downloaded


class Handover:
    """Passes fetched pages to a parse phase."""

    def __init__(self, parse_phase: ParsePhase | None, *, queue: Queue) -> None:
        #: of this process; None if it does not parse
        self._parse_phase = parse_phase
        self._queue = queue

    def lease(self, count: int) -> ParseLease | None:
        """The lease under which this process parses `count` more pages at once; None when other processes may."""
        return self._parse_phase.take_on(count) if self._parse_phase is not None else None

    def pass_on(self, stored: Sequence[Downloaded], lease: ParseLease | None) -> None:
        """Passes on pages stored with this lease, or none."""
        if lease is not None and self._parse_phase is not None:
            self._parse_phase.offer(stored)
        else:
            self._queue.offer_pages(page.id for page in stored)
