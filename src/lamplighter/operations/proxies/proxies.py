"""Proxies: add, change, remove, enable, list. Passwords are stored encrypted and never shown again."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from lamplighter.errors import BadInput, Duplicate, NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.proxy import ProxyChange
from lamplighter.operations.proxies import proxy_waits
from lamplighter.ports import Vault
from lamplighter.rules.formats.percent import percent
from lamplighter.rules.proxies import hourly_use, proxy_address
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.proxies import proxies, proxy_lists
from lamplighter.store.proxies.proxies import FAILING_AT

USUAL_PROTOCOL = "http"
#: before any use
NEVER = datetime.min.replace(tzinfo=UTC)
#: what is reset when an operator enables it
FORGIVEN = ProxyChange(failure_count=0, quarantined_until=None, quarantine_count=0)
_LONGEST_WORD = 100
#: how details of failures begin
_WHICH = re.compile(r"^through proxy \d+ \([^)]*\): ")
#: what the audit log never shows
_SECRET = ("encrypted_password", "username")
#: what a proxy need not have
_FREE = ("username", "password", "country_code", "city", "provider", "monthly_cost")
#: where the proxies of the default pool come from
SETTING = "LAMPLIGHTER_PROXY_URLS"


class ProxyHealth(StrEnum):
    """The health of a proxy."""

    #: by hand
    OFF = "off"
    #: in a cool-down after many failures
    RESTING = "resting"
    UNUSED = "unused"
    GOOD = "good"
    SHAKY = "shaky"
    FAILING = "failing"


def health_of(*, enabled: bool, is_cooling_down: bool, failures_in_a_row: int, used: int) -> ProxyHealth:
    """The health of a proxy by its state and failures."""
    if not enabled:
        return ProxyHealth.OFF
    if is_cooling_down:
        return ProxyHealth.RESTING
    if failures_in_a_row >= FAILING_AT:
        return ProxyHealth.FAILING
    if failures_in_a_row:
        return ProxyHealth.SHAKY
    return ProxyHealth.GOOD if used else ProxyHealth.UNUSED


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxySettings:
    """What an operator says of a proxy; None leaves it as it is."""

    #: a host, or a whole URL with credentials
    url: str | None = field(default=None, repr=False)
    port: int | None = None
    protocol: str | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    country_code: str | None = None
    city: str | None = None
    provider: str | None = None
    monthly_cost: float | None = None
    max_requests_per_hour: int | None = None
    #: those of the above that are said no more
    taken_back: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyView:
    """A proxy as its operator sees it: without its password."""

    id: int
    protocol: str
    address: str
    port: int
    #: masked
    username: str | None
    has_password: bool
    country_code: str | None
    city: str | None
    provider: str | None
    monthly_cost: float | None
    enabled: bool
    #: for hosts that have no proxies of their own; named by the settings, which alone change and remove it
    in_default_pool: bool
    max_requests_per_hour: int
    #: that count towards that
    requests_this_hour: int
    #: in a row
    failure_count: int
    failure_total: int
    success_total: int
    average_took_ms: float | None
    last_used_at: datetime | None
    last_success_at: datetime | None
    last_failure_at: datetime | None
    #: why it last failed
    last_error: str | None
    #: end of its cool-down; None if it has none
    resting_until: datetime | None
    created_at: datetime
    updated_at: datetime

    @property
    def is_working(self) -> bool:
        """Whether requests may go through it now."""
        return self.enabled and self.resting_until is None

    @property
    def success_rate(self) -> float | None:
        """Per cent of all requests ever made through it; None before the first."""
        return percent(self.success_total, self.failure_total)

    @property
    def health(self) -> ProxyHealth:
        """Its health over all hosts."""
        used = self.success_total + self.failure_total
        is_cooling_down = self.resting_until is not None
        return health_of(
            enabled=self.enabled, is_cooling_down=is_cooling_down, failures_in_a_row=self.failure_count, used=used
        )


_MADE_UP = ("username", "has_password", "requests_this_hour", "resting_until", "last_error")
_COLUMNS = tuple(each.name for each in fields(ProxyView) if each.name not in _MADE_UP)


async def add(db: Connection, settings: ProxySettings, *, vault: Vault, stamp: Stamp) -> int:
    """Stores a proxy and returns its id; Duplicate when there is one with the same address and user."""
    values = {"protocol": USUAL_PROTOCOL} | _values(settings, vault)
    for name, field_name in (("address", "proxy_url"), ("port", "proxy_port")):
        if name not in values:
            raise BadInput(f"a proxy needs a {field_name}", field=field_name)
    await _refuse_twin(db, values, of=None)
    proxy_id = await proxies.add(db, ProxyChange(**values), now=stamp.now)
    await audit_log.write(db, stamp, "proxy.add", _subject(proxy_id), after=_audited(values))
    return proxy_id


async def change(db: Connection, proxy_id: int, settings: ProxySettings, *, vault: Vault, stamp: Stamp) -> None:
    """Changes what is given and leaves the rest."""
    row = _own(await _row(db, proxy_id))
    values = _values(settings, vault)
    whole = {name: getattr(row, name) for name in ("protocol", "address", "port", "username")} | values
    await _refuse_twin(db, whole, of=proxy_id)
    _refuse_old_credentials(row, values)
    before = {name: getattr(row, name) for name in values}
    await proxies.change(db, proxy_id, ProxyChange(**values), now=stamp.now)
    await audit_log.write(
        db, stamp, "proxy.change", _subject(proxy_id), before=_audited(before), after=_audited(values)
    )


async def enable(db: Connection, proxy_id: int, *, stamp: Stamp) -> None:
    """Lets a proxy be used again, its failures in a row forgotten."""
    await _switch(db, proxy_id, FORGIVEN | ProxyChange(enabled=True), stamp=stamp)


async def disable(db: Connection, proxy_id: int, *, stamp: Stamp) -> None:
    """Disables a proxy."""
    await _switch(db, proxy_id, ProxyChange(enabled=False), stamp=stamp)


async def remove(db: Connection, proxy_id: int, *, stamp: Stamp) -> None:
    """Removes a proxy, and its health with every host."""
    row = _own(await _row(db, proxy_id))
    await proxies.remove(db, proxy_id)
    before = {name: getattr(row, name) for name in ("protocol", "address", "port")}
    await audit_log.write(db, stamp, "proxy.remove", _subject(proxy_id), before=before)


async def get(db: Connection, proxy_id: int, *, now: datetime) -> tuple[ProxyView, int]:
    """The proxy with this id, and how many hosts it is assigned to."""
    return _proxy(await _row(db, proxy_id), now), await proxies.hosts_using(db, proxy_id)


async def listed(
    db: Connection,
    *,
    is_active: bool | None,
    country_code: str | None,
    provider: str | None,
    limit: int,
    offset: int,
    now: datetime,
) -> tuple[list[ProxyView], int]:
    """One page of the proxies, and how many there are."""
    country = country_code.upper() if country_code else None
    rows, total = await proxies.listed(
        db, is_active=is_active, country_code=country, provider=provider, limit=limit, offset=offset
    )
    return [_proxy(row, now) for row in rows], total


async def default_pool(db: Connection, *, now: datetime) -> list[ProxyView]:
    """The proxies of hosts that have none of their own, in the order in which they will be used; then the others."""
    pool = [_proxy(row, now) for row in await proxy_lists.default_pool(db)]
    return sorted(pool, key=lambda each: (not each.is_working, each.last_used_at or NEVER, each.id))


async def _row(db: Connection, proxy_id: int) -> Any:
    row = await proxies.get(db, proxy_id)
    if row is None:
        raise not_found(proxy_id)
    return row


def _own(row: Any) -> Any:
    """A proxy that people may change here; NotPossible when the settings name it."""
    if row.in_default_pool:
        raise NotPossible(
            f"proxy {row.id} is set by {SETTING}; change it there and restart the service, or disable it here",
            code="proxy_of_the_settings",
            possible=("disable", "enable"),
        )
    return row


def not_found(proxy_id: int) -> NotFound:
    """The refusal for a proxy that does not exist."""
    return NotFound(f"there is no proxy {proxy_id}; GET /api/admin/proxies lists them", code="proxy_not_found")


async def _switch(db: Connection, proxy_id: int, change: ProxyChange, *, stamp: Stamp) -> None:
    row = await _row(db, proxy_id)
    await proxies.change(db, proxy_id, change, now=stamp.now)
    action = "proxy.enable" if change.enabled is True else "proxy.disable"
    await proxy_waits.end(db, None, now=stamp.now)
    before = {"enabled": row.enabled, "failure_count": row.failure_count}
    await audit_log.write(db, stamp, action, _subject(proxy_id), before=before)


async def _refuse_twin(db: Connection, values: dict[str, Any], *, of: int | None) -> None:
    twin = await proxies.same(
        db, protocol=values["protocol"], address=values["address"], port=values["port"], username=values.get("username")
    )
    if twin is not None and twin != of:
        raise Duplicate(
            f"{values['protocol']}://{values['address']}:{values['port']} is proxy {twin} already", code="proxy_exists"
        )


def _refuse_old_credentials(row: Any, values: Mapping[str, Any]) -> None:
    """Refuses to send credentials that were stored for one server to another."""
    if not any(values.get(name, getattr(row, name)) != getattr(row, name) for name in ("protocol", "address", "port")):
        return
    for name, field_name, word in (
        ("username", "proxy_username", "user name"),
        ("encrypted_password", "proxy_password", "password"),
    ):
        if getattr(row, name) is not None and name not in values:
            raise BadInput(
                f"proxy {row.id} moves to another server: set the {word} for that server, or add a new proxy",
                field=field_name,
            )


def _values(settings: ProxySettings, vault: Vault) -> dict[str, Any]:
    """The columns of what was given; what a URL says, a field of its own says better."""
    _check_words(settings)
    meant = proxy_address.parse(settings.url) if settings.url is not None else None
    password = settings.password or (meant.password if meant else None)
    values: dict[str, Any] = {
        "address": meant.host if meant else None,
        "protocol": settings.protocol or (meant.protocol if meant else None),
        "port": settings.port or (meant.port if meant else None),
        "username": settings.username or (meant.username if meant else None),
        "encrypted_password": vault.encrypt(password) if password is not None else None,
        "country_code": settings.country_code.upper() if settings.country_code else None,
    }
    values |= {name: getattr(settings, name) for name in ("city", "provider", "monthly_cost", "max_requests_per_hour")}
    taken_back: dict[str, Any] = {_column(name): None for name in sorted(settings.taken_back)}
    return taken_back | {name: value for name, value in values.items() if value is not None}


def _column(name: str) -> str:
    """Where that is kept which a proxy need not have."""
    if name not in _FREE:
        raise BadInput(f"a proxy needs {name}; leave it out, or give another value", field=name)
    return "encrypted_password" if name == "password" else name


def _check_words(settings: ProxySettings) -> None:
    country = settings.country_code
    if country is not None and not (len(country) == 2 and country.isascii() and country.isalpha()):
        raise BadInput(
            f"country {country[:50]!r} is not a country code; use two letters, such as DE", field="country_code"
        )
    for name in ("city", "provider"):
        word = getattr(settings, name)
        if word is not None and not (word.isprintable() and len(word) <= _LONGEST_WORD):
            raise BadInput(f"{name} is not a text of up to {_LONGEST_WORD} characters", field=name)
    for name, word in (("username", "user name"), ("password", "password")):
        given = getattr(settings, name)
        if given is not None and not given.isprintable():
            raise BadInput(f"the {word} contains invalid characters", field=f"proxy_{name}")


def _audited(values: dict[str, Any]) -> dict[str, Any]:
    """What the audit log may show: of secrets only that they were set."""
    return {name: "(set)" if name in _SECRET and value is not None else value for name, value in values.items()}


def _subject(proxy_id: int) -> str:
    return f"proxy {proxy_id}"


def reason_alone(detail: str) -> str:
    """Why something failed, without which proxy it was: that stands beside it."""
    return _WHICH.sub("", detail)


def cooling_until(*moments: datetime | None, now: datetime) -> datetime | None:
    """The last of these moments, as far as they are to come; None when none is."""
    return max((moment for moment in moments if moment is not None and moment > now), default=None)


def _proxy(row: Any, now: datetime) -> ProxyView:
    return ProxyView(
        username=proxy_address.masked(row.username),
        has_password=row.encrypted_password is not None,
        requests_this_hour=hourly_use.count(hourly_use.from_json(row.hour_uses), now=now),
        resting_until=cooling_until(row.quarantined_until, now=now),
        last_error=reason_alone(row.last_error) if row.last_error else None,
        **{name: getattr(row, name) for name in _COLUMNS},
    )
