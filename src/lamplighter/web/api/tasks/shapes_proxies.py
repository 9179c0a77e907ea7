"""How proxies look in the task API: never with a password, and with no more of a user name than tells it again."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from lamplighter.operations.domain_proxies import Standing
from lamplighter.operations.pool_advice import PoolAdvice
from lamplighter.operations.proxies import Health, Proxy, ProxySettings
from lamplighter.web.api.tasks.shapes_tasks import outside
from lamplighter.web.api.values import Line

Country = Annotated[Line, Field(pattern=r"^[A-Za-z]{2}$")]
Place = Annotated[Line, Field(min_length=1, max_length=100)]


class ProxyFields(BaseModel):
    """What may be said of a proxy."""

    # An address may hold a password, so it is looked at where a refusal does not repeat it.
    model_config = ConfigDict(extra="forbid")

    proxy_url: str | None = None
    proxy_port: int | None = Field(None, ge=1, le=65535)
    proxy_protocol: Literal["http", "https", "socks5"] | None = None
    proxy_username: Line | None = Field(None, min_length=1, max_length=255)
    proxy_password: SecretStr | None = Field(None, min_length=1, max_length=1000)
    country_code: Country | None = None
    city: Place | None = None
    provider: Place | None = None
    monthly_cost: float | None = Field(None, ge=0, le=99_999_999, allow_inf_nan=False)
    max_requests_per_hour: int | None = Field(None, ge=1, le=10_000_000)

    def changes(self) -> ProxySettings:
        """The same in words of the inside; null takes a field back."""
        null = {name for name in self.model_fields_set if getattr(self, name) is None}
        inside = ("proxy_username", "proxy_password")
        taken_back = {name.removeprefix("proxy_") if name in inside else name for name in null}
        return replace(self.settings(), taken_back=frozenset(taken_back))

    def settings(self) -> ProxySettings:
        """The same in words of the inside."""
        password = self.proxy_password
        return ProxySettings(
            url=self.proxy_url,
            port=self.proxy_port,
            protocol=self.proxy_protocol,
            username=self.proxy_username,
            password=password.get_secret_value() if password is not None else None,
            country_code=self.country_code,
            city=self.city,
            provider=self.provider,
            monthly_cost=None if self.monthly_cost is None else round(self.monthly_cost, 2),
            max_requests_per_hour=self.max_requests_per_hour,
        )


class AddedProxy(BaseModel):
    """A proxy that was just added."""

    id: int
    proxy_url: str
    proxy_port: int
    proxy_protocol: str
    country_code: str | None
    is_active: bool
    created_at: datetime


class ProxyStats(BaseModel):
    """How a proxy fares."""

    #: per cent of all requests ever made through it
    success_rate: float
    total_requests: int
    domains_using: int


class WholeProxy(AddedProxy):
    """A proxy with all that may be told of it."""

    #: masked
    proxy_username: str | None
    has_password: bool
    #: failures in a row; the totals are in success_count and failure_total
    failure_count: int
    failure_total: int
    success_count: int
    last_used_at: datetime | None
    last_success_at: datetime | None
    last_failure_at: datetime | None
    avg_response_time_ms: float | None
    city: str | None
    provider: str | None
    monthly_cost: float | None
    max_requests_per_hour: int
    updated_at: datetime
    stats: ProxyStats
    health: Health
    #: it failed so often that it is left alone until then
    resting_until: datetime | None
    #: named by the settings, which alone change and remove it
    in_default_pool: bool
    #: through it, of max_requests_per_hour
    requests_this_hour: int
    #: why it last failed
    last_error: str | None


class ProxyLine(BaseModel):
    """A proxy in a list."""

    id: int
    proxy_url: str
    proxy_port: int
    country_code: str | None
    is_active: bool
    success_count: int
    failure_count: int
    success_rate: float
    avg_response_time_ms: float | None
    last_used_at: datetime | None
    health: Health
    #: it failed so often that it is left alone until then
    resting_until: datetime | None


class StandingLine(BaseModel):
    """A proxy of a domain, and how it stands with it."""

    proxy_id: int
    proxy_url: str
    proxy_port: int
    country_code: str | None
    is_active: bool
    priority: int
    success_count: int
    #: in a row
    failure_count: int
    success_rate_percent: float
    avg_response_time_ms: float | None
    last_used_at: datetime | None
    health: Health
    #: it failed so often, here or altogether, that it is left alone until then
    resting_until: datetime | None
    #: why it last failed here
    last_error: str | None


class AdviceLine(BaseModel):
    """How many proxies a domain should have, and what that is derived from."""

    #: the greater of the two after it
    requests_per_hour: float
    asked_per_hour: float
    planned_per_hour: float
    requests_per_proxy: int
    enough: int
    ample: int
    has: int
    #: the same in a sentence
    text: str


def advice_line(advice: PoolAdvice) -> dict[str, Any]:
    """How many proxies a domain should have."""
    return {
        "requests_per_hour": round(advice.per_hour, 2),
        "asked_per_hour": round(advice.asked_per_hour, 2),
        "planned_per_hour": round(advice.planned_per_hour, 2),
        "requests_per_proxy": advice.per_proxy,
        "enough": advice.size.enough,
        "ample": advice.size.ample,
        "has": advice.has,
        "text": advice.words,
    }


def line_of(proxy: Proxy) -> dict[str, Any]:
    """A proxy in a list."""
    return {
        "id": proxy.id,
        "proxy_url": proxy.address,
        "proxy_port": proxy.port,
        "country_code": proxy.country_code,
        "is_active": proxy.enabled,
        "success_count": proxy.success_total,
        "failure_count": proxy.failure_count,
        "success_rate": proxy.success_rate,
        "avg_response_time_ms": proxy.average_took_ms,
        "last_used_at": proxy.last_used_at,
        "health": proxy.health,
        "resting_until": proxy.resting_until,
    }


def whole(proxy: Proxy, domains_using: int) -> dict[str, Any]:
    """A proxy with all that may be told of it."""
    total = proxy.success_total + proxy.failure_total
    return line_of(proxy) | {
        "proxy_protocol": proxy.protocol,
        "proxy_username": proxy.username,
        "has_password": proxy.has_password,
        "failure_total": proxy.failure_total,
        "last_success_at": proxy.last_success_at,
        "last_failure_at": proxy.last_failure_at,
        "city": proxy.city,
        "provider": proxy.provider,
        "monthly_cost": proxy.monthly_cost,
        "max_requests_per_hour": proxy.max_requests_per_hour,
        "created_at": proxy.created_at,
        "updated_at": proxy.updated_at,
        "stats": {"success_rate": proxy.success_rate, "total_requests": total, "domains_using": domains_using},
        "in_default_pool": proxy.in_default_pool,
        "requests_this_hour": proxy.requests_this_hour,
        "last_error": proxy.last_error,
    }


def standing_line(standing: Standing) -> dict[str, Any]:
    """A proxy of a domain."""
    return {
        "proxy_id": standing.proxy_id,
        "proxy_url": standing.address,
        "proxy_port": standing.port,
        "country_code": standing.country_code,
        "is_active": standing.is_active,
        "priority": outside(standing.priority),
        "success_count": standing.success_total,
        "failure_count": standing.failure_count,
        "success_rate_percent": standing.success_rate,
        "avg_response_time_ms": standing.average_took_ms,
        "last_used_at": standing.last_used_at,
        "health": standing.health,
        "resting_until": standing.resting_until,
        "last_error": standing.last_error,
    }


EXAMPLE = {
    "id": 3,
    "proxy_url": "proxy.example",
    "proxy_port": 8080,
    "proxy_protocol": "http",
    "country_code": "DE",
    "is_active": True,
    "created_at": "2026-03-02T12:00:00Z",
}
LINE_EXAMPLE = {
    "id": 3,
    "proxy_url": "proxy.example",
    "proxy_port": 8080,
    "country_code": "DE",
    "is_active": True,
    "success_count": 980,
    "failure_count": 0,
    "success_rate": 98.0,
    "avg_response_time_ms": 412.5,
    "last_used_at": "2026-03-02T12:00:00Z",
    "health": "good",
    "resting_until": None,
}
STANDING_EXAMPLE = {
    "proxy_id": 3,
    "proxy_url": "proxy.example",
    "proxy_port": 8080,
    "country_code": "DE",
    "is_active": True,
    "priority": 5,
    "success_count": 120,
    "failure_count": 1,
    "success_rate_percent": 96.0,
    "avg_response_time_ms": 380.0,
    "last_used_at": "2026-03-02T12:00:00Z",
    "health": "shaky",
    "resting_until": None,
    "last_error": "connect_failure: the proxy did not answer",
}
