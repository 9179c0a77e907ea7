"""`/settings/secrets`: secrets that recipes use; values are never shown."""

from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.access import Role
from lamplighter.operations.access import secrets as operations
from lamplighter.store.access import secrets
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, settings_list
from lamplighter.web.routes import Pages

ROUTES = Pages()
_PATH = "/settings/secrets"


@ROUTES.get(_PATH, role=Role.ADMIN)
async def listed(request: ThisRequest) -> Response:
    """The names of the secrets, and the form to set one."""
    name = request.http.query_params.get("name", "")[:100]
    async with request.view.db.read() as db:
        known = await secrets.get(db, name)
    return await _page(request, name=name, hosts=" ".join(known.hosts) if known is not None else "")


@ROUTES.post(_PATH, role=Role.ADMIN)
async def put(request: ThisRequest) -> Response:
    """Stores a secret and replaces one of the same name; without a value, only its hosts."""
    form, view = await request.form(), request.view
    hosts = form.text("hosts").replace(",", " ").split()
    try:
        name = operations.plain_name(form.text("name"))
        value = form.as_typed("value")
        sealed = operations.seal(view.secrets.vault, value) if value else None
        await view.db.write(lambda db: operations.put(db, name, sealed, hosts=hosts, stamp=request.stamp))
    except (BadInput, NotFound) as error:
        # The page does not repeat the typed value: secrets are never shown, not even invalid ones.
        return await _page(request, name=form.text("name"), hosts=" ".join(hosts), faults=faults_of(error))
    await view.secrets.book.refresh()
    return request.done(f"{name} is stored; recipes use it as {{secret:{name}}}.", to=_PATH)


@ROUTES.post(f"{_PATH}/remove", role=Role.ADMIN)
async def remove(request: ThisRequest) -> Response:
    """Deletes a secret."""
    form = await request.form()
    name = form.text("name")
    async with request.view.db.read() as db:
        if await secrets.get(db, name) is None:
            raise NotFound(f"there is no stored secret {name[:100]!r}")
    question = f"Delete the secret {name}? Sources whose recipes use it will fail until it is set again."
    request.confirm(form, question, label="Delete it", back=_PATH)
    await request.write(lambda db: operations.remove(db, name, stamp=request.stamp))
    await request.view.secrets.book.refresh()
    return request.done(f"{name} was deleted.", to=_PATH)


async def _page(request: PageRequest, **shown: Any) -> Response:
    offset, environment = offset_of(request), request.view.settings.secrets.keys()
    async with request.view.db.read() as db:
        known = await secrets.listed(db, limit=LIMIT, offset=offset)
        total = await secrets.count(db)
    return settings_list(
        request,
        "access/secrets.html",
        known=[(each, _trouble(request, each.name)) for each in known],
        from_environment=[(name, request.view.settings.hosts_of_secret(name)) for name in sorted(environment)],
        overridden=environment,
        total=total,
        **shown,
    )


def _trouble(request: PageRequest, name: str) -> str | None:
    """Why a secret cannot be decrypted, None if it can."""
    try:
        found = request.view.secrets.book.find(name)
    except BadInput as error:
        return str(error)
    return None if found is not None else "Other processes use it within a minute."
