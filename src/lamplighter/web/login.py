"""Login and logout with a browser session."""

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import Annotated, cast

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData

from lamplighter.operations.access import logins, passwords
from lamplighter.operations.access import users as operations_users
from lamplighter.rules.formats.typed_text import readable
from lamplighter.store.access import sessions, users
from lamplighter.web.access import forgery
from lamplighter.web.access.auth_state import AuthState
from lamplighter.web.access.client_address import counted_as
from lamplighter.web.access.login_limits import LoginTry
from lamplighter.web.access.sessions import BROWSER_COOKIE, COOKIE, LOGIN_COOKIE
from lamplighter.web.paths import local_path
from lamplighter.web.rendering import page, theme_of
from lamplighter.web.routes import PUBLIC, Pages
from lamplighter.web.view import Asking, View

ROUTES = Pages()
#: Every visitor may send this form, and parsing it blocks the event loop: the limit just fits a password whose
#: characters are all encoded as numbers.
_SMALL: Mapping[str, int] = {"max_files": 0, "max_fields": 10, "max_part_size": 32 * 1024}
_WRONG = "Wrong name or password."
_TOO_OLD = "This form has expired; try again."


def _auth_of(request: Request) -> AuthState:
    return cast(AuthState, request.app.state.auth)


Auth = Annotated[AuthState, Depends(_auth_of)]


@ROUTES.get("/login", role=PUBLIC)
async def login_page(request: Request, auth: Auth) -> Response:
    """The login form."""
    return _form(request, auth, wanted=local_path(request.query_params.get("next")))


@ROUTES.post("/login", role=PUBLIC)
async def log_in(request: Request, auth: Auth) -> Response:
    """Opens a session, or refuses without saying whether the name or the password was wrong."""
    async with request.form(**_SMALL) as form:
        name = readable(_field(form, "name")).strip().lower()[:100]
        wanted, password = local_path(_field(form, "next")), _field(form, "password")
        token = _field(form, forgery.FIELD)
    if not _is_own(request, auth, token):
        return _form(request, auth, wanted=wanted, name=name, trouble=_TOO_OLD, status=403)
    browser = auth.sessions.browser_of(request.cookies.get(BROWSER_COOKIE, ""), name)
    tried = await _tried(auth, LoginTry(name=name, address=auth.address_of(request.scope), browser=browser))
    wait = await _wait_for(auth, tried)
    if wait is not None:
        trouble = f"Too many failed logins; try again in {f'{wait} s' if wait < 60 else f'{-(-wait // 60)} min'}."
        answer = _form(request, auth, wanted=wanted, name=name, trouble=trouble, status=429)
        answer.headers["Retry-After"] = str(wait)
        return answer
    cookie = await _opened(auth, tried, password)
    if cookie is None:
        return _form(request, auth, wanted=wanted, name=name, trouble=_WRONG, status=401)
    answer = RedirectResponse(wanted, status_code=303)
    auth.sessions.put_browser(answer, name, now=auth.view.clock.now())
    auth.sessions.put(answer, cookie)
    return answer


@ROUTES.post("/logout", role="viewer")
async def log_out(request: Request, view: View, caller: Asking, auth: Auth) -> Response:
    """Ends this session, or with the field `everywhere` all sessions of the user, wherever their cookies are."""
    async with request.form(**_SMALL) as form:
        is_everywhere = bool(_field(form, "everywhere"))
    kind, _, name = caller.name.partition(":")
    session = auth.sessions.read(request.cookies.get(COOKIE, ""))
    if is_everywhere and kind == "user":
        await view.db.write(lambda db: operations_users.log_out_everywhere(db, name, stamp=view.stamp(caller)))
    elif session is not None:
        now = view.clock.now()
        await view.db.write(lambda db: sessions.end(db, session.number, until=session.ends_at, now=now))
    answer = RedirectResponse("/login", status_code=303)
    auth.sessions.drop(answer)
    return answer


def _form(
    request: Request, auth: AuthState, *, wanted: str, name: str = "", trouble: str | None = None, status: int = 200
) -> Response:
    number = secrets.token_urlsafe(16)
    answer = page(
        "login.html",
        status=status,
        next=wanted,
        name=name,
        trouble=trouble,
        csrf_token=auth.sessions.form_token(number),
        is_open=auth.dev_mode.is_on,
        refusal=auth.dev_mode.refusal,
        theme=theme_of(request.cookies),
    )
    auth.sessions.put_login(answer, number)
    return answer


def _field(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def _is_own(request: Request, auth: AuthState, token: str) -> bool:
    """Whether the CSRF token belongs to this browser."""
    settings, scheme = auth.view.settings, request.scope["scheme"]
    if forgery.foreign_sender(request.headers, settings, scheme=scheme, must_say=True) is not None:
        return False
    number = request.cookies.get(LOGIN_COOKIE, "")
    return bool(number) and auth.sessions.is_form_token(token, number)


async def _tried(auth: AuthState, tried: LoginTry) -> LoginTry:
    """The try, with whether the user logged in from this address lately, if that matters."""
    now = auth.view.clock.now()
    if tried.browser is not None or not auth.logins.is_name_limited(tried.name, now=now):
        return tried
    usual = await auth.view.read(lambda db: logins.usual_addresses(db, tried.name, now=now))
    return replace(tried, is_usual=counted_as(tried.address) in {counted_as(each) for each in usual})


async def _wait_for(auth: AuthState, tried: LoginTry) -> int | None:
    """Counts a login try and returns the seconds to wait before it, None if it may be made now."""
    now = auth.view.clock.now()
    wait = auth.logins.wait(tried, now=now)
    if wait is None:
        # Counted before it is known whether it fails: many may try at once.
        auth.logins.count(tried, now=now)
        return None
    if auth.logins.is_first_refusal(tried, now=now):
        await auth.view.db.write(lambda db: logins.limited(db, tried.name, address=tried.address, now=now))
    return max(1, ceil(wait.total_seconds()))


async def _opened(auth: AuthState, tried: LoginTry, password: str) -> str | None:
    """The cookie of a new session, None if the name or password is wrong."""
    now, name, address = auth.view.clock.now(), tried.name, tried.address
    stored = await auth.view.read(lambda db: users.password_hash(db, name))
    async with auth.hashing:
        is_right = await asyncio.to_thread(passwords.is_right, password, stored)
    epoch = None
    if is_right and stored is not None:
        epoch = await auth.view.db.write(
            lambda db: logins.succeeded(db, name, password_hash=stored, address=address, now=now)
        )
    if epoch is None:
        await auth.view.db.write(lambda db: logins.failed(db, name, address=address, now=now))
        return None
    # Only failures count towards the limit.
    auth.logins.give_back(tried)
    return auth.sessions.issue(name, epoch=epoch, now=now)
