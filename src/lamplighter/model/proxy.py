"""A proxy, as a request needs it."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from lamplighter.model.fields import UNSET, PartialChange, Unset


class ProxyMode(StrEnum):
    """Whether requests to a host go through proxies."""

    ONLY = "only"  # through a proxy or not at all
    PREFER = "prefer"  # directly while no proxy is usable
    NEVER = "never"  # always directly


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyEndpoint:
    """One proxy with its credentials, which are sent to the proxy only."""

    id: int
    #: http, https (reached over TLS) or socks5
    protocol: str
    address: str
    port: int
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    #: named by the settings, so its address may be inside this network
    is_trusted: bool = False

    @property
    def url(self) -> str:
        """Its URL without credentials."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"{self.protocol}://{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyPairChange(PartialChange):
    """A change of how one proxy is used for one host, under the names of its columns."""

    enabled: bool | Unset = UNSET
    #: failures in a row, and the end of the quarantine after them
    failure_count: int | Unset = UNSET
    quarantined_until: datetime | Unset | None = UNSET
    quarantine_count: int | Unset = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyChange(ProxyPairChange):
    """A new proxy, or a change of one, under the names of its columns; None means that it has no such value."""

    protocol: str | Unset = UNSET
    address: str | Unset = UNSET
    port: int | Unset = UNSET
    username: str | Unset | None = UNSET
    encrypted_password: bytes | Unset | None = field(default=UNSET, repr=False)
    country_code: str | Unset | None = UNSET
    city: str | Unset | None = UNSET
    provider: str | Unset | None = UNSET
    monthly_cost: float | Unset | None = UNSET
    max_requests_per_hour: int | Unset | None = UNSET
    in_default_pool: bool | Unset = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyUse(PartialChange):
    """The health of a proxy after a request, for all hosts or for one, under the names of its columns."""

    last_used_at: datetime | Unset = UNSET
    #: when the requests of the last hour were made (see `rules.proxies.hourly_use`); of a proxy, not of a pair
    hour_uses: list[Any] | Unset = UNSET
    failure_count: int | Unset = UNSET
    failure_total: int | Unset = UNSET
    success_total: int | Unset = UNSET
    average_took_ms: float | Unset | None = UNSET
    quarantined_until: datetime | Unset | None = UNSET
    quarantine_count: int | Unset = UNSET
    last_success_at: datetime | Unset = UNSET
    last_failure_at: datetime | Unset = UNSET
    last_error: str | Unset = UNSET
