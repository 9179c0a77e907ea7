"""`/settings/users`: who may log in, and with which role."""

import asyncio
from collections.abc import Mapping
from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput
from lamplighter.model.access import Role, User
from lamplighter.operations import passwords
from lamplighter.operations import users as operations
from lamplighter.store import users
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, tabs_for
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_PATH = "/settings/users"
#: what each may do, for those who choose one
ROLES = (
    (Role.VIEWER, "viewer: looks at everything but secrets"),
    (Role.OPERATOR, "operator: changes what is crawled, when and how"),
    (Role.ADMIN, "admin: says who may do what, removes for good"),
)


@ROUTES.get(_PATH, role=Role.ADMIN, include_in_schema=False)
async def listed(visit: Visiting) -> Response:
    """Everybody who may log in, and the form for one more."""
    return await _page(visit)


@ROUTES.post(_PATH, role=Role.ADMIN, include_in_schema=False)
async def add(visit: Visiting) -> Response:
    """Lets somebody log in."""
    form = await visit.form()
    try:
        name, role = operations.plain_name(form.text("name")), _role(form)
        stored = await _hash(form)
        await visit.view.db.write(
            lambda db: operations.add(db, name, role=role, password_hash=stored, actor=visit.caller.name, now=visit.now)
        )
    except BadInput as error:
        if error.code == "user_exists":
            error.field = "name"
        given = {"name": form.text("name"), "role": form.text("role")}
        return await _page(visit, status=422, given=given, faults=faults_of(error))
    return visit.done(f"{name} may log in as {role}.", to=_PATH)


@ROUTES.post(f"{_PATH}/{{name}}/role", role=Role.ADMIN, include_in_schema=False)
async def set_role(name: Line, visit: Visiting) -> Response:
    """Gives somebody another role; it counts from their next request on."""
    user = await _change(visit, name, role=_role(await visit.form()))
    return visit.done(f"{user.name} is {user.role} now.", to=_PATH)


@ROUTES.get(f"{_PATH}/{{name}}/password", role=Role.ADMIN, include_in_schema=False)
async def password_form(name: Line, visit: Visiting) -> Response:
    """The form for a new password."""
    return _password_page(visit, await _find(visit, name))


@ROUTES.post(f"{_PATH}/{{name}}/password", role=Role.ADMIN, include_in_schema=False)
async def set_password(name: Line, visit: Visiting) -> Response:
    """Sets a new password, which ends every session of the user."""
    user = await _find(visit, name)
    try:
        stored = await _hash(await visit.form())
    except BadInput as error:
        return _password_page(visit, user, status=422, faults=faults_of(error))
    await _change(visit, name, password_hash=stored)
    return visit.done(f"{user.name} has a new password, and was logged out everywhere.", to=_PATH)


@ROUTES.post(f"{_PATH}/{{name}}/enable", role=Role.ADMIN, include_in_schema=False)
async def enable(name: Line, visit: Visiting) -> Response:
    """Lets somebody log in again."""
    user = await _change(visit, name, enabled=True)
    return visit.done(f"{user.name} may log in again.", to=_PATH)


@ROUTES.post(f"{_PATH}/{{name}}/disable", role=Role.ADMIN, include_in_schema=False)
async def disable(name: Line, visit: Visiting) -> Response:
    """Lets somebody log in no longer, for now."""
    user, form = await _find(visit, name), await visit.form()
    question = f"Let {user.name} log in no longer? Their sessions end at once; enabling undoes it."
    asked = visit.confirm(form, question, label="Disable", back=_PATH)
    if asked is not None:
        return asked
    await _change(visit, name, enabled=False)
    return visit.done(f"{user.name} may no longer log in.", to=_PATH)


@ROUTES.post(f"{_PATH}/{{name}}/log-out", role=Role.ADMIN, include_in_schema=False)
async def log_out(name: Line, visit: Visiting) -> Response:
    """Ends every session of somebody, who may log in again."""
    actor, now = visit.caller.name, visit.now
    await visit.view.db.write(lambda db: operations.log_out_everywhere(db, name, actor=actor, now=now))
    return visit.done(f"{name} was logged out everywhere.", to=_PATH)


@ROUTES.post(f"{_PATH}/{{name}}/remove", role=Role.ADMIN, include_in_schema=False)
async def remove(name: Line, visit: Visiting) -> Response:
    """Takes somebody's access away for good."""
    user, form = await _find(visit, name), await visit.form()
    question = f"Remove {user.name} for good? What they did stays in the audit log."
    asked = visit.confirm(form, question, label="Remove", back=_PATH)
    if asked is not None:
        return asked
    actor, now = visit.caller.name, visit.now
    await visit.view.db.write(lambda db: operations.remove(db, name, actor=actor, now=now))
    return visit.done(f"{user.name} is removed.", to=_PATH)


async def _page(visit: Visit, *, status: int = 200, **shown: Any) -> Response:
    offset = offset_of(visit)
    async with visit.view.db.read() as db:
        found = await users.listed(db, limit=LIMIT, offset=offset)
        total = await users.count(db)
    return visit.page(
        "settings/users.html",
        status=status,
        tabs=tabs_for(visit),
        users=found,
        roles=ROLES,
        me=visit.caller.name.removeprefix("user:"),
        least=passwords.LEAST,
        is_dev=visit.view.settings.is_dev,
        total=total,
        offset=offset,
        limit=LIMIT,
        **{"given": {"name": "", "role": Role.VIEWER}, "faults": {}, **shown},
    )


def _password_page(visit: Visit, user: User, *, status: int = 200, faults: Mapping[str, str] | None = None) -> Response:
    shown = {"user": user, "least": passwords.LEAST, "faults": faults or {}}
    return visit.page("settings/password.html", status=status, tabs=tabs_for(visit), **shown)


async def _find(visit: Visit, name: str) -> User:
    async with visit.view.db.read() as db:
        return await operations.find(db, name)


async def _change(visit: Visit, name: str, **values: Any) -> User:
    actor, now = visit.caller.name, visit.now
    return await visit.view.db.write(lambda db: operations.change(db, name, actor=actor, now=now, **values))


async def _hash(form: Form) -> str:
    # A password may begin or end with a space, but hardly on purpose; nowhere else is one cut off either.
    given = "".join(form.many("password")[:1])
    return await asyncio.to_thread(passwords.hash_of, given)


def _role(form: Form) -> Role:
    given = form.text("role")
    if given not in list(Role):
        raise BadInput(f"{given[:50]!r} is no role; use {', '.join(Role)}", field="role")
    return Role(given)
