"""What the guard and the login page share: the keys, the sessions, and the counts of who asks how often."""

import asyncio

from starlette.datastructures import Headers

from lamplighter.web.access.client_address import client_address, parse_proxies
from lamplighter.web.access.keys import keys_of
from lamplighter.web.access.limits import LOGIN_SPAN, CallLimits, Limiter
from lamplighter.web.access.sessions import Sessions
from lamplighter.web.rim import Scope
from lamplighter.web.view import ServiceView

#: each takes 64 MiB while it works
_HASHED_AT_ONCE = 2


class Desk:
    """Where people and programs prove who they are."""

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
        """From where somebody asks."""
        return client_address(scope, Headers(scope=scope), self._proxies)
