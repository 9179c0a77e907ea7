"""Through which proxy is a host asked next, and how does what came of it count? As arithmetic, without a clock."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from lamplighter.rules import hourly_use
from lamplighter.rules.hourly_use import Uses
from lamplighter.rules.politeness import doubled

#: failures in a row after which a proxy is left alone by one host, and by all
REST_PAIR_AT = 5
REST_PROXY_AT = 10
FIRST_REST = timedelta(minutes=5)
REST_CAP = timedelta(hours=6)
#: how long the one who tries a rested proxy has for it, before somebody else may
PROBE_LEASE = timedelta(minutes=2)
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How a proxy fares: with one host, or with all."""

    #: in a row
    failure_count: int = 0
    failure_total: int = 0
    success_total: int = 0
    #: of the requests that it passed on; None before the first
    average_took_ms: float | None = None
    #: left alone until then; afterwards whoever comes first tries it
    quarantined_until: datetime | None = None
    #: rests in a row, each longer than the one before
    quarantine_count: int = 0

    def rests(self, *, now: datetime) -> bool:
        """Whether it is to be left alone."""
        return self.quarantined_until is not None and self.quarantined_until > now


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A proxy that a host might be asked through."""

    id: int
    #: higher comes first
    priority: int
    #: for this host, or for anybody where the host has no proxies of its own; None when never
    last_used_at: datetime | None
    enabled: bool
    country: str | None
    uses: tuple[Uses, ...]
    max_per_hour: int
    proxy: Health
    #: with this host; None where the host has no proxies of its own
    pair: Health | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoExit:
    """Why there is none to go through."""

    why: str
    #: when one may be usable by itself; None when only a person can help
    until: datetime | None


def choose(
    candidates: Collection[Candidate],
    *,
    now: datetime,
    of: str,
    country: str | None = None,
    but_not: Collection[int] = (),
) -> Candidate | NoExit:
    """Of the usable ones the best priority, then the least recently used, then the oldest; `of` says whose they are."""
    usable, obstacles = list[Candidate](), list[_Obstacle]()
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
    return NoExit(why=_why(obstacles, of=of, until=until), until=until)


def free_at(candidate: Candidate, *, now: datetime) -> datetime:
    """When the proxy's hourly limit allows one more use; now when it does already."""
    return hourly_use.free_at(candidate.uses, limit=candidate.max_per_hour, now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Obstacle:
    """What keeps a proxy from being used: as a plural's predicate, and until when."""

    what: str
    until: datetime | None = None


def _obstacle(each: Candidate, *, now: datetime, country: str | None, but_not: Collection[int]) -> _Obstacle | None:
    if not each.enabled:
        return _Obstacle(what="switched off")
    if country is not None and (each.country or "").upper() != country.upper():
        return _Obstacle(what=f"not in {country.upper()}")
    if each.id in but_not:
        return _Obstacle(what="just tried", until=now)
    rests = [health.quarantined_until for health in (each.proxy, each.pair) if health and health.rests(now=now)]
    if rests:
        return _Obstacle(what="resting after failures", until=max(until for until in rests if until is not None))
    free = free_at(each, now=now)
    return _Obstacle(what="used up for this hour", until=free) if free > now else None


def _why(obstacles: Iterable[_Obstacle], *, of: str, until: datetime | None) -> str:
    kinds = Counter(each.what for each in obstacles)
    number = kinds.total()
    match list(kinds):
        case []:
            told = f"{of} has no proxies"
        case [what]:
            told = f"{'the only proxy' if number == 1 else f'all {number} proxies'} of {of} {_be(number)} {what}"
        case _:
            parts = ", ".join(f"{count} {_be(count)} {what}" for what, count in kinds.items())
            told = f"of the {number} proxies of {of} {parts}"
    return f"{told}; next try {until:%Y-%m-%d %H:%M} UTC" if until else told


def _be(number: int) -> str:
    return "is" if number == 1 else "are"


def after_success(health: Health, *, took: timedelta) -> Health:
    """It passed a request on: whatever was held against it is forgotten."""
    number, took_ms = health.success_total + 1, took / timedelta(milliseconds=1)
    # A running mean; what came before the first sample is no sample.
    mean = health.average_took_ms if health.average_took_ms is not None else took_ms
    return replace(
        health,
        failure_count=0,
        success_total=number,
        average_took_ms=mean + (took_ms - mean) / number,
        quarantined_until=None,
        quarantine_count=0,
    )


def after_failure(health: Health, *, rest_at: int, is_probe: bool, now: datetime) -> Health:
    """It failed: after so many in a row it rests, ever longer. Only the one who tries it out lengthens a rest."""
    counted = replace(health, failure_count=health.failure_count + 1, failure_total=health.failure_total + 1)
    if counted.failure_count < rest_at or (health.rests(now=now) and not is_probe):
        return counted
    rest = doubled(FIRST_REST, health.quarantine_count, cap=REST_CAP)
    return replace(counted, quarantined_until=now + rest, quarantine_count=health.quarantine_count + 1)


def is_probe(health: Health | None) -> bool:
    """Whether whoever takes it now tries out a proxy that has rested."""
    return health is not None and health.quarantined_until is not None


def taken(health: Health, *, now: datetime) -> Health:
    """As it stands once it was taken: while somebody tries it out, nobody else does."""
    if health.quarantined_until is None:
        return health
    # Somebody may try it on purpose while it rests: if nothing comes of that, its rest is no shorter.
    return replace(health, quarantined_until=max(health.quarantined_until, now + PROBE_LEASE))
