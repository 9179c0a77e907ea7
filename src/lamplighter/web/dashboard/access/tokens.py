"""`/settings/tokens`: API tokens; a token is shown only once, when it is created."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.access import Role
from lamplighter.operations.access import api_tokens as operations
from lamplighter.operations.access.api_tokens import NewToken
from lamplighter.store.access import api_tokens
from lamplighter.web.dashboard.access.people import ROLES, role_of
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, settings_list
from lamplighter.web.routes import Pages

ROUTES = Pages()
_PATH = "/settings/tokens"
_USUAL_DAYS, _MOST_DAYS = 90, 3650


@ROUTES.get(_PATH, role=Role.ADMIN)
async def listed(request: ThisRequest) -> Response:
    """All tokens including revoked ones, and the form for a new one."""
    return await _page(request)


@ROUTES.post(_PATH, role=Role.ADMIN)
async def create(request: ThisRequest) -> Response:
    """Creates a token and shows it in this response: a redirect would have to carry it somewhere."""
    form = await request.form()
    try:
        new = _made(request, form)
    except BadInput as error:
        given = {name: form.text(name) for name in ("name", "role", "days")}
        return await _page(request, given=given, faults=faults_of(error))
    await request.write(lambda db: operations.add(db, new))
    return await _page(request, new=new)


@ROUTES.post(f"{_PATH}/{{token_id}}/revoke", role=Role.ADMIN)
async def revoke(token_id: str, request: ThisRequest) -> Response:
    """Revokes a token; it stays in the list."""
    known, form = _id(token_id), await request.form()
    token = await request.read(lambda db: api_tokens.get(db, str(known)))
    if token is None:
        raise _unknown(token_id)
    question = f"Revoke the token {token.name} ({token.prefix}…)? Programs that use it are refused at once, for good."
    request.confirm(form, question, label="Revoke", back=_PATH)
    await request.write(lambda db: operations.revoke(db, known, stamp=request.stamp))
    return request.done(f"The token {token.name} was revoked.", to=_PATH)


async def _page(request: PageRequest, **shown: Any) -> Response:
    offset = offset_of(request)
    async with request.view.db.read() as db:
        found = await api_tokens.listed(db, limit=LIMIT, offset=offset)
        total = await api_tokens.count(db)
    usual = {"name": "", "role": Role.VIEWER, "days": str(_USUAL_DAYS)}
    shown = {"given": usual, "new": None} | shown
    return settings_list(request, "access/tokens.html", tokens=found, roles=ROLES, total=total, **shown)


def _made(request: PageRequest, form: SubmittedForm) -> NewToken:
    days, role = form.whole_number("days"), role_of(form)
    if days is not None and not 1 <= days <= _MOST_DAYS:
        raise BadInput(f"{days} is out of range; use 1 to {_MOST_DAYS}, or leave it empty for no expiry", field="days")
    lasts = timedelta(days=days) if days is not None else None
    return operations.make(form.text("name"), role=role, stamp=request.stamp, lasts=lasts)


def _id(token_id: str) -> UUID:
    try:
        return UUID(token_id)
    except ValueError:
        raise _unknown(token_id) from None


def _unknown(token_id: str) -> NotFound:
    return NotFound(f"there is no token {token_id[:50]!r}; the list shows all tokens", code="token_not_found")
