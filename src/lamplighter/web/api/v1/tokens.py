"""API tokens."""

from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from lamplighter.model.access import ApiToken, Role
from lamplighter.operations import api_tokens as operations
from lamplighter.store import api_tokens
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/tokens", tag="tokens")


class NewTokenAsked(BaseModel):
    """A token that is to be made."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[Line, Field(min_length=1, max_length=100)]
    role: Role
    #: None means for ever
    expires_in_days: Annotated[int, Field(ge=1, le=3650)] | None = 90


class TokenShape(BaseModel):
    """A token as the API shows it: never whole."""

    id: UUID
    name: str
    prefix: str
    role: Role
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


class NewTokenShape(TokenShape):
    """A token as it is shown once."""

    token: str


class TokenList(BaseModel):
    """A part of all tokens."""

    tokens: list[TokenShape]
    total: int
    limit: int
    offset: int


_CI = {
    "id": "7f0c2b0e-6f53-4a37-9a57-0f4f7a1f6f11",
    "name": "ci",
    "prefix": "lamp_Xk3v9Qa",
    "role": "operator",
    "created_by": "user:anna",
    "created_at": "2026-03-01T08:00:00Z",
    "expires_at": "2026-05-30T08:00:00Z",
    "last_used_at": None,
    "revoked_at": None,
}


@ROUTES.get(
    "", role=Role.ADMIN, response_model=TokenList, example={"tokens": [_CI], "total": 1, "limit": 50, "offset": 0}
)
async def list_tokens(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """All tokens, revoked ones too, the newest first."""
    async with view.db.read() as db:
        rows = [_shape(token) for token in await api_tokens.listed(db, limit=limit, offset=offset)]
        return listed("tokens", rows, total=await api_tokens.count(db), limit=limit, offset=offset)


@ROUTES.post(
    "", role=Role.ADMIN, status=201, response_model=NewTokenShape, example={**_CI, "token": "lamp_Xk3v9Qa… (43 more)"}
)
async def create_token(asked: NewTokenAsked, view: View, caller: Asking) -> Any:
    """Make a token; it is shown in this answer and never again."""
    lasts = timedelta(days=asked.expires_in_days) if asked.expires_in_days is not None else None
    new = operations.make(asked.name, role=asked.role, actor=caller.name, now=view.clock.now(), lasts=lasts)
    await view.db.write(lambda db: operations.add(db, new))
    return {**_shape(new.token), "token": new.text}


@ROUTES.delete("/{token_id}", role=Role.ADMIN, status=204, response_model=None)
async def revoke_token(token_id: UUID, view: View, caller: Asking) -> None:
    """Make a token void; it stays in the list."""
    now = view.clock.now()
    await view.db.write(lambda db: operations.revoke(db, token_id, actor=caller.name, now=now))


def _shape(token: ApiToken) -> dict[str, Any]:
    return {name: getattr(token, "public_id" if name == "id" else name) for name in TokenShape.model_fields}
