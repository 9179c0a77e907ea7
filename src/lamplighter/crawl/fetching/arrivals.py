"""Takes visits from the fetch phase: archives their bodies, and passes them on to be read here or to be stored."""

from collections.abc import Sequence

from lamplighter import crash_points
from lamplighter.crawl.fetching.body_archiving import BodyArchiving
from lamplighter.crawl.fetching.page_visits import PageVisit
from lamplighter.crawl.pages.page_results import PageResult
from lamplighter.crawl.process.batcher import Batcher
from lamplighter.crawl.reading.parse_phase import ParsePhase
from lamplighter.ports import Clock


class Arrivals:
    """Passes visits on in batches."""

    def __init__(
        self, *, archiving: BodyArchiving, parse_phase: ParsePhase | None, results: Batcher[PageResult], clock: Clock
    ) -> None:
        self._archiving = archiving
        #: of this process; None if it does not parse
        self._parse_phase = parse_phase
        self._results = results
        self._clock = clock

    async def take(self, batch: Sequence[PageVisit]) -> None:
        """Archives the bodies of a batch. What cannot be read here at once is stored now, and read later."""
        crash_points.reached("fetch.after_response")
        archived = await self._archiving.keep(batch)
        crash_points.reached("fetch.after_archive")
        now, phase = self._clock.now(), self._parse_phase
        unread: list[PageVisit] = []
        for visited in archived:
            if phase is not None and visited.is_to_be_read(now=now):
                unread.append(visited)
            else:
                await self._results.put(PageResult(visited))
        for visited in unread:
            if phase is None or not await phase.take(visited):
                await self._results.put(PageResult(visited))
