"""Dev mode: whoever is on this machine is admin, until a request shows that a proxy brings others here.

A proxy on this machine makes all its visitors look local. Every sign of one ends dev mode for this process: a
forwarding header, a name or an origin that is not this machine's, or HTTP/1.0, which nginx speaks by default and no
browser does.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers

from lamplighter import telemetry
from lamplighter.settings import Settings
from lamplighter.web.access.host_names import is_loopback, is_own_name
from lamplighter.web.security_headers import Scope

log = telemetry.logger("access")
#: headers by which proxies name themselves or their clients, beside X-Forwarded-*
_OF_PROXIES = frozenset({"forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip"})


class DevMode:
    """Whether users of this machine need no login; decided by the settings and by the requests so far."""

    def __init__(self, settings: Settings) -> None:
        self._is_set = settings.is_dev
        #: what showed that others can reach the service; None while nothing has
        self._seen: str | None = None

    def look(self, scope: Scope) -> None:
        """Looks at a request, before anything else does."""
        if not self._is_set or self._seen is not None:
            return
        self._seen = sign_of_proxy(scope)
        if self._seen is not None:
            log.warning("access.dev_mode_ended", seen=self._seen, remedy=self.refusal)

    @property
    def is_on(self) -> bool:
        """Whether a local request needs no credentials."""
        return self._is_set and self._seen is None

    @property
    def refusal(self) -> str | None:
        """Why local requests need credentials although the settings say dev mode; None if they do not."""
        if not self._is_set or self._seen is None:
            return None
        return (
            f"without a login this service is for its own machine only, but a request came with {self._seen}: others "
            "may reach it. Set LAMPLIGHTER_AUTH_JWT_SECRET, LAMPLIGHTER_PUBLIC_URL and LAMPLIGHTER_TRUSTED_PROXIES "
            "(docs/deploy.md) and start it again; without a proxy, only start it again"
        )


def sign_of_proxy(scope: Scope) -> str | None:
    """What shows that a request did not come straight from a program on this machine; None if nothing does."""
    headers = Headers(scope=scope)
    header = forwarding_header(headers)
    if header is not None:
        return f"the header {header}"
    if scope.get("http_version") == "1.0":
        return "HTTP/1.0, as nginx sends it"
    host = headers.get("host", "")
    if not is_own_name(host):
        return f"the name {host[:100]!r}"
    if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        return (
            None  # a page of another site in a local browser: refused as forgery, and no reason to shut this user out
        )
    for name in ("origin", "referer"):
        sender = headers.get(name)
        if sender is not None and not _is_local(sender):
            return f"the {name} {sender[:100]!r}"
    return None


def forwarding_header(headers: Headers) -> str | None:
    """The first header that a proxy added; None without one."""
    return next((name for name in headers if name in _OF_PROXIES or name.startswith("x-forwarded-")), None)


def _is_local(sender: str) -> bool:
    """Whether an Origin or Referer names this machine, or no name that can be read."""
    try:
        name = urlsplit(sender).hostname
    except ValueError:
        return True
    return name is None or is_loopback(name)
