"""Who asks? By a JWT, an API token, a session, or by being on the developer's own machine."""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal

import jwt
from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from lamplighter.model.access import Caller, Role
from lamplighter.operations import api_tokens
from lamplighter.store import users
from lamplighter.web.access.desk import Desk
from lamplighter.web.access.sessions import COOKIE
from lamplighter.web.names import is_own_name
from lamplighter.web.rim import Scope

#: what a JWT may do that says nothing of it
DEFAULT_ROLE = Role.OPERATOR
#: whom a JWT speaks for that does not say
_NOBODY = "unnamed"
_LEEWAY_SECONDS = 10
_LONGEST_NAME = 100
#: who sends one of these speaks for somebody else
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


class Unproven(Exception):
    """Nobody is known by what was sent; the message says what would work."""

    def __init__(self, message: str, *, by: Literal["nothing", "bearer", "session"] = "bearer") -> None:
        super().__init__(message)
        #: what was sent to prove it
        self.by = by


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """Somebody, and how they proved it."""

    caller: Caller
    #: whether a browser adds the proof by itself, to whatever page makes it ask
    is_ambient: bool
    #: the session to which forms are bound; None without one
    session: str | None = None


async def prove(scope: Scope, desk: Desk) -> Proven:
    """Who asks; Unproven when that is not known. What is sent must be right, even where nothing would do."""
    headers = Headers(scope=scope)
    given = headers.getlist("authorization")
    if len(given) > 1:
        raise Unproven("send one Authorization header")
    if given:
        return Proven(caller=await _bearer(given[0], desk), is_ambient=False)
    cookie = cookie_parser("; ".join(headers.getlist("cookie"))).get(COOKIE)
    if cookie:
        return await _session(cookie, desk)
    if desk.view.settings.is_dev and is_on_this_machine(scope, headers):
        return Proven(caller=Caller(name="local", role=Role.ADMIN), is_ambient=True)
    raise Unproven("send Authorization: Bearer with a token, or log in at /login", by="nothing")


def is_on_this_machine(scope: Scope, headers: Headers) -> bool:
    """Whether a request was made here, for here, and not on behalf of somebody behind a proxy."""
    try:
        is_near = ip_address(str((scope.get("client") or ("", 0))[0])).is_loopback
    except ValueError:
        return False
    return is_near and is_own_name(headers.get("host", "")) and not is_passed_on(headers)


def is_passed_on(headers: Headers) -> bool:
    """Whether a proxy says that it speaks for somebody else."""
    return any(name in headers for name in _FORWARDED)


async def _bearer(authorization: str, desk: Desk) -> Caller:
    scheme, _, text = authorization.partition(" ")
    if scheme.lower() != "bearer" or not text:
        raise Unproven("Authorization is understood in the form: Bearer TOKEN")
    if text.startswith(api_tokens.MARK):
        return await _token(text, desk)
    return _jwt(text, desk.keys.bearer)


async def _token(text: str, desk: Desk) -> Caller:
    now = desk.view.clock.now()
    async with desk.view.db.read() as db:
        token = await api_tokens.holder_of(db, text)
    if token is None or not token.is_good(now):
        raise Unproven("this token is unknown, expired or revoked; make one with: lamplighter token create")
    if api_tokens.is_use_to_note(token, now=now):
        await desk.view.db.write(lambda db: api_tokens.note_use(db, token, now=now))
    return Caller(name=f"token:{token.name}", role=token.role)


def _jwt(text: str, key: str | None) -> Caller:
    if key is None:
        raise Unproven("JWTs are not taken here: LAMPLIGHTER_AUTH_JWT_SECRET is not set")
    try:
        claims = jwt.decode(text, key, algorithms=["HS256"], leeway=_LEEWAY_SECONDS, options={"require": ["exp"]})
    except (jwt.InvalidTokenError, ValueError, TypeError, OverflowError):
        raise Unproven("this JWT does not hold: it needs HS256 under our secret, and an exp to come") from None
    name, role = claims.get("sub", _NOBODY), claims.get("role", DEFAULT_ROLE)
    if not 1 <= len(name) <= _LONGEST_NAME or not name.isprintable():
        raise Unproven(f"sub must be a name of up to {_LONGEST_NAME} printable characters")
    if role not in list(Role):
        raise Unproven("the claim role must be viewer, operator or admin")
    return Caller(name=f"jwt:{name}", role=Role(role))


async def _session(cookie: str, desk: Desk) -> Proven:
    session = desk.sessions.read(cookie)
    if session is not None:
        async with desk.view.db.read() as db:
            user = await users.get(db, session.user)
        if user is not None and user.enabled and user.session_epoch == session.epoch:
            caller = Caller(name=f"user:{user.name}", role=user.role)
            return Proven(caller=caller, is_ambient=True, session=session.number)
    raise Unproven("this session is over; log in again at /login", by="session")
