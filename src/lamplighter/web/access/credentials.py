"""Authenticates callers by JWT, API token, session or, in development, loopback address."""

import asyncio
from base64 import b64decode
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal

from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers
from starlette.requests import Request, cookie_parser

from lamplighter.model.access import Caller, Role, User
from lamplighter.operations.access import api_tokens
from lamplighter.store.access import sessions, users
from lamplighter.store.engine.database import Connection
from lamplighter.web.access.auth_state import AuthState
from lamplighter.web.access.sessions import COOKIE, Session
from lamplighter.web.security_headers import Scope

#: role of a JWT that names none
DEFAULT_ROLE = Role.VIEWER
#: name of a JWT's caller that has no subject
_NOBODY = "unnamed"
_LEEWAY_SECONDS = 10
#: how long a public route waits for the database to say who asks
_PATIENCE_SECONDS = 1
_LONGEST_NAME = 100


class UnprovenCaller(Exception):
    """Authentication failed; the message says what to send."""

    def __init__(self, message: str, *, by: Literal["nothing", "bearer", "basic", "session"] = "bearer") -> None:
        super().__init__(message)
        #: what the caller sent as proof
        self.by = by


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenCaller:
    """An authenticated caller."""

    caller: Caller
    #: whether a browser sends the proof by itself, whichever site made the request
    is_ambient: bool
    #: the session to which forms are bound; None without one
    session: str | None = None


async def prove(scope: Scope, auth: AuthState, *, is_feed: bool = False) -> ProvenCaller:
    """Authenticates the caller or raises UnprovenCaller; wrong proof fails even where none is needed."""
    headers = Headers(scope=scope)
    given = headers.getlist("authorization")
    if len(given) > 1:
        raise UnprovenCaller("send one Authorization header")
    if given and is_feed and given[0].partition(" ")[0].lower() == "basic":
        # A browser that was asked for it once sends it by itself from then on.
        return ProvenCaller(caller=await _basic(given[0], auth), is_ambient=True)
    if given:
        return ProvenCaller(caller=await _bearer(given[0], auth), is_ambient=False)
    cookie = cookie_parser("; ".join(headers.getlist("cookie"))).get(COOKIE)
    if cookie:
        return await _session(cookie, auth)
    if auth.dev_mode.is_on and _is_from_this_machine(scope):
        return ProvenCaller(caller=Caller(name="local", role=Role.ADMIN), is_ambient=True)
    remedy = "send Authorization: Bearer with a token, or log in at /login"
    raise UnprovenCaller(auth.dev_mode.refusal or remedy, by="nothing")


async def is_known(request: Request) -> bool:
    """Whether the caller of a public route has credentials; False also while the database cannot say so."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await prove(request.scope, request.app.state.auth)
    except (UnprovenCaller, TimeoutError, SQLAlchemyError, OSError):
        return False
    return True


def _is_from_this_machine(scope: Scope) -> bool:
    try:
        return ip_address(str((scope.get("client") or ("", 0))[0])).is_loopback
    except ValueError:
        return False


async def _bearer(authorization: str, auth: AuthState) -> Caller:
    scheme, _, text = authorization.partition(" ")
    if scheme.lower() != "bearer" or not text:
        raise UnprovenCaller("Authorization is understood in the form: Bearer TOKEN")
    if text.startswith(api_tokens.MARK):
        return await _token(text, auth)
    return _jwt(text, auth.keys.bearer)


async def _basic(authorization: str, auth: AuthState) -> Caller:
    """The caller of a feed reader: an API token as the password, whatever the name."""
    try:
        said = b64decode(authorization.partition(" ")[2].strip(), validate=True).decode()
    except ValueError:
        said = ""
    text = said.partition(":")[2]
    if not text.startswith(api_tokens.MARK):
        raise UnprovenCaller("a feed takes an API token as the password, with any name", by="basic")
    try:
        return await _token(text, auth)
    except UnprovenCaller as unproven:
        raise UnprovenCaller(str(unproven), by="basic") from None


async def _token(text: str, auth: AuthState) -> Caller:
    now = auth.view.clock.now()
    token = await auth.view.read(lambda db: api_tokens.holder_of(db, text))
    if token is None or not token.is_good(now):
        raise UnprovenCaller("this token is unknown, expired or revoked; make one with: lamplighter token create")
    if api_tokens.is_use_to_note(token, now=now):
        with suppress(SQLAlchemyError, OSError):  # a full disk keeps nobody from reading
            await auth.view.db.write(lambda db: api_tokens.note_use(db, token, now=now))
    return Caller(name=f"token:{token.name}", role=token.role)


def _jwt(text: str, key: str | None) -> Caller:
    if key is None:
        raise UnprovenCaller("JWTs are not taken here: LAMPLIGHTER_AUTH_JWT_SECRET is not set")
    import jwt  # as in `sessions.py`

    try:
        claims = jwt.decode(text, key, algorithms=["HS256"], leeway=_LEEWAY_SECONDS, options={"require": ["exp"]})
    except (jwt.InvalidTokenError, ValueError, TypeError, OverflowError):
        raise UnprovenCaller("this JWT does not hold: it needs HS256 under our secret, and an exp to come") from None
    name, role = claims.get("sub", _NOBODY), claims.get("role", DEFAULT_ROLE)
    if not 1 <= len(name) <= _LONGEST_NAME or not name.isprintable():
        raise UnprovenCaller(f"sub must be a name of up to {_LONGEST_NAME} printable characters")
    if role not in list(Role):
        raise UnprovenCaller("the claim role must be viewer, operator or admin")
    return Caller(name=f"jwt:{name}", role=Role(role))


async def _user_of(db: Connection, session: Session) -> User | None:
    return None if await sessions.is_ended(db, session.number) else await users.get(db, session.user)


async def _session(cookie: str, auth: AuthState) -> ProvenCaller:
    session = auth.sessions.read(cookie)
    if session is not None:
        user = await auth.view.read(lambda db: _user_of(db, session))
        if user is not None and user.enabled and user.session_epoch == session.epoch:
            caller = Caller(name=f"user:{user.name}", role=user.role)
            return ProvenCaller(caller=caller, is_ambient=True, session=session.number)
    raise UnprovenCaller("this session is over; log in again at /login", by="session")
