"""The guard before every route: checks credentials, role, rate limit, origin and media type."""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from lamplighter import telemetry
from lamplighter.model.access import Role
from lamplighter.web.access import bodies, forgery
from lamplighter.web.access.auth_state import AuthState
from lamplighter.web.access.client_address import counted_as
from lamplighter.web.access.credentials import ProvenCaller, UnprovenCaller, prove
from lamplighter.web.access.declared_routes import PUBLIC, MatchedRoute, RouteTable
from lamplighter.web.access.dev_mode import forwarding_header
from lamplighter.web.access.limits import API_PREFIXES, headers_of, seconds_left
from lamplighter.web.monitoring import metrics_page
from lamplighter.web.problems import answer
from lamplighter.web.security_headers import App, Receive, Scope, Send

log = telemetry.logger("access")


class _Refused(Exception):
    """Ends the request with this response."""

    def __init__(self, response: Response) -> None:
        self.response = response


@dataclass(slots=True, kw_only=True)
class _Route:
    """A request that the guard is checking."""

    scope: Scope
    receive: Receive
    found: MatchedRoute
    #: None on routes that need no credentials
    proven: ProvenCaller | None = None
    #: headers for the response, whatever its status
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return str(self.scope["path"])

    @property
    def is_feed(self) -> bool:
        return self.found.declared is not None and self.found.declared.is_feed

    def refusal(self, status: int, detail: str, **more: Any) -> _Refused:
        headers = {**self.headers, **more.pop("headers", {})}
        return _Refused(answer(self.scope, status, detail, headers=headers, **more))


class RouteGuard:
    """Refuses undeclared routes and callers below the role."""

    def __init__(self, app: App, *, routes: Sequence[BaseRoute], auth: AuthState) -> None:
        self._app = app
        self._table = RouteTable(routes)
        self._auth = auth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request."""
        route = _Route(scope=scope, receive=receive, found=self._table.find(scope))
        try:
            await self._check(route)
        except _Refused as refused:
            log.info("access.refused", path=route.path, method=scope["method"], status=refused.response.status_code)
            return await refused.response(scope, receive, send)
        except HTTPException as error:
            return await answer(scope, error.status_code, error.detail)(scope, receive, send)
        except (SQLAlchemyError, OSError) as error:
            log.error("access.database_error", path=route.path, exc_info=error)
            unavailable = answer(scope, 503, "the database cannot say just now who you are; try again")
            return await unavailable(scope, receive, send)
        return await self._app(scope, route.receive, _sending(send, route))

    async def _check(self, route: _Route) -> None:
        """Checks credentials, route, rate limit and origin in this order: unknown callers learn nothing."""
        if not (_is_public(route.found) or self._is_opened(route)):
            route.proven = await self._proven(route)
            route.scope["caller"] = route.proven.caller
        self._check_route(route)
        self._check_limit(route)
        await self._check_sender(route)
        self._check_media_type(route)

    def _is_opened(self, route: _Route) -> bool:
        """Whether the operator made the metrics public; requests through a proxy still need credentials."""
        if route.path != metrics_page.PATH or route.found.declared is None:
            return False
        return self._auth.view.settings.metrics_public and forwarding_header(Headers(scope=route.scope)) is None

    async def _proven(self, route: _Route) -> ProvenCaller:
        try:
            return await prove(route.scope, self._auth, is_feed=route.is_feed)
        except UnprovenCaller as unproven:
            response = _say_who_you_are(route, unproven)
            if unproven.by == "session":
                self._auth.sessions.drop(response)
            raise _Refused(response) from None

    def _check_route(self, route: _Route) -> None:
        declared = route.found.declared
        if declared is None:
            if not route.found.others:
                raise route.refusal(404, f"there is nothing at {route.path}")
            allowed = ", ".join(route.found.methods)
            detail = f"{route.scope['method']} is not possible here; {allowed} is"
            raise route.refusal(405, detail, headers={"Allow": allowed})
        if declared.role is None:
            raise route.refusal(403, "this route does not say who may use it, so nobody may")
        if route.proven is None:
            return
        role = route.proven.caller.role
        if not role.covers(Role(declared.role)):
            raise route.refusal(403, f"this takes the role {declared.role}; yours is {role}")

    def _check_limit(self, route: _Route) -> None:
        auth, proven = self._auth, route.proven
        caller = proven.caller.name if proven else f"address:{counted_as(auth.address_of(route.scope))}"
        now = auth.view.clock.now()
        rate = auth.calls.take(route.path, caller, now=now)
        if rate is None:
            return
        route.headers = headers_of(rate)
        if not rate.is_within:
            wait = seconds_left(rate, now=now)
            detail = f"{rate.limit} calls an hour are allowed; ask again in {wait} s"
            raise route.refusal(429, detail, headers={"Retry-After": str(wait)})

    async def _check_sender(self, route: _Route) -> None:
        proven, scope = route.proven, route.scope
        if proven is None or not proven.is_ambient:
            return
        token = self._auth.sessions.form_token(proven.session) if proven.session else ""
        forgery.remember(scope, token)
        if scope["method"] in forgery.SAFE_METHODS:
            return
        is_page = not route.path.startswith(API_PREFIXES)
        foreign = forgery.foreign_sender(
            Headers(scope=scope), self._auth.view.settings, scheme=scope["scheme"], must_say=is_page
        )
        if foreign is not None:
            raise route.refusal(403, f"refused, for {foreign}", code="foreign_sender")
        if proven.session is not None and not await self._has_token(route, proven.session):
            detail = "the session's token is missing or another's; reload the page, or send it as X-CSRF-Token"
            raise route.refusal(403, detail, code="csrf_token")

    async def _has_token(self, route: _Route, session: str) -> bool:
        given = Headers(scope=route.scope).get(forgery.HEADER)
        if given is None:
            given, route.receive = await bodies.form_field(route.scope, route.receive, forgery.FIELD)
        return given is not None and self._auth.sessions.is_form_token(given, session)

    def _check_media_type(self, route: _Route) -> None:
        headers, declared = Headers(scope=route.scope), route.found.declared
        if declared is not None and declared.expects_json and bodies.has_body(headers) and not bodies.is_json(headers):
            raise route.refusal(415, "send the body as JSON, with Content-Type: application/json")


def _is_public(found: MatchedRoute) -> bool:
    """Whether the route is public, or another method of its path is."""
    if found.declared is not None:
        return found.declared.role == PUBLIC
    return any(other.role == PUBLIC for other in found.others)


def _say_who_you_are(route: _Route, unproven: UnprovenCaller) -> Response:
    """401 for programs, the login page for people."""
    scope = route.scope
    is_page = scope["method"] == "GET" and not route.path.startswith("/api/")
    if is_page and "text/html" in Headers(scope=scope).get("accept", ""):
        query = scope["query_string"].decode("latin-1")
        wanted = f"{route.path}?{query}" if query else route.path
        return RedirectResponse(f"/login?{urlencode({'next': wanted})}", status_code=303)
    return answer(scope, 401, str(unproven), headers={"WWW-Authenticate": _challenge(route, unproven)})


def _challenge(route: _Route, unproven: UnprovenCaller) -> str:
    """Feed readers are asked for a password; a browser that somebody reads in is not, it would keep it."""
    is_read_by_people = Headers(scope=route.scope).get("sec-fetch-mode") == "navigate"
    if route.is_feed and unproven.by in ("nothing", "basic") and not is_read_by_people:
        return 'Basic realm="lamplighter feeds", charset="UTF-8"'
    return 'Bearer realm="lamplighter"' + ("" if unproven.by == "nothing" else ', error="invalid_token"')


def _sending(send: Send, route: _Route) -> Send:
    async def send_with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(route.headers)
            if route.proven is not None:
                # Caches must not keep what needed credentials.
                headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return send_with_headers
