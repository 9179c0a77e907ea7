"""`/settings/secrets`: what recipes name; values go in and never come out."""

from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.access import Role
from lamplighter.operations import secrets as operations
from lamplighter.store import secrets
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, tabs_for
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_PATH = "/settings/secrets"


@ROUTES.get(_PATH, role=Role.ADMIN, include_in_schema=False)
async def listed(visit: Visiting) -> Response:
    """Their names, and the form for one more."""
    return await _page(visit, name=visit.request.query_params.get("name", "")[:100])


@ROUTES.post(_PATH, role=Role.ADMIN, include_in_schema=False)
async def put(visit: Visiting) -> Response:
    """Keeps a secret, in place of one of the same name."""
    form, view = await visit.form(), visit.view
    try:
        name = operations.plain_name(form.text("name"))
        sealed = operations.seal(view.vault, form.as_typed("value"))
    except BadInput as error:
        # What was typed as the value stays out of the page: nobody is shown a secret, not even a wrong one.
        return await _page(visit, status=422, name=form.text("name"), faults=faults_of(error))
    await view.db.write(lambda db: operations.put(db, name, sealed, actor=visit.caller.name, now=visit.now))
    await view.secrets.refresh()
    return visit.done(f"{name} is kept; recipes send it as {{secret:{name}}}.", to=_PATH)


@ROUTES.post(f"{_PATH}/remove", role=Role.ADMIN, include_in_schema=False)
async def remove(visit: Visiting) -> Response:
    """Forgets a secret."""
    form = await visit.form()
    name = form.text("name")
    async with visit.view.db.read() as db:
        if await secrets.get(db, name) is None:
            raise NotFound(f"there is no stored secret {name[:100]!r}")
    question = f"Forget the secret {name}? Sources whose recipes name it will fail until it is set again."
    asked = visit.confirm(form, question, label="Forget it", back=_PATH)
    if asked is not None:
        return asked
    await visit.view.db.write(lambda db: operations.remove(db, name, actor=visit.caller.name, now=visit.now))
    await visit.view.secrets.refresh()
    return visit.done(f"{name} is forgotten.", to=_PATH)


async def _page(visit: Visit, *, name: str, status: int = 200, faults: Any = None) -> Response:
    offset = offset_of(visit)
    async with visit.view.db.read() as db:
        known = await secrets.listed(db, limit=LIMIT, offset=offset)
        total = await secrets.count(db)
    return visit.page(
        "settings/secrets.html",
        status=status,
        tabs=tabs_for(visit),
        known=[(each, _trouble(visit, each.name)) for each in known],
        from_environment=sorted(visit.view.settings.secrets),
        name=name,
        faults=faults or {},
        total=total,
        offset=offset,
        limit=LIMIT,
    )


def _trouble(visit: Visit, name: str) -> str | None:
    """Why a secret cannot be used, None when it can."""
    try:
        visit.view.secrets[name]
    except BadInput as error:
        return str(error)
    except KeyError:
        return "Other processes read it within the minute."
    return None
