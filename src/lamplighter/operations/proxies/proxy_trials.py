"""Trials of proxies: does a host respond through this proxy?

A trial is a request like any other, made in its host's turn, and counts as one (see `fetch.proxy_trial`). Hosts are
tried side by side, the proxies of one host one after the other.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from lamplighter.errors import BadInput, LamplighterError, NotPossible
from lamplighter.model.visit import Failed, Fetched, NotModified, Redirected, Refused, Visit
from lamplighter.operations.hosts import hosts as host_operations
from lamplighter.operations.proxies import domain_proxies
from lamplighter.operations.proxies.proxies import not_found, reason_alone
from lamplighter.operations.sources.source_input import naming
from lamplighter.ports import Clock
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.proxies import proxy_lists, proxy_trials
from lamplighter.store.proxies.proxy_trials import TriedProxy

#: proxies times hosts that are tried at once
MOST_CELLS = 200
_HOSTS_AT_ONCE = 8
_LONGEST_DETAIL = 500

#: fetches a URL through a proxy, in the turn of its host (see `fetch.proxy_trial`)
Trial = Callable[[int, str], Awaitable[Visit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPair:
    """A proxy to be tried with a host."""

    proxy_id: int
    #: its address and port
    proxy: str
    host_id: int
    host: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOutcome:
    """The result of a trial."""

    cell: TrialPair
    tried: TriedProxy


async def plan(
    db: Connection, *, proxy_ids: Collection[int], names: Sequence[str], most: int = MOST_CELLS, now: datetime
) -> list[TrialPair]:
    """Each of these proxies with each of these hosts: a host's start page, or its root when no source starts there."""
    if not proxy_ids:
        raise BadInput("name at least one proxy", field="proxy_ids")
    if not names:
        raise BadInput("name at least one host", field="hosts")
    with naming("hosts"):
        keys = sorted({host_operations.host_key(name) for name in names})
    count = len(set(proxy_ids))
    cells = count * len(keys)
    if cells > most:
        raise BadInput(
            f"{cells} trials are too many ({count} proxies with {len(keys)} hosts); choose up to {most}", field="hosts"
        )
    ids = await hosts.ensure(db, keys, now=now)
    starts = await proxy_trials.start_urls(db, ids.values())
    labels = await _labels(db, proxy_ids)
    return [
        TrialPair(proxy_id=proxy_id, proxy=label, host_id=ids[key], host=key, url=_url(key, starts.get(ids[key])))
        for key in keys
        for proxy_id, label in labels.items()
    ]


async def plan_url(db: Connection, *, proxy_id: int, url: str, now: datetime) -> TrialPair:
    """One proxy with this very page."""
    target = urls.parse(url)
    ids = await hosts.ensure(db, [target.host_key], now=now)
    label = (await _labels(db, [proxy_id]))[proxy_id]
    return TrialPair(
        proxy_id=proxy_id, proxy=label, host_id=ids[target.host_key], host=target.host_key, url=target.href
    )


async def plan_host(db: Connection, *, proxy_id: int, host_id: int, now: datetime) -> TrialPair:
    """One proxy with this host."""
    host = await domain_proxies.host_of(db, host_id)
    (cell,) = await plan(db, proxy_ids=[proxy_id], names=[host.key], now=now)
    return cell


class ProxyTrials:
    """Tries proxies; one matrix at a time in this process."""

    def __init__(self, db: Database, *, trial: Trial, clock: Clock) -> None:
        self._db = db
        self._trial = trial
        self._clock = clock
        #: a matrix is being tried
        self.is_busy = False

    async def run(
        self,
        cells: Iterable[TrialPair],
        *,
        is_wanted: Callable[[], Awaitable[bool]],
        on_outcome: Callable[[TrialOutcome], None] = lambda outcome: None,
    ) -> list[TrialOutcome]:
        """Tries all of them while `is_wanted`; each outcome is stored and reported as it comes."""
        if self.is_busy:
            raise NotPossible("a proxy test is already running; wait for it to end, or stop it")
        self.is_busy = True
        by_host: dict[int, list[TrialPair]] = {}
        for cell in cells:
            by_host.setdefault(cell.host_id, []).append(cell)
        room, found = asyncio.Semaphore(_HOSTS_AT_ONCE), []

        async def one_host(group: list[TrialPair]) -> None:
            async with room:
                for cell in group:
                    if not await is_wanted():
                        return
                    outcome = await self.one(cell)
                    found.append(outcome)
                    on_outcome(outcome)

        try:
            async with asyncio.TaskGroup() as tasks:
                for group in by_host.values():
                    tasks.create_task(one_host(group))
        finally:
            self.is_busy = False
        return found

    async def one(self, cell: TrialPair) -> TrialOutcome:
        """Tries one proxy with one host, and keeps what came of it."""
        try:
            ok, status, took_ms, detail = _read(await self._trial(cell.proxy_id, cell.url))
        except LamplighterError as error:
            ok, status, took_ms, detail = False, None, None, str(error)
        tried = TriedProxy(
            proxy_id=cell.proxy_id,
            host_id=cell.host_id,
            at=self._clock.now(),
            ok=ok,
            status=status,
            took_ms=took_ms,
            detail=reason_alone(detail[:_LONGEST_DETAIL]) if detail else None,
        )
        await self._db.write(lambda db: _keep(db, tried))
        return TrialOutcome(cell=cell, tried=tried)


async def _keep(db: Connection, tried: TriedProxy) -> None:
    # The proxy may have been removed meanwhile.
    if await proxy_lists.labels(db, [tried.proxy_id]):
        await proxy_trials.keep(db, tried)


def _read(visit: Visit) -> tuple[bool, int | None, float | None, str | None]:
    """Whether the host responded, the status, the milliseconds, and a detail."""
    match visit:
        case Fetched(status=status, took=took):
            return True, status, took.total_seconds() * 1000, None
        case NotModified(took=took):
            return True, 304, took.total_seconds() * 1000, None
        case Redirected(status=status, took=took, target=target):
            return True, status, took.total_seconds() * 1000, f"redirects to {target}"
        case Refused(detail=detail):
            return False, None, None, f"not fetched: {detail}"
        case Failed(status=status, took=took, detail=detail):
            return False, status, took.total_seconds() * 1000, detail


async def _labels(db: Connection, proxy_ids: Collection[int]) -> dict[int, str]:
    labels = await proxy_lists.labels(db, proxy_ids)
    missing = set(proxy_ids) - labels.keys()
    if missing:
        raise not_found(min(missing))
    return dict(sorted(labels.items()))


def _url(key: str, start: str | None) -> str:
    return urls.parse(start).href if start is not None else f"https://{key}/"
