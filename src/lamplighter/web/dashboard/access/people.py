"""`/settings/users`: users and their roles."""

import asyncio
from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput
from lamplighter.model.access import Role, User
from lamplighter.operations.access import passwords
from lamplighter.operations.access import users as operations
from lamplighter.store.access import users
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, settings_list, settings_page
from lamplighter.web.routes import Pages
from lamplighter.web.values import Line

ROUTES = Pages()
_PATH = "/settings/users"
#: each role and what it may do, for the form
ROLES = (
    (Role.VIEWER, "viewer: sees everything but secrets"),
    (Role.OPERATOR, "operator: changes what is crawled, when and how"),
    (Role.ADMIN, "admin: also manages users and deletes for good"),
)


@ROUTES.get(_PATH, role=Role.ADMIN)
async def listed(request: ThisRequest) -> Response:
    """The list of users, and the form for a new one."""
    return await _page(request)


@ROUTES.post(_PATH, role=Role.ADMIN)
async def add(request: ThisRequest) -> Response:
    """Adds a user."""
    form = await request.form()
    try:
        name, role = operations.plain_name(form.text("name")), role_of(form)
        stored = await _hash(form)
        await request.write(lambda db: operations.add(db, name, role=role, password_hash=stored, stamp=request.stamp))
    except BadInput as error:
        if error.code == "user_exists":
            error.field = "name"
        given = {"name": form.text("name"), "role": form.text("role")}
        return await _page(request, given=given, faults=faults_of(error))
    return request.done(f"{name} may log in as {role}.", to=_PATH)


@ROUTES.post(f"{_PATH}/{{name}}/role", role=Role.ADMIN)
async def set_role(name: Line, request: ThisRequest) -> Response:
    """Changes a user's role; it applies from their next request on."""
    user = await _change(request, name, role=role_of(await request.form()))
    return request.done(f"{user.name} is {user.role} now.", to=_PATH)


@ROUTES.get(f"{_PATH}/{{name}}/password", role=Role.ADMIN)
async def password_form(name: Line, request: ThisRequest) -> Response:
    """The form for a new password."""
    return _password_page(request, await _find(request, name))


@ROUTES.post(f"{_PATH}/{{name}}/password", role=Role.ADMIN)
async def set_password(name: Line, request: ThisRequest) -> Response:
    """Sets a new password, which ends every session of the user."""
    user = await _find(request, name)
    try:
        stored = await _hash(await request.form())
    except BadInput as error:
        return _password_page(request, user, faults=faults_of(error))
    await _change(request, name, password_hash=stored)
    return request.done(f"{user.name} has a new password, and was logged out everywhere.", to=_PATH)


@ROUTES.post(f"{_PATH}/{{name}}/enable", role=Role.ADMIN)
async def enable(name: Line, request: ThisRequest) -> Response:
    """Enables a user."""
    user = await _change(request, name, enabled=True)
    return request.done(f"{user.name} may log in again.", to=_PATH)


@ROUTES.post(f"{_PATH}/{{name}}/disable", role=Role.ADMIN)
async def disable(name: Line, request: ThisRequest) -> Response:
    """Disables a user."""
    user, form = await _find(request, name), await request.form()
    question = f"Disable {user.name}? Their sessions end at once. You can enable them again."
    request.confirm(form, question, label="Disable", back=_PATH)
    await _change(request, name, enabled=False)
    return request.done(f"{user.name} may no longer log in.", to=_PATH)


@ROUTES.post(f"{_PATH}/{{name}}/log-out", role=Role.ADMIN)
async def log_out(name: Line, request: ThisRequest) -> Response:
    """Ends every session of a user, who may log in again."""
    await request.write(lambda db: operations.log_out_everywhere(db, name, stamp=request.stamp))
    return request.done(f"{name} was logged out everywhere.", to=_PATH)


@ROUTES.post(f"{_PATH}/{{name}}/remove", role=Role.ADMIN)
async def remove(name: Line, request: ThisRequest) -> Response:
    """Removes a user for good."""
    user, form = await _find(request, name), await request.form()
    question = f"Remove {user.name} for good? What they did stays in the audit log."
    request.confirm(form, question, label="Remove", back=_PATH)
    await request.write(lambda db: operations.remove(db, name, stamp=request.stamp))
    return request.done(f"{user.name} was removed.", to=_PATH)


async def _page(request: PageRequest, **shown: Any) -> Response:
    offset = offset_of(request)
    async with request.view.db.read() as db:
        found = await users.listed(db, limit=LIMIT, offset=offset)
        total = await users.count(db)
    return settings_list(
        request,
        "access/users.html",
        users=found,
        roles=ROLES,
        me=request.caller.name.removeprefix("user:"),
        least=passwords.LEAST,
        is_dev=request.view.settings.is_dev,
        total=total,
        **{"given": {"name": "", "role": Role.VIEWER}, **shown},
    )


def _password_page(request: PageRequest, user: User, **shown: Any) -> Response:
    return settings_page(request, "access/password.html", user=user, least=passwords.LEAST, **shown)


async def _find(request: PageRequest, name: str) -> User:
    return await request.read(lambda db: operations.find(db, name))


async def _change(request: PageRequest, name: str, **values: Any) -> User:
    return await request.write(lambda db: operations.change(db, name, stamp=request.stamp, **values))


async def _hash(form: SubmittedForm) -> str:
    # The password is not stripped: a space at its start or end is part of it, as at login.
    given = "".join(form.many("password")[:1])
    return await asyncio.to_thread(passwords.hash_of, given)


def role_of(form: SubmittedForm) -> Role:
    """The role of the form; BadInput for an unknown one."""
    given = form.text("role")
    if given not in list(Role):
        raise BadInput(f"{given[:50]!r} is not a role; use {', '.join(Role)}", field="role")
    return Role(given)
