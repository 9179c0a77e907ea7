"""`/settings/tokens`: what programs prove themselves with. A token is shown once, when it is made."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.access import Role
from lamplighter.operations import api_tokens as operations
from lamplighter.operations.api_tokens import NewToken
from lamplighter.store import api_tokens
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.settings.people import ROLES
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, tabs_for
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_PATH = "/settings/tokens"
_USUAL_DAYS, _MOST_DAYS = 90, 3650


@ROUTES.get(_PATH, role=Role.ADMIN, include_in_schema=False)
async def listed(visit: Visiting) -> Response:
    """All tokens, revoked ones too, and the form for one more."""
    return await _page(visit)


@ROUTES.post(_PATH, role=Role.ADMIN, include_in_schema=False)
async def create(visit: Visiting) -> Response:
    """Makes a token, and shows it on the page that answers: a redirection would have to carry it somewhere."""
    form = await visit.form()
    try:
        new = _made(visit, form)
    except BadInput as error:
        given = {name: form.text(name) for name in ("name", "role", "days")}
        return await _page(visit, status=422, given=given, faults=faults_of(error))
    await visit.view.db.write(lambda db: operations.add(db, new))
    return await _page(visit, new=new)


@ROUTES.post(f"{_PATH}/{{token_id}}/revoke", role=Role.ADMIN, include_in_schema=False)
async def revoke(token_id: str, visit: Visiting) -> Response:
    """Makes a token void; it stays in the list."""
    known, form = _id(token_id), await visit.form()
    async with visit.view.db.read() as db:
        token = await api_tokens.get(db, str(known))
    if token is None:
        raise _unknown(token_id)
    question = f"Revoke the token {token.name} ({token.prefix}…)? Whoever uses it is refused at once, for good."
    asked = visit.confirm(form, question, label="Revoke", back=_PATH)
    if asked is not None:
        return asked
    await visit.view.db.write(lambda db: operations.revoke(db, known, actor=visit.caller.name, now=visit.now))
    return visit.done(f"The token {token.name} is revoked.", to=_PATH)


async def _page(visit: Visit, *, status: int = 200, new: NewToken | None = None, **shown: Any) -> Response:
    offset = offset_of(visit)
    async with visit.view.db.read() as db:
        found = await api_tokens.listed(db, limit=LIMIT, offset=offset)
        total = await api_tokens.count(db)
    usual = {"name": "", "role": Role.VIEWER, "days": str(_USUAL_DAYS)}
    return visit.page(
        "settings/tokens.html",
        status=status,
        tabs=tabs_for(visit),
        tokens=found,
        roles=ROLES,
        new=new,
        total=total,
        offset=offset,
        limit=LIMIT,
        **{"given": usual, "faults": {}, **shown},
    )


def _made(visit: Visit, form: Form) -> NewToken:
    role, days = form.text("role"), form.whole_number("days")
    if role not in list(Role):
        raise BadInput(f"{role[:50]!r} is no role; use {', '.join(Role)}", field="role")
    if days is not None and not 1 <= days <= _MOST_DAYS:
        raise BadInput(f"{days} is out of range; use 1 to {_MOST_DAYS}, or nothing for ever", field="days")
    lasts = timedelta(days=days) if days is not None else None
    return operations.make(form.text("name"), role=Role(role), actor=visit.caller.name, now=visit.now, lasts=lasts)


def _id(token_id: str) -> UUID:
    try:
        return UUID(token_id)
    except ValueError:
        raise _unknown(token_id) from None


def _unknown(token_id: str) -> NotFound:
    return NotFound(f"there is no token {token_id[:50]!r}; the list shows those that there are", code="token_not_found")
