"""The proxies in the database, shared by all workers: takes one for a request and records the outcome.

Taking one is a transaction of its own, so that two workers never take the same turn of a proxy; recording the outcome
is another.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter import metrics, telemetry
from lamplighter.errors import LamplighterError, NotFound
from lamplighter.model.host import Host
from lamplighter.model.proxy import ProxyEndpoint, ProxyMode, ProxyUse
from lamplighter.ports import Clock, Vault
from lamplighter.rules.proxies import hourly_use, proxy_choice
from lamplighter.rules.proxies.proxy_choice import COOL_PAIR_AT, COOL_PROXY_AT, NoProxy, ProxyCandidate, ProxyRecord
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.proxies import proxy_turns

log = telemetry.logger("proxies")


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenProxy:
    """One turn of a proxy."""

    endpoint: ProxyEndpoint
    #: the host whose own proxy it is; None for one of the default pool
    host_id: int | None
    #: whether this request probes a proxy after its back-off: for all hosts, and for this host
    tries_proxy: bool
    tries_pair: bool
    #: whether its latest request failed by its own fault: to this host, or to any
    has_failed: bool
    #: why it cannot be used although it was chosen; None when it can
    trouble: str | None = None


class ProxyRegistry:
    """Knows which hosts use proxies, and takes proxies for requests."""

    def __init__(self, db: Database, *, clock: Clock, vault: Vault, trusted: Collection[tuple[str, str, int]]) -> None:
        """`trusted` are the proxies of the settings, as protocol, address and port."""
        self._db = db
        self._clock = clock
        self._vault = vault
        self._trusted = frozenset(trusted)

    def concerns(self, host: Host, *, has_proxies: bool) -> bool:
        """Whether a host is fetched through proxies: asked for every request, so that a change applies to the next."""
        if host.policy.proxy_mode is ProxyMode.NEVER:
            return False
        if host.policy.proxy_mode is ProxyMode.ONLY and (host.policy.has_own_proxy_mode or self._trusted):
            # The operator relies on proxies: when there are none any more, requests must not go directly instead.
            return True
        return has_proxies

    async def take(self, host: Host, *, but_not: Collection[int] = ()) -> TakenProxy | NoProxy:
        """Takes the proxy that is due for a host; or returns why there is none."""
        now = self._clock.now()

        async def work(db: Connection) -> TakenProxy | NoProxy:
            own = await proxy_turns.of_host(db, host.id)
            rows = own or await proxy_turns.of_pool(db)
            by_id = {row.id: row for row in rows}
            chosen = _choose(host, own, rows, now=now, but_not=but_not)
            if isinstance(chosen, NoProxy):
                return chosen
            return await self._take(db, by_id[chosen.id], host.id if own else None, now)

        return await self._db.write(work)

    async def take_this(self, proxy_id: int, host: Host) -> TakenProxy | NoProxy:
        """Takes one given proxy, whatever its health; only its hourly limit still applies."""
        now = self._clock.now()

        async def work(db: Connection) -> TakenProxy | NoProxy:
            row = await proxy_turns.locked(db, proxy_id, host.id)
            if row is None:
                raise NotFound(f"there is no proxy {proxy_id}", code="proxy_not_found")
            free = proxy_choice.free_at(_candidate(row), now=now)
            if free > now:
                why = f"proxy {proxy_id} is at the hourly limit; next try {free:%Y-%m-%d %H:%M} UTC"
                return NoProxy(why=why, until=free)
            return await self._take(db, row, host.id if row.pair_host_id is not None else None, now)

        return await self._db.write(work)

    async def _take(self, db: Connection, row: Any, host_id: int | None, now: datetime) -> TakenProxy:
        each = _candidate(row)
        use = ProxyUse(
            last_used_at=now,
            hour_uses=hourly_use.to_json(hourly_use.used(each.uses, now=now)),
            quarantined_until=proxy_choice.taken(each.proxy, now=now).quarantined_until,
        )
        await proxy_turns.write(db, each.id, use)
        if host_id is not None and each.pair is not None:
            until = proxy_choice.taken(each.pair, now=now).quarantined_until
            await proxy_turns.write_pair(db, each.id, host_id, ProxyUse(last_used_at=now, quarantined_until=until))
        password, trouble = self._password(row)
        return TakenProxy(
            endpoint=ProxyEndpoint(
                id=row.id,
                protocol=row.protocol,
                address=row.address,
                port=row.port,
                username=row.username,
                password=password,
                is_trusted=(row.protocol, row.address, row.port) in self._trusted,
            ),
            host_id=host_id,
            tries_proxy=proxy_choice.is_probe(each.proxy),
            tries_pair=proxy_choice.is_probe(each.pair),
            has_failed=any(health.failure_count > 0 for health in (each.proxy, each.pair) if health is not None),
            trouble=trouble,
        )

    def _password(self, row: Any) -> tuple[str | None, str | None]:
        """The password of a proxy, or why it cannot be decrypted."""
        if row.encrypted_password is None:
            return None, None
        try:
            return self._vault.decrypt(row.encrypted_password), None
        except (LamplighterError, OSError):
            return None, "its stored password cannot be decrypted; restore its key, or set the password again"

    async def succeeded(self, taken: TakenProxy, *, took: timedelta) -> None:
        """Records a success of a proxy, whatever the site responded: resets its failures."""
        metrics.PROXY_REQUESTS.labels(result="ok").inc()
        now = self._clock.now()

        async def work(db: Connection) -> None:
            row = await proxy_turns.locked(db, taken.endpoint.id, taken.host_id)
            if row is None:
                return
            each = _candidate(row)
            health = asdict(proxy_choice.after_success(each.proxy, took=took))
            await proxy_turns.write(db, each.id, ProxyUse(**health, last_success_at=now))
            if taken.host_id is not None and each.pair is not None:
                pair = asdict(proxy_choice.after_success(each.pair, took=took))
                await proxy_turns.write_pair(db, each.id, taken.host_id, ProxyUse(**pair))

        await self._db.write(work)

    async def failed(self, taken: TakenProxy, *, why: str) -> None:
        """Records a failure that was the proxy's own fault; after several in a row it backs off."""
        metrics.PROXY_REQUESTS.labels(result="fault").inc()
        now = self._clock.now()

        async def work(db: Connection) -> datetime | None:
            row = await proxy_turns.locked(db, taken.endpoint.id, taken.host_id)
            if row is None:
                return None
            each = _candidate(row)
            cooled = proxy_choice.after_failure(each.proxy, cool_at=COOL_PROXY_AT, is_probe=taken.tries_proxy, now=now)
            await proxy_turns.write(db, each.id, ProxyUse(**asdict(cooled), last_failure_at=now, last_error=why))
            until = cooled.quarantined_until
            if taken.host_id is not None and each.pair is not None:
                pair = proxy_choice.after_failure(each.pair, cool_at=COOL_PAIR_AT, is_probe=taken.tries_pair, now=now)
                await proxy_turns.write_pair(db, each.id, taken.host_id, ProxyUse(**asdict(pair), last_error=why))
                until = until or pair.quarantined_until
            return until

        until = await self._db.write(work)
        if until is not None and until > now:
            log.warning("proxy.rests", proxy=taken.endpoint.id, until=until.isoformat(), why=why)


async def has_usable(db: Connection, host: Host, *, is_untried: bool, now: datetime) -> bool:
    """Whether a host could take a proxy now; with `is_untried` one that it never used. Locks nothing."""
    own = await proxy_turns.of_host(db, host.id, is_locked=False)
    rows = own or await proxy_turns.of_pool(db, is_locked=False)
    tried = [each.id for each in map(_candidate, rows) if each.last_used_at is not None]
    chosen = _choose(host, own, rows, now=now, but_not=tried if is_untried else ())
    return not isinstance(chosen, NoProxy)


def _choose(
    host: Host, own: Sequence[Any], rows: Sequence[Any], *, now: datetime, but_not: Collection[int]
) -> ProxyCandidate | NoProxy:
    return proxy_choice.choose(
        [_candidate(row) for row in rows],
        now=now,
        of=host.key if own or not rows else "the default pool",
        country=host.policy.proxy_country,
        but_not=but_not,
    )


def _candidate(row: Any) -> ProxyCandidate:
    has_pair = getattr(row, "pair_host_id", None) is not None
    return ProxyCandidate(
        id=row.id,
        priority=row.pair_priority if has_pair else 0,
        last_used_at=row.pair_last_used_at if has_pair else row.last_used_at,
        enabled=row.enabled and (row.pair_enabled if has_pair else True),
        country=row.country_code,
        uses=hourly_use.from_json(row.hour_uses),
        max_per_hour=row.max_requests_per_hour,
        proxy=_health(row, ""),
        pair=_health(row, "pair_") if has_pair else None,
    )


def _health(row: Any, prefix: str) -> ProxyRecord:
    return ProxyRecord(**{name: getattr(row, prefix + name) for name in ProxyRecord.__dataclass_fields__})
