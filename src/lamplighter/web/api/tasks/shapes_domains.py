"""Domain models of the task API."""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from lamplighter.operations.hosts.domains import Domain, DomainInput
from lamplighter.operations.hosts.hosts import LIMITS
from lamplighter.rules.schedule import interval_text
from lamplighter.web.api.envelope import Seconds, taken_from
from lamplighter.web.values import Given, Line

_LONGEST_DELAY = LIMITS["min_delay_ms"][1] / 1000
_MOST_REQUESTS = LIMITS["max_concurrency"][1]

#: field of this API -> field of DomainInput
_INSIDE = {
    "crawl_delay_seconds": "crawl_delay",
    "max_concurrent_requests": "max_concurrency",
    "default_crawl_frequency": "frequency",
    "maintenance_windows": "windows",
}

Delay = Annotated[float, Field(ge=0, le=_LONGEST_DELAY, allow_inf_nan=False)]
Requests = Annotated[int, Field(ge=1, le=_MOST_REQUESTS)]
Name = Annotated[Line, Field(min_length=1, max_length=255)]
Address = Annotated[Line, Field(min_length=1, max_length=512)]
Parser = Annotated[Line, Field(min_length=1, max_length=100)]
Interval = Annotated[Line, Field(min_length=1, max_length=100)]
Agent = Annotated[Line, Field(min_length=1, max_length=500)]


class DomainSettings(Given):
    """The settings of a domain."""

    base_url: Address | None = None
    parser_name: Parser | None = None
    crawl_delay_seconds: Delay | None = None
    max_concurrent_requests: Requests | None = None
    default_crawl_frequency: Interval | None = None
    user_agent: Agent | None = None
    maintenance_windows: Annotated[Line, Field(min_length=1, max_length=500)] | None = Field(
        None,
        description="When no task is started, as in 'sun 02:00-04:00 Europe/Paris'; separated by semicolons.",
    )

    def settings(self, **more: Any) -> DomainInput:
        """The settings as domain input."""
        delay = self.crawl_delay_seconds
        frequency = self.default_crawl_frequency
        return DomainInput(
            base_url=self.base_url,
            parser_name=self.parser_name,
            crawl_delay=None if delay is None else timedelta(seconds=delay),
            max_concurrency=self.max_concurrent_requests,
            frequency=None if frequency is None else interval_text.parse(frequency),
            user_agent=self.user_agent,
            windows=self.maintenance_windows,
            **more,
        )


class NewDomain(DomainSettings):
    """A domain to add; its host is that of base_url."""

    domain_name: Name | None = None


class DomainChange(DomainSettings):
    """Fields to change; omitted fields stay. null restores the default."""

    is_active: bool | None = None

    def changes(self) -> DomainInput:
        """The changes as domain input."""
        taken_back = {name for name in self.model_fields_set if getattr(self, name) is None}
        return self.settings(
            enabled=self.is_active, taken_back=frozenset(_INSIDE.get(name, name) for name in taken_back)
        )


class DomainStats(BaseModel):
    """A domain's figures."""

    total_tasks: int = taken_from("tasks", "total")
    active_proxies: int
    #: per cent
    success_rate: float | None


class DomainLine(BaseModel):
    """A domain in a list."""

    id: int
    domain_name: str
    parser_name: str = Field(examples=["product"])
    is_active: bool = taken_from("policy", "enabled")
    total_tasks: int = taken_from("tasks", "total")
    active_proxies: int


class AddedDomain(BaseModel):
    """A domain that was just added."""

    id: int
    domain_name: str
    base_url: str
    parser_name: str
    is_active: bool = taken_from("policy", "enabled")
    created_at: datetime | None


class WholeDomain(AddedDomain):
    """A domain with all its fields."""

    #: the delay in force: the domain's own, or that of its robots.txt if it is longer
    crawl_delay_seconds: Seconds = taken_from("crawl_delay")
    max_concurrent_requests: int = taken_from("policy", "max_concurrency")
    default_crawl_frequency: Annotated[str, BeforeValidator(interval_text.describe)] = taken_from(
        "frequency", examples=["1 day"]
    )
    robots_txt_url: str = Field(examples=["https://shop.example/robots.txt"])
    robots_txt_content: str | None
    robots_txt_last_fetched: datetime | None
    user_agent: str
    #: null for none
    maintenance_windows: str | None = taken_from("windows")
    updated_at: datetime
    stats: DomainStats


def whole(domain: Domain) -> dict[str, Any]:
    """A domain with all its fields."""
    robots = domain.robots
    return asdict(domain) | {
        "robots_txt_url": domain.robots_url,
        "robots_txt_content": robots.body.decode("utf-8", "replace") if robots is not None else None,
        "robots_txt_last_fetched": robots.fetched_at if robots is not None else None,
        "stats": domain,
    }
