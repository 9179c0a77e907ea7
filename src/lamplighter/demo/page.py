"""A demo site: a pure function from a request to a page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b

HTML = "text/html; charset=utf-8"
JSON = "application/json"
RSS = "application/rss+xml; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
XML = "application/xml"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoRequest:
    """One request to a site."""

    #: scheme, host and port, without a slash at the end: for the places where a link must be absolute
    base: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    now: datetime
    #: when Meridian Labs got its present layout; None means long ago
    relaunch: datetime | None = None

    @property
    def is_before_relaunch(self) -> bool:
        """Whether the earlier layout is still shown."""
        return self.relaunch is not None and self.now < self.relaunch

    @property
    def page_number(self) -> int:
        """The requested page of a listing; anything that is not a number means the first."""
        number = self.query.get("page", "1")
        return int(number) if number.isascii() and number.isdigit() else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPage:
    """The response."""

    body: str
    #: the last time anything on it changed
    changed_at: datetime
    media_type: str = HTML
    status: int = 200

    @property
    def etag(self) -> str:
        """Weak, because the same page is also sent compressed."""
        return f'W/"{blake2b(self.body.encode(), digest_size=8).hexdigest()}"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A fictional site."""

    name: str
    robots: str
    #: None when there is no such page
    page: Callable[[DemoRequest], DemoPage | None]
