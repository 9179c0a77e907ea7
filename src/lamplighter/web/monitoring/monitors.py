"""Answers monitors: `/health` and `/metrics` alone, without the web framework of dashboard and API.

Loading that framework takes as long as the half of a service, and many services and most workers are only monitored.
"""

from collections.abc import Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import State
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute, Route

from lamplighter.model.access import Role
from lamplighter.web import problems
from lamplighter.web.access.auth_state import AuthState
from lamplighter.web.access.declared_routes import PUBLIC, ROLE_KEY
from lamplighter.web.access.route_guard import RouteGuard
from lamplighter.web.api.streams import Streams
from lamplighter.web.monitoring import health, metrics_page
from lamplighter.web.security_headers import Scope, SecurityHeaders
from lamplighter.web.service_view import ServiceView

#: smaller responses are not compressed
_PACKED_FROM_BYTES = 1000


class MonitorRoute(Route):
    """A route with its role, where the route guard looks for it."""

    def __init__(self, path: str, endpoint: Any, *, methods: Sequence[str], role: str) -> None:
        super().__init__(path, endpoint, methods=methods)
        self.methods = set(methods)  # HEAD only where it is declared
        self.openapi_extra = {ROLE_KEY: role}


ROUTES = (
    MonitorRoute(health.PATH, health.health, methods=("GET", "HEAD"), role=PUBLIC),
    MonitorRoute(metrics_page.PATH, metrics_page.metrics, methods=("GET",), role=Role.VIEWER),
)
_PATHS = frozenset(route.path for route in ROUTES)


def monitors_of(view: ServiceView) -> Starlette:
    """The app that answers the monitors of a service, and nobody else."""
    app = Starlette(routes=ROUTES)
    problems.install(app)
    app.state = state_of(view)
    protect(app, ROUTES)
    return app


def is_for_monitors(scope: Scope) -> bool:
    """Whether such an app can answer the request; it knows no parameters, so it cannot refuse one by its name."""
    return scope.get("path") in _PATHS and not scope.get("query_string")


def state_of(view: ServiceView) -> State:
    """What the requests of a service share."""
    return State({"view": view, "streams": Streams(), "auth": AuthState(view)})


def protect(app: Starlette, routes: Sequence[BaseRoute]) -> None:
    """Adds access control by the roles of these routes, security headers and compression."""
    auth: AuthState = app.state.auth
    app.add_middleware(GZipMiddleware, minimum_size=_PACKED_FROM_BYTES, compresslevel=5)
    app.add_middleware(RouteGuard, routes=routes, auth=auth)
    app.add_middleware(SecurityHeaders, only_loopback_names=auth.view.settings.is_dev, look=auth.look)
