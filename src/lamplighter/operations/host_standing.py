"""How does it stand with a host: how gently is it asked and why, is it left alone, what waits for it?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.host import Host, HostPolicy
from lamplighter.operations.hosts import LIMITS
from lamplighter.operations.robots import SCHEMES
from lamplighter.rules import politeness
from lamplighter.store import host_lists, robots_files
from lamplighter.store import hosts as stored
from lamplighter.store.database import Connection
from lamplighter.store.host_lists import HostState, LastAnswer
from lamplighter.store.robots_files import Known


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStanding:
    """A host as its operator sees it."""

    host: Host
    #: whether anything is stored of it
    is_met: bool
    #: those of the policy's values that the operator set
    own: frozenset[str]
    is_blocked: bool
    #: whether a worker has it at the moment
    is_held: bool
    #: as last seen, of the scheme that was asked last; None when it was never asked for
    robots: Known | None
    sources: int
    #: pages; MOST_WAITING + 1 for more than can be counted
    waiting: int
    last: LastAnswer | None

    @property
    def delay(self) -> timedelta:
        """Least time between two requests."""
        return politeness.effective_delay(self.host)

    @property
    def delay_why(self) -> str:
        """What makes the delay as long as it is."""
        match politeness.delay_origin(self.host):
            case politeness.DelayOrigin.LEARNT:
                return "learnt: the host asked us to slow down"
            case politeness.DelayOrigin.ROBOTS:
                return "Crawl-delay of robots.txt"
            case politeness.DelayOrigin.POLICY:
                return self.origin("min_delay_ms")

    def origin(self, name: str) -> str:
        """Who set a value of the policy."""
        return "set by an operator" if name in self.own else "default"


async def listed(
    db: Connection,
    *,
    defaults: HostPolicy,
    now: datetime,
    search: str | None = None,
    state: HostState | None = None,
    sort: str = "host",
    descending: bool = False,
    limit: int,
    offset: int,
) -> tuple[list[HostStanding], int]:
    """One page of the hosts that we have met, and how many there are."""
    rows, total = await host_lists.listed(
        db, search=search, state=state, now=now, sort=sort, descending=descending, limit=limit, offset=offset
    )
    return await _standings(db, rows, defaults=defaults, now=now), total


async def of_host(db: Connection, key: str, *, defaults: HostPolicy, now: datetime) -> HostStanding:
    """How it stands with one host; of one that we have not met, what would hold for it."""
    row = await host_lists.by_key(db, key)
    if row is not None:
        return (await _standings(db, [row], defaults=defaults, now=now))[0]
    host = Host(id=0, key=key, policy=defaults)
    robots = _newest(key, await robots_files.known(db, _origins([key])))
    return HostStanding(
        host=host,
        is_met=False,
        own=frozenset(),
        is_blocked=False,
        is_held=False,
        robots=robots,
        sources=0,
        waiting=0,
        last=None,
    )


async def watched(db: Connection, standing: HostStanding, *, limit: int) -> Sequence[Any]:
    """Sources that start on a host, those that run next first."""
    return await host_lists.start_pages(db, standing.host.id, limit=limit)


async def _standings(db: Connection, rows: Sequence[Any], *, defaults: HostPolicy, now: datetime) -> list[HostStanding]:
    ids = [row.id for row in rows]
    waiting, sources = await host_lists.waiting(db, ids), await host_lists.source_counts(db, ids)
    answers = await host_lists.last_answers(db, ids)
    robots = await robots_files.known(db, _origins(row.key for row in rows))
    found = []
    for row in rows:
        host = stored.host_of(row, defaults)
        found.append(
            HostStanding(
                host=host,
                is_met=True,
                own=frozenset(name for name in LIMITS if getattr(row, name) is not None),
                is_blocked=politeness.is_blocked(host, now=now),
                is_held=row.lease_until is not None and row.lease_until > now,
                robots=_newest(row.key, robots),
                sources=sources.get(row.id, 0),
                waiting=waiting.get(row.id, 0),
                last=answers.get(row.id),
            )
        )
    return found


def _origins(keys: Iterable[str]) -> list[str]:
    return [f"{scheme}://{key}" for key in keys for scheme in SCHEMES]


def _newest(key: str, known: Mapping[str, Known]) -> Known | None:
    mine = [known[origin] for origin in _origins([key]) if origin in known]
    return max(mine, key=lambda file: file.fetched_at, default=None)
