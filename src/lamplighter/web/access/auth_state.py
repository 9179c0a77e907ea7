"""State that the route guard and the login page share: keys, sessions and rate limits."""

import asyncio

from starlette.datastructures import Headers

from lamplighter import telemetry
from lamplighter.web.access.client_address import client_address, is_trusted, parse_proxies
from lamplighter.web.access.dev_mode import DevMode, forwarding_header
from lamplighter.web.access.limits import CallLimits
from lamplighter.web.access.login_limits import LoginLimits
from lamplighter.web.access.sessions import Sessions, keys_of
from lamplighter.web.security_headers import Scope
from lamplighter.web.service_view import ServiceView

log = telemetry.logger("access")
#: each hash takes 64 MiB while it is computed
_HASHED_AT_ONCE = 2


class AuthState:
    """Keys, sessions and limits of one web process."""

    def __init__(self, view: ServiceView) -> None:
        settings = view.settings
        self.view = view
        self.keys = keys_of(settings)
        self.dev_mode = DevMode(settings)
        self.sessions = Sessions(self.keys, settings)
        self.calls = CallLimits(settings)
        self.logins = LoginLimits(settings.login_attempts)
        self.hashing = asyncio.Semaphore(_HASHED_AT_ONCE)
        self._proxies = parse_proxies(settings.trusted_proxies)
        self._is_warned = False

    def address_of(self, scope: Scope) -> str:
        """The client's address."""
        return client_address(scope, Headers(scope=scope), self._proxies)

    def look(self, scope: Scope) -> None:
        """Looks at a request before anything else does: a proxy ends dev mode, an untrusted one is logged once."""
        self.dev_mode.look(scope)
        if self._is_warned:
            return
        header = forwarding_header(Headers(scope=scope))
        if header is not None and not is_trusted(scope, self._proxies):
            self._is_warned = True
            log.warning(
                "access.untrusted_proxy",
                header=header,
                proxy=str((scope.get("client") or ("unknown", 0))[0]),
                remedy="if it is your proxy, name its address in LAMPLIGHTER_TRUSTED_PROXIES",
            )
