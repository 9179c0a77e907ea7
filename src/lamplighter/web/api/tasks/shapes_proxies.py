"""Proxy models of the task API: without passwords, and with masked user names."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from lamplighter.operations.proxies.proxies import ProxyHealth, ProxyView
from lamplighter.web.api.envelope import taken_from
from lamplighter.web.api.tasks.shapes_tasks import outside
from lamplighter.web.values import BIGGEST, Given, Line

ProxyNumber = Annotated[int, Field(ge=1, le=BIGGEST)]


class TrialIn(Given):
    """What to fetch through a proxy: a URL or a domain."""

    url: Line | None = Field(None, max_length=2000)
    domain_id: int | None = Field(None, ge=1, le=BIGGEST)

    @model_validator(mode="after")
    def _one_of_two(self) -> "TrialIn":
        if (self.url is None) == (self.domain_id is None):
            raise ValueError("give a url or a domain_id")
        return self


_Tenths = Annotated[float, BeforeValidator(lambda number: round(number, 1))]


class TrialLine(BaseModel):
    """The result of a proxy trial with a host."""

    proxy_id: int = taken_from("cell", "proxy_id")
    domain_id: int = taken_from("cell", "host_id")
    domain_name: str = taken_from("cell", "host")
    url: str = taken_from("cell", "url")
    ok: bool = taken_from("tried", "ok")
    #: null without a response
    status_code: int | None = taken_from("tried", "status")
    #: null when no request was sent
    response_time_ms: _Tenths | None = taken_from("tried", "took_ms")
    #: why the request failed, or where the response redirects
    detail: str | None = taken_from("tried", "detail")
    tested_at: datetime = taken_from("tried", "at")


class AddedProxy(BaseModel):
    """A proxy that was just added."""

    id: int
    proxy_url: str = taken_from("address", examples=["proxy.example"])
    proxy_port: int = taken_from("port")
    proxy_protocol: str = taken_from("protocol")
    country_code: str | None
    is_active: bool = taken_from("enabled")
    created_at: datetime


class ProxyStats(BaseModel):
    """A proxy's figures."""

    #: per cent of all requests ever made through it
    success_rate: float | None
    total_requests: int
    domains_using: int


class WholeProxy(AddedProxy):
    """A proxy with all public fields."""

    #: masked
    proxy_username: str | None = taken_from("username")
    has_password: bool
    #: failures in a row; the totals are in success_count and failure_total
    failure_count: int
    failure_total: int
    success_count: int = taken_from("success_total")
    last_used_at: datetime | None
    last_success_at: datetime | None
    last_failure_at: datetime | None
    avg_response_time_ms: float | None = taken_from("average_took_ms")
    city: str | None
    provider: str | None
    monthly_cost: float | None
    max_requests_per_hour: int
    updated_at: datetime
    stats: ProxyStats
    health: ProxyHealth
    #: the end of its back-off after too many failures
    resting_until: datetime | None
    #: defined by the settings, where alone it is changed and removed
    in_default_pool: bool
    #: counts towards max_requests_per_hour
    requests_this_hour: int
    #: why it last failed
    last_error: str | None


class ProxyLine(BaseModel):
    """A proxy in a list."""

    id: int
    proxy_url: str = taken_from("address")
    proxy_port: int = taken_from("port")
    country_code: str | None
    is_active: bool = taken_from("enabled")
    success_count: int = taken_from("success_total")
    failure_count: int
    success_rate: float | None
    avg_response_time_ms: float | None = taken_from("average_took_ms")
    last_used_at: datetime | None
    health: ProxyHealth
    #: the end of its back-off after too many failures
    resting_until: datetime | None


class DomainProxyOut(BaseModel):
    """A proxy of a domain, and its health there."""

    proxy_id: int
    proxy_url: str = taken_from("address")
    proxy_port: int = taken_from("port")
    country_code: str | None
    is_active: bool
    priority: Annotated[int, BeforeValidator(outside)]
    success_count: int = taken_from("success_total")
    #: in a row
    failure_count: int
    success_rate_percent: float | None = taken_from("success_rate")
    avg_response_time_ms: float | None = taken_from("average_took_ms")
    last_used_at: datetime | None
    health: ProxyHealth
    #: the end of its back-off after too many failures, with this domain or in all
    resting_until: datetime | None
    #: why it last failed with this domain
    last_error: str | None = Field(examples=["connect_failure: the proxy did not answer"])


_Hundredths = Annotated[float, BeforeValidator(lambda number: round(number, 2))]


class AdviceLine(BaseModel):
    """How many proxies a domain should have, and the figures behind it."""

    #: the greater of the next two
    requests_per_hour: _Hundredths = taken_from("per_hour")
    asked_per_hour: _Hundredths
    planned_per_hour: _Hundredths
    requests_per_proxy: int = taken_from("per_proxy")
    enough: int = taken_from("size", "enough")
    ample: int = taken_from("size", "ample")
    has: int
    #: the advice as a sentence
    text: str = taken_from("words")


def whole(proxy: ProxyView, domains_using: int) -> dict[str, Any]:
    """A proxy with all public fields."""
    total = proxy.success_total + proxy.failure_total
    stats = {"success_rate": proxy.success_rate, "total_requests": total, "domains_using": domains_using}
    return asdict(proxy) | {"health": proxy.health, "stats": stats}
