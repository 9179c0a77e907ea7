"""Users and callers."""

import asyncio
from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Request, Response
from pydantic import BaseModel, Field, SecretStr

from lamplighter.model.access import Role
from lamplighter.operations.access import passwords
from lamplighter.operations.access import users as operations
from lamplighter.store.access import users
from lamplighter.web.access.forgery import HEADER, csrf_token
from lamplighter.web.api.envelope import listed, part_of
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, Limit, Line, Offset
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1", tag="users")
UserName = Annotated[Line, Path(min_length=1, max_length=100)]
Password = Annotated[SecretStr, Field(min_length=passwords.LEAST, max_length=passwords.MOST)]


class NewUser(Given):
    """A user to add."""

    name: Annotated[Line, Field(min_length=1, max_length=100)]
    role: Role
    password: Password


class UserChange(Given):
    """Fields to change; omitted fields stay."""

    role: Role | None = None
    enabled: bool | None = None
    password: Password | None = None


class UserShape(BaseModel):
    """A user in responses."""

    name: str
    role: Role
    enabled: bool
    created_at: datetime
    last_login_at: datetime | None


class CurrentUser(BaseModel):
    """Caller."""

    #: as in the audit log
    name: str = Field(examples=["token:ci"])
    role: Role


@ROUTES.get("/me", response_model=CurrentUser)
async def me(request: Request, caller: Asking, response: Response) -> Any:
    """The caller's name and role; for a session also the token that its changes need, in `X-CSRF-Token`."""
    if token := csrf_token(request):
        response.headers[HEADER] = token
    return caller


@ROUTES.get("/users", role=Role.ADMIN, response_model=part_of("users", UserShape))
async def list_users(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """All users, by name."""
    async with view.db.read() as db:
        rows = await users.listed(db, limit=limit, offset=offset)
        return listed("users", rows, total=await users.count(db), limit=limit, offset=offset)


@ROUTES.post("/users", role=Role.ADMIN, status=201, errors=(409,), response_model=UserShape)
async def add_user(new: NewUser, view: View, caller: Asking) -> Any:
    """Add a user."""
    name, stamp = operations.plain_name(new.name), view.stamp(caller)
    stored = await _hash(new.password)
    return await view.db.write(lambda db: operations.add(db, name, role=new.role, password_hash=stored, stamp=stamp))


@ROUTES.patch("/users/{name}", role=Role.ADMIN, errors=(409,), response_model=UserShape)
async def change_user(name: UserName, change: UserChange, view: View, caller: Asking) -> Any:
    """Change a user's role or password, or disable the user."""
    stamp = view.stamp(caller)
    stored = await _hash(change.password) if change.password is not None else None
    return await view.db.write(
        lambda db: operations.change(
            db, name, role=change.role, enabled=change.enabled, password_hash=stored, stamp=stamp
        )
    )


@ROUTES.delete("/users/{name}", role=Role.ADMIN, status=204, errors=(409,), response_model=None)
async def remove_user(name: UserName, view: View, caller: Asking) -> None:
    """Remove a user for good."""
    await view.db.write(lambda db: operations.remove(db, name, stamp=view.stamp(caller)))


async def _hash(password: SecretStr) -> str:
    return await asyncio.to_thread(passwords.hash_of, password.get_secret_value())
