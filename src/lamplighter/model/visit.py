"""The outcomes of fetching a page: a sum type, matched with assert_never; and the cookies that a response sets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum


class Refusal(StrEnum):
    """Why we sent no request: decided on our side, before the request."""

    TAKEDOWN = "takedown"
    ROBOTS = "robots_disallow"
    ROBOTS_UNREACHABLE = "robots_unreachable"
    BREAKER = "host_breaker"
    HOST_DISABLED = "host_disabled"
    ADDRESS = "address_refused"
    NO_CONTACT = "no_contact"
    NO_SECRET = "missing_secret"
    NO_PROXY = "no_proxy"

    @property
    def is_final(self) -> bool:
        """Whether another try in this run cannot help."""
        return self not in (Refusal.ROBOTS_UNREACHABLE, Refusal.BREAKER, Refusal.HOST_DISABLED, Refusal.NO_PROXY)


class Fault(StrEnum):
    """Why a fetch failed. The value is stored as the page's reason."""

    DNS = "dns_failure"
    CONNECT = "connect_failure"
    TLS = "tls_failure"
    TIMEOUT = "timeout"
    BROKEN_RESPONSE = "broken_response"
    TOO_LARGE = "too_large"
    CONTENT_TYPE = "unsupported_content_type"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    BAD_REDIRECT = "bad_redirect"
    BUSY = "host_busy"  # 429, or 503 with Retry-After
    SERVER_ERROR = "server_error"  # other 5xx
    NOT_FOUND = "not_found"  # 404
    GONE = "gone"  # 410
    CLIENT_ERROR = "client_error"  # other 4xx
    UNREADABLE = "unreadable"  # the parser was killed or crashed on it
    NOT_RENDERED = "not_rendered"  # the browser failed or was too slow
    UNSTORABLE = "unstorable"  # the database refused to store it
    OBSTRUCTED = "obstructed"  # something else came instead of the content
    PROXY = "proxy_failure"  # the proxy failed, not the site behind it

    @property
    def is_transient(self) -> bool:
        """Whether the same request may succeed a little later."""
        return self in _TRANSIENT

    @property
    def is_permanent(self) -> bool:
        """Whether the same request would end the same way for hours."""
        return self in _PERMANENT

    @property
    def blames_host(self) -> bool:
        """Whether it counts towards the host's breaker: the host, not the page, is in trouble."""
        return self in _HOST_TROUBLE


#: the obstacle that means the same as a 404
SOFT_NOT_FOUND = "a page-not-found page"
_TRANSIENT = frozenset(
    {Fault.DNS, Fault.CONNECT, Fault.TIMEOUT, Fault.BROKEN_RESPONSE, Fault.SERVER_ERROR, Fault.BUSY, Fault.PROXY}
)
_PERMANENT = frozenset(
    {
        Fault.NOT_FOUND,
        Fault.GONE,
        Fault.TOO_LARGE,
        Fault.CONTENT_TYPE,
        Fault.TOO_MANY_REDIRECTS,
        Fault.BAD_REDIRECT,
    }
)
_HOST_TROUBLE = frozenset({Fault.DNS, Fault.CONNECT, Fault.TLS, Fault.TIMEOUT, Fault.SERVER_ERROR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """ETag and Last-Modified, opaque, always from one response."""

    etag: str | None = None
    last_modified: str | None = None
    #: whether they came with different bodies: kept to recognise them, and never sent
    mean_nothing: bool = False

    def __bool__(self) -> bool:
        return not self.mean_nothing and (self.etag is not None or self.last_modified is not None)


NO_VALIDATORS = Validators()


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """What is known of every request that was sent."""

    url: str
    at: datetime
    took: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched(SentRequest):
    """A 2xx response with a body we can parse."""

    status: int
    body: bytes
    content_type: str | None
    validators: Validators
    #: Cache-Control max-age or Expires; None when the server said nothing
    fresh_for: timedelta | None = None
    #: X-Robots-Tag, one line each; None when absent
    robots_tag: str | None = None
    #: what its content may be used for, one line each (see rules.usage); None when the site does not say
    usage: str | None = None
    #: as received
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotModified(SentRequest):
    """304 to a conditional request."""

    validators: Validators
    fresh_for: timedelta | None = None
    #: X-Robots-Tag and what its content may be used for, where the response repeats them; None keeps the old ones
    robots_tag: str | None = None
    usage: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirected(SentRequest):
    """3xx: the target is a page of its own and passes the whole gate again."""

    status: int
    target: str
    #: how long the server asks us to wait before the next request
    retry_after: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """No request was sent, and why."""

    url: str
    reason: Refusal
    detail: str
    #: when a request may be possible; None when the refusal is final
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(SentRequest):
    """A request was sent, and there was no usable response."""

    fault: Fault
    detail: str
    status: int | None = None
    #: the server's Retry-After, already limited; None when it said nothing usable
    retry_after: timedelta | None = None
    #: for a fault of proxy or site that may also be the other's: the fault it is then; None when there is no doubt
    doubt: Fault | None = None


Visit = Fetched | NotModified | Redirected | Refused | Failed


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseHead(SentRequest):
    """The headers of a response to a HEAD request."""

    status: int
    #: by their names in lower case
    headers: Mapping[str, str]
    #: the failure that fetching the page would have had; None when it would have succeeded
    failure: Failed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookie:
    """A cookie to send back to the site that set it."""

    name: str = field(repr=False)
    value: str = field(repr=False)
    #: the hostname it belongs to
    domain: str
    #: the port it belongs to; None means the scheme's default
    port: int | None = None
    #: True is sent to this very hostname only, False also to its subdomains
    is_host_only: bool = True
    path: str = "/"
    #: sent over https only: the site said so, or set it there
    is_secure: bool = False
    expires_at: datetime

    @property
    def identity(self) -> tuple[str, int | None, str, str]:
        """A later cookie with the same identity replaces this one."""
        return self.domain, self.port, self.path, self.name
