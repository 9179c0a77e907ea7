"""How domains look in the task API."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from lamplighter.operations.domains import Domain, Settings
from lamplighter.operations.hosts import LIMITS
from lamplighter.rules import interval_text
from lamplighter.web.api.values import Line

_LONGEST_DELAY = LIMITS["min_delay_ms"][1] / 1000
_MOST_REQUESTS = LIMITS["max_concurrency"][1]

#: words of this API that are others inside
_INSIDE = {
    "crawl_delay_seconds": "crawl_delay",
    "max_concurrent_requests": "max_concurrency",
    "default_crawl_frequency": "frequency",
}

Delay = Annotated[float, Field(ge=0, le=_LONGEST_DELAY, allow_inf_nan=False)]
Requests = Annotated[int, Field(ge=1, le=_MOST_REQUESTS)]
Name = Annotated[Line, Field(min_length=1, max_length=255)]
Address = Annotated[Line, Field(min_length=1, max_length=512)]
Parser = Annotated[Line, Field(min_length=1, max_length=100)]
Interval = Annotated[Line, Field(min_length=1, max_length=100)]
Agent = Annotated[Line, Field(min_length=1, max_length=500)]


class DomainSettings(BaseModel):
    """What may be said of a domain."""

    model_config = ConfigDict(extra="forbid")

    base_url: Address | None = None
    parser_name: Parser | None = None
    crawl_delay_seconds: Delay | None = None
    max_concurrent_requests: Requests | None = None
    default_crawl_frequency: Interval | None = None
    user_agent: Agent | None = None

    def settings(self, **more: Any) -> Settings:
        """The same in words of the inside."""
        delay = self.crawl_delay_seconds
        frequency = self.default_crawl_frequency
        return Settings(
            base_url=self.base_url,
            parser_name=self.parser_name,
            crawl_delay=None if delay is None else timedelta(seconds=delay),
            max_concurrency=self.max_concurrent_requests,
            frequency=None if frequency is None else interval_text.parse(frequency),
            user_agent=self.user_agent,
            **more,
        )


class NewDomain(DomainSettings):
    """A domain to be added; its host is that of base_url."""

    domain_name: Name | None = None


class DomainChange(DomainSettings):
    """What is to change; what is left out stays. null leaves it to the installation again."""

    is_active: bool | None = None

    def changes(self) -> Settings:
        """The same in words of the inside."""
        taken_back = {name for name in self.model_fields_set if getattr(self, name) is None}
        return self.settings(
            enabled=self.is_active, taken_back=frozenset(_INSIDE.get(name, name) for name in taken_back)
        )


class DomainStats(BaseModel):
    """How a domain fares."""

    total_tasks: int
    active_proxies: int
    #: per cent
    success_rate: float


class DomainLine(BaseModel):
    """A domain in a list."""

    id: int
    domain_name: str
    parser_name: str
    is_active: bool
    total_tasks: int
    active_proxies: int


class AddedDomain(BaseModel):
    """A domain that was just added."""

    id: int
    domain_name: str
    base_url: str
    parser_name: str
    is_active: bool
    created_at: datetime | None


class WholeDomain(AddedDomain):
    """A domain with all that is known of it."""

    #: what is kept to: its own delay, or that of its robots.txt if it is longer
    crawl_delay_seconds: float
    max_concurrent_requests: int
    default_crawl_frequency: str
    robots_txt_url: str
    robots_txt_content: str | None
    robots_txt_last_fetched: datetime | None
    user_agent: str
    updated_at: datetime
    stats: DomainStats


def line_of(domain: Domain) -> dict[str, Any]:
    """A domain in a list."""
    return {
        "id": domain.id,
        "domain_name": domain.key,
        "parser_name": domain.parser_name,
        "is_active": domain.policy.enabled,
        "total_tasks": domain.tasks.total,
        "active_proxies": domain.active_proxies,
    }


def whole(domain: Domain) -> dict[str, Any]:
    """A domain with all that is known of it."""
    robots = domain.robots
    return {
        "id": domain.id,
        "domain_name": domain.key,
        "base_url": domain.base_url,
        "parser_name": domain.parser_name,
        "is_active": domain.policy.enabled,
        "crawl_delay_seconds": domain.crawl_delay.total_seconds(),
        "max_concurrent_requests": domain.policy.max_concurrency,
        "default_crawl_frequency": interval_text.describe(domain.frequency),
        "robots_txt_url": domain.robots_url,
        "robots_txt_content": robots.body.decode("utf-8", "replace") if robots is not None else None,
        "robots_txt_last_fetched": robots.fetched_at if robots is not None else None,
        "user_agent": domain.user_agent,
        "created_at": domain.created_at,
        "updated_at": domain.updated_at,
        "stats": {
            "total_tasks": domain.tasks.total,
            "active_proxies": domain.active_proxies,
            "success_rate": domain.success_rate,
        },
    }


EXAMPLE = {
    "id": 7,
    "domain_name": "shop.example",
    "base_url": "https://shop.example/",
    "parser_name": "product",
    "is_active": True,
    "created_at": "2026-03-02T12:00:00Z",
}
WHOLE_EXAMPLE = EXAMPLE | {
    "crawl_delay_seconds": 3.0,
    "max_concurrent_requests": 1,
    "default_crawl_frequency": "1 day",
    "robots_txt_url": "https://shop.example/robots.txt",
    "robots_txt_content": "User-agent: *\nAllow: /\n",
    "robots_txt_last_fetched": "2026-03-02T12:00:00Z",
    "user_agent": "LamplighterBot/1.0 (+https://lamplighter.example/bot)",
    "updated_at": "2026-03-02T12:00:00Z",
    "stats": {"total_tasks": 120, "active_proxies": 3, "success_rate": 98.33},
}
LINE_EXAMPLE = {
    "id": 7,
    "domain_name": "shop.example",
    "parser_name": "product",
    "is_active": True,
    "total_tasks": 120,
    "active_proxies": 3,
}
