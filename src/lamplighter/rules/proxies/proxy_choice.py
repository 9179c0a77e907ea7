"""Chooses the proxy for the next request to a host, and updates a proxy's health. Pure functions without a clock."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from lamplighter.rules.hosts.politeness import doubled
from lamplighter.rules.proxies import hourly_use
from lamplighter.rules.proxies.hourly_use import UseGroup

#: failures in a row after which a proxy backs off for one host, and for all
COOL_PAIR_AT = 5
COOL_PROXY_AT = 10
FIRST_REST = timedelta(minutes=5)
REST_CAP = timedelta(hours=6)
#: how long a worker has to probe a proxy that backed off, before another worker may
PROBE_LEASE = timedelta(minutes=2)
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRecord:
    """The health of a proxy: with one host, or with all."""

    #: in a row
    failure_count: int = 0
    failure_total: int = 0
    success_total: int = 0
    #: mean time of its successful requests; None before the first
    average_took_ms: float | None = None
    #: not used until then; afterwards the first request that takes it is a probe
    quarantined_until: datetime | None = None
    #: back-offs in a row, each longer than the one before
    quarantine_count: int = 0

    def rests(self, *, now: datetime) -> bool:
        """Whether the proxy is backing off."""
        return self.quarantined_until is not None and self.quarantined_until > now


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyCandidate:
    """A proxy that may be chosen for a host."""

    id: int
    #: higher comes first
    priority: int
    #: for this host, or for any host where the host has no proxies of its own; None when never
    last_used_at: datetime | None
    enabled: bool
    country: str | None
    uses: tuple[UseGroup, ...]
    max_per_hour: int
    proxy: ProxyRecord
    #: with this host; None where the host has no proxies of its own
    pair: ProxyRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoProxy:
    """Why no proxy can be used."""

    why: str
    #: when one may be usable by itself; None when an operator must act
    until: datetime | None


def choose(
    candidates: Collection[ProxyCandidate],
    *,
    now: datetime,
    of: str,
    country: str | None = None,
    but_not: Collection[int] = (),
) -> ProxyCandidate | NoProxy:
    """The usable proxy of the highest priority, then the least recently used, then the oldest; `of` names the pool."""
    usable, obstacles = list[ProxyCandidate](), list[_Obstacle]()
    for each in candidates:
        obstacle = _obstacle(each, now=now, country=country, but_not=but_not)
        if obstacle is None:
            usable.append(each)
        else:
            obstacles.append(obstacle)
    if usable:
        return min(usable, key=lambda each: (-each.priority, each.last_used_at or _NEVER, each.id))
    times = [each.until for each in obstacles if each.until is not None]
    until = min(times, default=None)
    return NoProxy(why=_why(obstacles, of=of, until=until), until=until)


def free_at(candidate: ProxyCandidate, *, now: datetime) -> datetime:
    """When the proxy's hourly limit allows one more use; now when it does already."""
    return hourly_use.free_at(candidate.uses, limit=candidate.max_per_hour, now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Obstacle:
    """Why a proxy cannot be used: a predicate for the message, and until when."""

    what: str
    until: datetime | None = None


def _obstacle(
    each: ProxyCandidate, *, now: datetime, country: str | None, but_not: Collection[int]
) -> _Obstacle | None:
    if not each.enabled:
        return _Obstacle(what="disabled")
    if country is not None and (each.country or "").upper() != country.upper():
        return _Obstacle(what=f"not in {country.upper()}")
    if each.id in but_not:
        return _Obstacle(what="just tried", until=now)
    rests = [health.quarantined_until for health in (each.proxy, each.pair) if health and health.rests(now=now)]
    if rests:
        return _Obstacle(what="backing off after failures", until=max(until for until in rests if until is not None))
    free = free_at(each, now=now)
    return _Obstacle(what="at the hourly limit", until=free) if free > now else None


def _why(obstacles: Iterable[_Obstacle], *, of: str, until: datetime | None) -> str:
    kinds = Counter(each.what for each in obstacles)
    number = kinds.total()
    match list(kinds):
        case []:
            sentence = f"{of} has no proxies"
        case [what]:
            sentence = f"{'the only proxy' if number == 1 else f'all {number} proxies'} of {of} {_be(number)} {what}"
        case _:
            parts = ", ".join(f"{count} {_be(count)} {what}" for what, count in kinds.items())
            sentence = f"of the {number} proxies of {of} {parts}"
    return f"{sentence}; next try {until:%Y-%m-%d %H:%M} UTC" if until else sentence


def _be(number: int) -> str:
    return "is" if number == 1 else "are"


def after_success(health: ProxyRecord, *, took: timedelta) -> ProxyRecord:
    """The health after a success: failures are forgotten."""
    number, took_ms = health.success_total + 1, took / timedelta(milliseconds=1)
    # A running mean, which starts with the first sample.
    mean = health.average_took_ms if health.average_took_ms is not None else took_ms
    return replace(
        health,
        failure_count=0,
        success_total=number,
        average_took_ms=mean + (took_ms - mean) / number,
        quarantined_until=None,
        quarantine_count=0,
    )


def after_failure(health: ProxyRecord, *, cool_at: int, is_probe: bool, now: datetime) -> ProxyRecord:
    """The health after a failure: after so many in a row it backs off; only a probe makes that longer."""
    counted = replace(health, failure_count=health.failure_count + 1, failure_total=health.failure_total + 1)
    if counted.failure_count < cool_at or (health.rests(now=now) and not is_probe):
        return counted
    rest = doubled(FIRST_REST, health.quarantine_count, cap=REST_CAP)
    return replace(counted, quarantined_until=now + rest, quarantine_count=health.quarantine_count + 1)


def is_probe(health: ProxyRecord | None) -> bool:
    """Whether the next request through this proxy is a probe after a back-off."""
    return health is not None and health.quarantined_until is not None


def taken(health: ProxyRecord, *, now: datetime) -> ProxyRecord:
    """The health once it was taken: while one worker probes it, no other worker does."""
    if health.quarantined_until is None:
        return health
    # An operator may test it during its back-off: if the test has no result, the back-off is no shorter.
    return replace(health, quarantined_until=max(health.quarantined_until, now + PROBE_LEASE))
