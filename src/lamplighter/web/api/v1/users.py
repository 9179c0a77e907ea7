"""Users, and who I am."""

import asyncio
from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from lamplighter.model.access import Role, User
from lamplighter.operations import passwords
from lamplighter.operations import users as operations
from lamplighter.store import users
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1", tag="users")

UserName = Annotated[Line, Path(min_length=1, max_length=100)]
Password = Annotated[SecretStr, Field(min_length=passwords.LEAST, max_length=passwords.MOST)]


class NewUser(BaseModel):
    """Somebody who is to be let in."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[Line, Field(min_length=1, max_length=100)]
    role: Role
    password: Password


class UserChange(BaseModel):
    """What is to be different; what is left out stays."""

    model_config = ConfigDict(extra="forbid")

    role: Role | None = None
    enabled: bool | None = None
    password: Password | None = None


class UserShape(BaseModel):
    """A user as the API shows one."""

    name: str
    role: Role
    enabled: bool
    created_at: datetime
    last_login_at: datetime | None


class UserList(BaseModel):
    """A part of all users."""

    users: list[UserShape]
    total: int
    limit: int
    offset: int


class Me(BaseModel):
    """Who asks."""

    #: as it stands in the audit log
    name: str
    role: Role


_ANNA = {
    "name": "anna",
    "role": "operator",
    "enabled": True,
    "created_at": "2026-03-01T08:00:00Z",
    "last_login_at": "2026-03-02T07:30:00Z",
}


@ROUTES.get("/me", response_model=Me, example={"name": "token:ci", "role": "operator"})
async def me(caller: Asking) -> Any:
    """Who I am, and what I may do."""
    return {"name": caller.name, "role": caller.role}


@ROUTES.get(
    "/users",
    role=Role.ADMIN,
    response_model=UserList,
    example={"users": [_ANNA], "total": 1, "limit": 50, "offset": 0},
)
async def list_users(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """Who may log in, by name."""
    async with view.db.read() as db:
        rows = [_shape(user) for user in await users.listed(db, limit=limit, offset=offset)]
        return listed("users", rows, total=await users.count(db), limit=limit, offset=offset)


@ROUTES.post("/users", role=Role.ADMIN, status=201, errors=(409,), response_model=UserShape, example=_ANNA)
async def add_user(new: NewUser, view: View, caller: Asking) -> Any:
    """Let somebody log in."""
    name, now = operations.plain_name(new.name), view.clock.now()
    stored = await _hash(new.password)
    return _shape(
        await view.db.write(
            lambda db: operations.add(db, name, role=new.role, password_hash=stored, actor=caller.name, now=now)
        )
    )


@ROUTES.patch("/users/{name}", role=Role.ADMIN, errors=(409,), response_model=UserShape, example=_ANNA)
async def change_user(name: UserName, change: UserChange, view: View, caller: Asking) -> Any:
    """Change a user's role or password, or let them in no longer."""
    now = view.clock.now()
    stored = await _hash(change.password) if change.password is not None else None
    return _shape(
        await view.db.write(
            lambda db: operations.change(
                db,
                name,
                role=change.role,
                enabled=change.enabled,
                password_hash=stored,
                actor=caller.name,
                now=now,
            )
        )
    )


@ROUTES.delete("/users/{name}", role=Role.ADMIN, status=204, errors=(409,), response_model=None)
async def remove_user(name: UserName, view: View, caller: Asking) -> None:
    """Take somebody's access away for good."""
    now = view.clock.now()
    await view.db.write(lambda db: operations.remove(db, name, actor=caller.name, now=now))


async def _hash(password: SecretStr) -> str:
    return await asyncio.to_thread(passwords.hash_of, password.get_secret_value())


def _shape(user: User) -> dict[str, Any]:
    return {name: getattr(user, name) for name in UserShape.model_fields}
