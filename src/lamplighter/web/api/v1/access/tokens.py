"""API tokens."""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field

from lamplighter.model.access import Role
from lamplighter.operations.access import api_tokens as operations
from lamplighter.store.access import api_tokens
from lamplighter.web.api.envelope import listed, part_of, taken_from
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, Limit, Line, Offset
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/tokens", tag="tokens")


class NewTokenAsked(Given):
    """A token to create."""

    name: Annotated[Line, Field(min_length=1, max_length=100)]
    role: Role
    #: None means that it never expires
    expires_in_days: Annotated[int, Field(ge=1, le=3650)] | None = 90


class TokenShape(BaseModel):
    """A token as the API shows it: masked."""

    id: UUID = taken_from("public_id")
    name: str
    prefix: str = Field(examples=["lamp_Xk3v9Qa"])
    role: Role
    created_by: str = Field(examples=["user:anna"])
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


class NewTokenShape(TokenShape):
    """A new token, shown once."""

    token: str


@ROUTES.get("", role=Role.ADMIN, response_model=part_of("tokens", TokenShape))
async def list_tokens(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """All tokens, revoked ones too, the newest first."""
    async with view.db.read() as db:
        rows = await api_tokens.listed(db, limit=limit, offset=offset)
        return listed("tokens", rows, total=await api_tokens.count(db), limit=limit, offset=offset)


@ROUTES.post("", role=Role.ADMIN, status=201, response_model=NewTokenShape)
async def create_token(query: NewTokenAsked, view: View, caller: Asking) -> Any:
    """Create a token; it is shown in this response only."""
    lasts = timedelta(days=query.expires_in_days) if query.expires_in_days is not None else None
    new = operations.make(query.name, role=query.role, stamp=view.stamp(caller), lasts=lasts)
    await view.db.write(lambda db: operations.add(db, new))
    return asdict(new.token) | {"token": new.text}


@ROUTES.delete("/{token_id}", role=Role.ADMIN, status=204, response_model=None)
async def revoke_token(token_id: UUID, view: View, caller: Asking) -> None:
    """Revoke a token; it stays in the list."""
    await view.db.write(lambda db: operations.revoke(db, token_id, stamp=view.stamp(caller)))
