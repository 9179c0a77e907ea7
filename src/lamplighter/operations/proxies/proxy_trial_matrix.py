"""A matrix of proxy trials in the background; it stops when the dashboard page that shows it is closed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lamplighter.crawl.process.bells import Bell
from lamplighter.errors import NotPossible
from lamplighter.operations.proxies.proxy_trials import ProxyTrials, TrialPair
from lamplighter.ports import Clock
from lamplighter.store.engine.database import Connection
from lamplighter.store.proxies import proxy_lists, proxy_trials
from lamplighter.store.proxies.proxy_trials import TriedProxy

#: a dashboard page that has not refreshed for so long is closed; it refreshes every second or two
LEFT_AFTER_SECONDS = 60.0
#: what is shown of earlier trials
_MOST_HOSTS = 20
_MOST_PROXIES = 12


@dataclass(slots=True, kw_only=True)
class TrialMatrixRun:
    """A matrix that is being tried, or was."""

    cells: Sequence[TrialPair]
    asked_by: str
    started_at: datetime
    finished_at: datetime | None = None
    #: an operator stopped it, or closed the page
    is_stopped: bool = False
    done: set[tuple[int, int]] = field(default_factory=set)

    @property
    def is_going_on(self) -> bool:
        """Whether there is more to come."""
        return self.finished_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMatrix:
    """What is known of some proxies with some hosts."""

    #: id and name
    proxies: Sequence[tuple[int, str]]
    hosts: Sequence[tuple[int, str]]
    tried: Mapping[tuple[int, int], TriedProxy]
    #: still to come
    waiting: Collection[tuple[int, int]]


class TrialMatrixRuns:
    """The matrix that this process tries, and the last one that it tried."""

    def __init__(self, trials: ProxyTrials, *, clock: Clock) -> None:
        self._trials = trials
        self._clock = clock
        self._looked_at = clock.monotonic()
        #: rung when there is one to be tried
        self.bell = Bell()
        self.current: TrialMatrixRun | None = None

    def start(self, cells: Sequence[TrialPair], *, asked_by: str) -> None:
        """Has these tried in the background; NotPossible while another matrix is."""
        if self._trials.is_busy or (self.current is not None and self.current.is_going_on):
            raise NotPossible("a proxy test is already running; wait for it to end, or stop it")
        self.current = TrialMatrixRun(cells=cells, asked_by=asked_by, started_at=self._clock.now())
        self._looked_at = self._clock.monotonic()
        self.bell.ring()

    def stop(self) -> None:
        """Stops the matrix after the trials in flight."""
        if self.current is not None:
            self.current.is_stopped = True

    def look(self) -> TrialMatrixRun | None:
        """The current or last matrix; notes that the page is still open."""
        self._looked_at = self._clock.monotonic()
        return self.current

    async def work(self) -> None:
        """Runs the matrix that was started."""
        current = self.current
        if current is None or not current.is_going_on:
            return

        async def is_wanted() -> bool:
            has_left = self._clock.monotonic() - self._looked_at > LEFT_AFTER_SECONDS
            current.is_stopped = current.is_stopped or has_left
            return not current.is_stopped

        try:
            await self._trials.run(
                current.cells,
                is_wanted=is_wanted,
                on_outcome=lambda outcome: current.done.add((outcome.cell.proxy_id, outcome.cell.host_id)),
            )
        finally:
            current.is_stopped = len(current.done) < len(current.cells)
            current.finished_at = self._clock.now()


async def matrix(db: Connection, current: TrialMatrixRun | None) -> TrialMatrix:
    """What is known of the cells of this round, or of those tried latest."""
    if current is not None:
        hosts = sorted({(cell.host_id, cell.host) for cell in current.cells}, key=lambda host: host[1])
        tried_proxies = sorted({(cell.proxy_id, cell.proxy) for cell in current.cells})
    else:
        hosts = await proxy_trials.latest_hosts(db, limit=_MOST_HOSTS)
        tried = await proxy_trials.proxies_tried(db, [host_id for host_id, _ in hosts], limit=_MOST_PROXIES)
        tried_proxies = sorted((await proxy_lists.labels(db, tried)).items())
    host_ids = [host_id for host_id, _ in hosts]
    found = await proxy_trials.among(db, proxy_ids=[proxy_id for proxy_id, _ in tried_proxies], host_ids=host_ids)
    return TrialMatrix(
        proxies=tried_proxies,
        hosts=hosts,
        tried={(each.proxy_id, each.host_id): each for each in found},
        waiting=_waiting(current),
    )


def _waiting(current: TrialMatrixRun | None) -> set[tuple[int, int]]:
    if current is None or not current.is_going_on:
        return set()
    return {(cell.proxy_id, cell.host_id) for cell in current.cells} - current.done
