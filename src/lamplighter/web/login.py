"""Logging in and out, for people with a browser."""

import asyncio
import secrets
from collections.abc import Mapping
from typing import Annotated, cast

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData

from lamplighter.operations import logins, passwords
from lamplighter.operations import users as operations_users
from lamplighter.store import users
from lamplighter.web.access import forgery
from lamplighter.web.access.client_address import counted_as
from lamplighter.web.access.desk import Desk
from lamplighter.web.access.limits import seconds_left
from lamplighter.web.access.sessions import LOGIN_COOKIE
from lamplighter.web.api.routes import PUBLIC, Routes
from lamplighter.web.api.values import readable
from lamplighter.web.look import theme_of
from lamplighter.web.paths import local_path
from lamplighter.web.rendering import page
from lamplighter.web.view import Asking, View

ROUTES = Routes("", tag="login")
#: Everybody may send this form, and nothing else is done while it is taken apart: it is no larger than it must be for a
#: password in any letters, each written with its number.
_SMALL: Mapping[str, int] = {"max_files": 0, "max_fields": 10, "max_part_size": 32 * 1024}
_WRONG = "Name or password is wrong."
_TOO_OLD = "This page was too old; try once more."


def _desk_of(request: Request) -> Desk:
    return cast(Desk, request.app.state.desk)


AtDesk = Annotated[Desk, Depends(_desk_of)]


@ROUTES.get("/login", role=PUBLIC, include_in_schema=False)
async def login_page(request: Request, desk: AtDesk) -> Response:
    """The form."""
    return _form(request, desk, wanted=local_path(request.query_params.get("next")))


@ROUTES.post("/login", role=PUBLIC, include_in_schema=False)
async def log_in(request: Request, desk: AtDesk) -> Response:
    """Opens a session, or says that it does not, and never which of the two was wrong."""
    async with request.form(**_SMALL) as form:
        name = readable(_field(form, "name")).strip().lower()[:100]
        wanted, password = local_path(_field(form, "next")), _field(form, "password")
        token = _field(form, forgery.FIELD)
    if not _is_own(request, desk, token):
        return _form(request, desk, wanted=wanted, name=name, trouble=_TOO_OLD, status=403)
    address = desk.address_of(request.scope)
    wait = await _wait_for(desk, name, address=address)
    if wait is not None:
        trouble = f"Too many failed logins; try again in {-(-wait // 60)} min."
        answer = _form(request, desk, wanted=wanted, name=name, trouble=trouble, status=429)
        answer.headers["Retry-After"] = str(wait)
        return answer
    cookie = await _opened(desk, name, password, address=address)
    if cookie is None:
        return _form(request, desk, wanted=wanted, name=name, trouble=_WRONG, status=401)
    answer = RedirectResponse(wanted, status_code=303)
    desk.sessions.put(answer, cookie)
    return answer


@ROUTES.post("/logout", role="viewer", include_in_schema=False)
async def log_out(request: Request, view: View, caller: Asking, desk: AtDesk) -> Response:
    """Ends this session, or with the field `everywhere` all of the user's."""
    async with request.form(**_SMALL) as form:
        is_everywhere = bool(_field(form, "everywhere"))
    kind, _, name = caller.name.partition(":")
    if is_everywhere and kind == "user":
        now = view.clock.now()
        await view.db.write(lambda db: operations_users.log_out_everywhere(db, name, actor=caller.name, now=now))
    answer = RedirectResponse("/login", status_code=303)
    desk.sessions.drop(answer)
    return answer


def _form(
    request: Request, desk: Desk, *, wanted: str, name: str = "", trouble: str | None = None, status: int = 200
) -> Response:
    number = secrets.token_urlsafe(16)
    answer = page(
        "login.html",
        status=status,
        next=wanted,
        name=name,
        trouble=trouble,
        csrf_token=desk.sessions.form_token(number),
        is_dev=desk.view.settings.is_dev,
        theme=theme_of(request.cookies),
    )
    desk.sessions.put_login(answer, number)
    return answer


def _field(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def _is_own(request: Request, desk: Desk, token: str) -> bool:
    """Whether the form is one that we showed to this browser."""
    settings, scheme = desk.view.settings, request.scope["scheme"]
    if forgery.foreign_sender(request.headers, settings, scheme=scheme, must_say=True) is not None:
        return False
    number = request.cookies.get(LOGIN_COOKIE, "")
    return bool(number) and desk.sessions.is_form_token(token, number)


async def _wait_for(desk: Desk, name: str, *, address: str) -> int | None:
    """Counts a try; after how many seconds it may be made, None for at once."""
    now = desk.view.clock.now()
    standing = desk.logins_by_address.take(counted_as(address), now=now)
    is_shut_out_here = not standing.is_within
    if not is_shut_out_here:
        # An address that is shut out already shuts out nobody else's name.
        standing = desk.logins_by_name.take(name, now=now)
    if standing.is_within:
        return None
    if standing.is_first_beyond:
        await desk.view.db.write(lambda db: logins.limited(db, name, address=address, now=now))
    if not is_shut_out_here and await _is_usual(desk, name, address=address):
        return None
    return seconds_left(standing, now=now)


async def _is_usual(desk: Desk, name: str, *, address: str) -> bool:
    """Whether the user logged in from here lately: strangers elsewhere who try their name do not shut them out."""
    async with desk.view.db.read() as db:
        usual = await logins.usual_addresses(db, name, now=desk.view.clock.now())
    return counted_as(address) in {counted_as(each) for each in usual}


async def _opened(desk: Desk, name: str, password: str, *, address: str) -> str | None:
    """The cookie of a new session; None when name or password is wrong."""
    now = desk.view.clock.now()
    async with desk.view.db.read() as db:
        stored = await users.password_hash(db, name)
    async with desk.hashing:
        is_right = await asyncio.to_thread(passwords.is_right, password, stored)
    epoch = None
    if is_right and stored is not None:
        epoch = await desk.view.db.write(
            lambda db: logins.succeeded(db, name, password_hash=stored, address=address, now=now)
        )
    if epoch is None:
        await desk.view.db.write(lambda db: logins.failed(db, name, address=address, now=now))
        return None
    # Only failures count.
    desk.logins_by_address.give_back(counted_as(address))
    desk.logins_by_name.give_back(name)
    return desk.sessions.issue(name, epoch=epoch, now=now)
