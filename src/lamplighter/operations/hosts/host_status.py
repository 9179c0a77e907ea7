"""The status of hosts: delay and its reason, back-off, waiting pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.host import Host, HostPolicy
from lamplighter.operations.hosts.hosts import DELAY_WORDS, LIMITS
from lamplighter.operations.hosts.robots import SCHEMES
from lamplighter.rules.hosts import politeness
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import host_lists, robots_files
from lamplighter.store.hosts import hosts as stored
from lamplighter.store.hosts.host_lists import HostState, LastResponse
from lamplighter.store.hosts.robots_files import RobotsStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStatus:
    """A host as its operator sees it."""

    host: Host
    #: whether anything is stored of it
    is_met: bool
    #: as last seen, of the scheme that was asked last; None when it was never asked for
    robots: RobotsStatus | None
    #: those of the policy's values that the operator set
    own: frozenset[str] = frozenset()
    is_blocked: bool = False
    #: whether a worker has it at the moment
    is_held: bool = False
    sources: int = 0
    #: pages; MOST_WAITING + 1 for more than can be counted
    waiting: int = 0
    last: LastResponse | None = None

    @property
    def delay(self) -> timedelta:
        """Least time between two requests."""
        return politeness.effective_delay(self.host)

    @property
    def delay_why(self) -> str:
        """What makes the delay as long as it is."""
        return DELAY_WORDS.get(politeness.delay_origin(self.host)) or self.origin("min_delay_ms")

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
) -> tuple[list[HostStatus], int]:
    """One page of the hosts that we have met, and how many there are."""
    rows, total = await host_lists.listed(
        db, search=search, state=state, now=now, sort=sort, descending=descending, limit=limit, offset=offset
    )
    return await _statuses(db, rows, defaults=defaults, now=now), total


async def of_host(db: Connection, key: str, *, defaults: HostPolicy, now: datetime) -> HostStatus:
    """The status of one host; of an unknown one, the defaults that would apply."""
    row = await host_lists.by_key(db, key)
    if row is not None:
        return (await _statuses(db, [row], defaults=defaults, now=now))[0]
    robots = _newest(key, await robots_files.known(db, _origins([key])))
    return HostStatus(host=Host(id=0, key=key, policy=defaults), is_met=False, robots=robots)


async def _statuses(db: Connection, rows: Sequence[Any], *, defaults: HostPolicy, now: datetime) -> list[HostStatus]:
    ids = [row.id for row in rows]
    waiting, sources = await host_lists.waiting(db, ids), await host_lists.source_counts(db, ids)
    answers = await host_lists.last_responses(db, ids)
    robots = await robots_files.known(db, _origins(row.key for row in rows))
    found = []
    for row in rows:
        host = stored.host_of(row, defaults)
        found.append(
            HostStatus(
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


def _newest(key: str, known: Mapping[str, RobotsStatus]) -> RobotsStatus | None:
    mine = [known[origin] for origin in _origins([key]) if origin in known]
    return max(mine, key=lambda file: file.fetched_at, default=None)
