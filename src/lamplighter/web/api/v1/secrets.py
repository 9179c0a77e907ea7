"""Secrets that recipes name; their values go in and never come out."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from lamplighter.model.access import Role
from lamplighter.operations import secrets as operations
from lamplighter.store import secrets
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/secrets", tag="secrets")

SecretName = Annotated[Line, Path(min_length=1, max_length=100)]


class SecretValue(BaseModel):
    """What is to be kept."""

    model_config = ConfigDict(extra="forbid")

    value: Annotated[SecretStr, Field(min_length=1, max_length=4000)]


class SecretShape(BaseModel):
    """A secret as the API shows it."""

    name: str
    updated_at: datetime


class SecretList(BaseModel):
    """A part of all secrets."""

    secrets: list[SecretShape]
    total: int
    limit: int
    offset: int


_EXAMPLE = {"name": "reliefweb", "updated_at": "2026-03-01T08:00:00Z"}


@ROUTES.get(
    "",
    role=Role.ADMIN,
    response_model=SecretList,
    example={"secrets": [_EXAMPLE], "total": 1, "limit": 50, "offset": 0},
)
async def list_secrets(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The stored secrets, by name; those of the environment are not among them."""
    async with view.db.read() as db:
        rows = [known._asdict() for known in await secrets.listed(db, limit=limit, offset=offset)]
        return listed("secrets", rows, total=await secrets.count(db), limit=limit, offset=offset)


@ROUTES.put("/{name}", role=Role.ADMIN, errors=(409,), response_model=SecretShape, example=_EXAMPLE)
async def put_secret(name: SecretName, given: SecretValue, view: View, caller: Asking) -> Any:
    """Keep a secret, in place of one of the same name."""
    plain, now = operations.plain_name(name), view.clock.now()
    sealed = operations.seal(view.vault, given.value.get_secret_value())
    known = await view.db.write(lambda db: operations.put(db, plain, sealed, actor=caller.name, now=now))
    await view.secrets.refresh()
    return known._asdict()


@ROUTES.delete("/{name}", role=Role.ADMIN, status=204, response_model=None)
async def remove_secret(name: SecretName, view: View, caller: Asking) -> None:
    """Forget a secret."""
    now = view.clock.now()
    await view.db.write(lambda db: operations.remove(db, name, actor=caller.name, now=now))
    await view.secrets.refresh()
