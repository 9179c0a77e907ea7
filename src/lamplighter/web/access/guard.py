"""The one guard before every route: who asks, does their role cover it, not too often, and of their own accord?"""

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
from lamplighter.web import metrics_page
from lamplighter.web.access import bodies, forgery
from lamplighter.web.access.client_address import counted_as
from lamplighter.web.access.credentials import Proven, Unproven, is_passed_on, prove
from lamplighter.web.access.declared import Found, RouteTable
from lamplighter.web.access.desk import Desk
from lamplighter.web.access.limits import API_PREFIXES, headers_of, seconds_left
from lamplighter.web.api.problems import answer
from lamplighter.web.api.routes import PUBLIC
from lamplighter.web.rim import App, Receive, Scope, Send

log = telemetry.logger("access")


class _Refused(Exception):
    """The request ends here, with this answer."""

    def __init__(self, response: Response) -> None:
        self.response = response


@dataclass(slots=True, kw_only=True)
class _Passage:
    """A request on its way through the guard."""

    scope: Scope
    receive: Receive
    found: Found
    #: None where nobody needs to prove anything
    proven: Proven | None = None
    #: what the answer says besides, whatever it is
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return str(self.scope["path"])

    def refusal(self, status: int, detail: str, **more: Any) -> _Refused:
        headers = {**self.headers, **more.pop("headers", {})}
        return _Refused(answer(self.scope, status, detail, headers=headers, **more))


class Guard:
    """Refuses whatever is not declared, and whoever may not."""

    def __init__(self, app: App, *, routes: Sequence[BaseRoute], desk: Desk) -> None:
        self._app = app
        self._table = RouteTable(routes)
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request."""
        passage = _Passage(scope=scope, receive=receive, found=self._table.find(scope))
        try:
            await self._check(passage)
        except _Refused as refused:
            log.info("access.refused", path=passage.path, method=scope["method"], status=refused.response.status_code)
            return await refused.response(scope, receive, send)
        except HTTPException as error:
            return await answer(scope, error.status_code, error.detail)(scope, receive, send)
        except (SQLAlchemyError, OSError) as error:
            log.error("access.database_error", path=passage.path, exc_info=error)
            unavailable = answer(scope, 503, "the database cannot say just now who you are; try again")
            return await unavailable(scope, receive, send)
        return await self._app(scope, passage.receive, _sending(send, passage))

    async def _check(self, passage: _Passage) -> None:
        """Who asks, what for, how often, and from where: in this order, so that a stranger learns nothing."""
        if not (_is_public(passage.found) or self._is_opened(passage)):
            passage.proven = await self._proven(passage)
            passage.scope["caller"] = passage.proven.caller
        self._check_route(passage)
        self._check_limit(passage)
        await self._check_sender(passage)
        self._check_media_type(passage)

    def _is_opened(self, passage: _Passage) -> bool:
        """Whether the operator lets everybody have this who reaches the port itself, not through a proxy for all."""
        if passage.path != metrics_page.PATH or passage.found.declared is None:
            return False
        return self._desk.view.settings.metrics_public and not is_passed_on(Headers(scope=passage.scope))

    async def _proven(self, passage: _Passage) -> Proven:
        try:
            return await prove(passage.scope, self._desk)
        except Unproven as unproven:
            response = _say_who_you_are(passage, unproven)
            if unproven.by == "session":
                self._desk.sessions.drop(response)
            raise _Refused(response) from None

    def _check_route(self, passage: _Passage) -> None:
        declared = passage.found.declared
        if declared is None:
            if not passage.found.others:
                raise passage.refusal(404, f"there is nothing at {passage.path}")
            allowed = ", ".join(passage.found.methods)
            detail = f"{passage.scope['method']} is not possible here; {allowed} is"
            raise passage.refusal(405, detail, headers={"Allow": allowed})
        if declared.role is None:
            raise passage.refusal(403, "this route does not say who may use it, so nobody may")
        if passage.proven is None:
            return
        role = passage.proven.caller.role
        if not role.covers(Role(declared.role)):
            raise passage.refusal(403, f"this takes the role {declared.role}; yours is {role}")

    def _check_limit(self, passage: _Passage) -> None:
        desk, proven = self._desk, passage.proven
        caller = proven.caller.name if proven else f"address:{counted_as(desk.address_of(passage.scope))}"
        now = desk.view.clock.now()
        standing = desk.calls.take(passage.path, caller, now=now)
        if standing is None:
            return
        passage.headers = headers_of(standing)
        if not standing.is_within:
            wait = seconds_left(standing, now=now)
            detail = f"{standing.limit} calls an hour are allowed; ask again in {wait} s"
            raise passage.refusal(429, detail, headers={"Retry-After": str(wait)})

    async def _check_sender(self, passage: _Passage) -> None:
        proven, scope = passage.proven, passage.scope
        if proven is None or not proven.is_ambient:
            return
        token = self._desk.sessions.form_token(proven.session) if proven.session else ""
        forgery.remember(scope, token)
        if scope["method"] in forgery.SAFE_METHODS:
            return
        is_page = not passage.path.startswith(API_PREFIXES)
        foreign = forgery.foreign_sender(
            Headers(scope=scope), self._desk.view.settings, scheme=scope["scheme"], must_say=is_page
        )
        if foreign is not None:
            raise passage.refusal(403, f"refused, for {foreign}", code="foreign_sender")
        if proven.session is not None and not await self._has_token(passage, proven.session):
            detail = "the session's token is missing or another's; reload the page, or send it as X-CSRF-Token"
            raise passage.refusal(403, detail, code="csrf_token")

    async def _has_token(self, passage: _Passage, session: str) -> bool:
        given = Headers(scope=passage.scope).get(forgery.HEADER)
        if given is None:
            given, passage.receive = await bodies.form_field(passage.scope, passage.receive, forgery.FIELD)
        return given is not None and self._desk.sessions.is_form_token(given, session)

    def _check_media_type(self, passage: _Passage) -> None:
        headers, declared = Headers(scope=passage.scope), passage.found.declared
        if declared is not None and declared.expects_json and bodies.has_body(headers) and not bodies.is_json(headers):
            raise passage.refusal(415, "send the body as JSON, with Content-Type: application/json")


def _is_public(found: Found) -> bool:
    """Whether everybody may know what there is: it is public, or something public stands at the same path."""
    if found.declared is not None:
        return found.declared.role == PUBLIC
    return any(other.role == PUBLIC for other in found.others)


def _say_who_you_are(passage: _Passage, unproven: Unproven) -> Response:
    """401 for programs, the login page for people."""
    scope = passage.scope
    is_page = scope["method"] == "GET" and not passage.path.startswith("/api/")
    if is_page and "text/html" in Headers(scope=scope).get("accept", ""):
        query = scope["query_string"].decode("latin-1")
        wanted = f"{passage.path}?{query}" if query else passage.path
        return RedirectResponse(f"/login?{urlencode({'next': wanted})}", status_code=303)
    challenge = 'Bearer realm="lamplighter"' + ("" if unproven.by == "nothing" else ', error="invalid_token"')
    return answer(scope, 401, str(unproven), headers={"WWW-Authenticate": challenge})


def _sending(send: Send, passage: _Passage) -> Send:
    async def send_with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(passage.headers)
            if passage.proven is not None:
                # What somebody had to prove themselves for is kept by nobody on the way.
                headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return send_with_headers
