"""Secrets that recipes name; their values are never returned."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, Field, SecretStr

from lamplighter.model.access import Role
from lamplighter.operations.access import secrets as operations
from lamplighter.store.access import secrets
from lamplighter.web.api.envelope import listed, part_of
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, Limit, Line, Offset
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/secrets", tag="secrets")
SecretName = Annotated[Line, Path(min_length=1, max_length=100)]


Hosts = Annotated[list[Annotated[Line, Field(max_length=300)]], Field(min_length=1, max_length=50)]


class SecretValue(Given):
    """The value to store, and the hosts to which it may be sent; a secret that is replaced may keep its hosts."""

    value: Annotated[SecretStr, Field(min_length=1, max_length=4000)]
    hosts: Hosts | None = None


class SecretHosts(Given):
    """The hosts to which a secret may be sent."""

    hosts: Hosts


class SecretShape(BaseModel):
    """A secret as the API shows it."""

    name: str
    #: to which it may be sent
    hosts: list[str]
    updated_at: datetime


@ROUTES.get("", role=Role.ADMIN, response_model=part_of("secrets", SecretShape))
async def list_secrets(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The stored secrets, by name; those of the environment are not listed."""
    async with view.db.read() as db:
        rows = await secrets.listed(db, limit=limit, offset=offset)
        return listed("secrets", rows, total=await secrets.count(db), limit=limit, offset=offset)


@ROUTES.put("/{name}", role=Role.ADMIN, errors=(409,), response_model=SecretShape)
async def put_secret(name: SecretName, given: SecretValue, view: View, caller: Asking) -> Any:
    """Store a secret for its hosts, replacing one of the same name."""
    plain, stamp = operations.plain_name(name), view.stamp(caller)
    sealed = operations.seal(view.secrets.vault, given.value.get_secret_value())
    known = await view.db.write(lambda db: operations.put(db, plain, sealed, hosts=given.hosts, stamp=stamp))
    await view.secrets.book.refresh()
    return known


@ROUTES.patch("/{name}", role=Role.ADMIN, response_model=SecretShape)
async def bind_secret(name: SecretName, given: SecretHosts, view: View, caller: Asking) -> Any:
    """Say to which hosts a stored secret may be sent; its value stays as it is."""
    stamp = view.stamp(caller)
    known = await view.db.write(lambda db: operations.put(db, name, None, hosts=given.hosts, stamp=stamp))
    await view.secrets.book.refresh()
    return known


@ROUTES.delete("/{name}", role=Role.ADMIN, status=204, response_model=None)
async def remove_secret(name: SecretName, view: View, caller: Asking) -> None:
    """Delete a secret."""
    await view.db.write(lambda db: operations.remove(db, name, stamp=view.stamp(caller)))
    await view.secrets.book.refresh()
