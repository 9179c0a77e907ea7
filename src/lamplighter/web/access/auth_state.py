"""State that the route guard and the login page share: keys, sessions and rate limits."""

import asyncio

from starlette.datastructures import Headers

from lamplighter.web.access.client_address import client_address, parse_proxies
from lamplighter.web.access.limits import LOGIN_SPAN, CallLimits, Limiter
from lamplighter.web.access.sessions import Sessions, keys_of
from lamplighter.web.security_headers import Scope
from lamplighter.web.view import ServiceView

#: each hash takes 64 MiB while it is computed
_HASHED_AT_ONCE = 2


class AuthState:
    """Keys, sessions and limits of one web process."""

    def __init__(self, view: ServiceView) -> None:
        settings = view.settings
        self.view = view
        self.keys = keys_of(settings)
        self.sessions = Sessions(self.keys, settings)
        self.calls = CallLimits(settings)
        self.logins_by_address = Limiter(settings.login_attempts, LOGIN_SPAN)
        self.logins_by_name = Limiter(settings.login_attempts, LOGIN_SPAN)
        self.hashing = asyncio.Semaphore(_HASHED_AT_ONCE)
        self._proxies = parse_proxies(settings.trusted_proxies)

    def address_of(self, scope: Scope) -> str:
        """The client's address."""
        return client_address(scope, Headers(scope=scope), self._proxies)
