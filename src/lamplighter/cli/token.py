"""`lamplighter token`: what programs prove themselves with."""

from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import typer

from lamplighter.cli.console import answer, print_json, say
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.model.access import ApiToken, Role
from lamplighter.operations import api_tokens
from lamplighter.operations.api_tokens import NewToken
from lamplighter.store import api_tokens as stored
from lamplighter.store.database import Connection

app = typer.Typer(help="API tokens: what programs prove themselves with.", no_args_is_help=True, add_completion=False)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What it is for.")],
    role: Annotated[Role, typer.Option(help="viewer looks, operator changes, admin says who may.")] = Role.OPERATOR,
    days: Annotated[int, typer.Option(min=0, max=3650, help="How long it lasts; 0 means for ever.")] = 90,
    as_json: Json = False,
    data: Data = None,
) -> None:
    """Make a token and print it, this once."""
    lasts = timedelta(days=days) if days else None

    async def work(db: Connection, now: datetime) -> NewToken:
        new = api_tokens.make(name, role=role, actor=ACTOR, now=now, lasts=lasts)
        await api_tokens.add(db, new)
        return new

    new = in_transaction(load_settings(data), work)
    if as_json:
        print_json({**_shown(new.token), "token": new.text})
        return
    say("Keep it: it is not shown again. Programs send it as: Authorization: Bearer TOKEN")
    answer(new.text)


@app.command("list")
def list_tokens(as_json: Json = False, data: Data = None) -> None:
    """Show all tokens by their first characters."""

    async def work(db: Connection, now: datetime) -> tuple[list[ApiToken], datetime]:
        return await stored.listed(db, limit=10_000, offset=0), now

    found, now = in_transaction(load_settings(data), work)
    if as_json:
        print_json([_shown(token) for token in found])
        return
    for token in found:
        state = "good" if token.is_good(now) else "revoked" if token.revoked_at else "expired"
        answer(f"{token.public_id}  {token.prefix}…  {token.role}  {state}  {token.name}")


@app.command()
def revoke(token_id: Annotated[UUID, typer.Argument(help="Its id, as listed.")], data: Data = None) -> None:
    """Make a token void."""

    async def work(db: Connection, now: datetime) -> ApiToken:
        return await api_tokens.revoke(db, token_id, actor=ACTOR, now=now)

    token = in_transaction(load_settings(data), work)
    answer(f"{token.prefix}… ({token.name}) is void.")


def _shown(token: ApiToken) -> dict[str, object]:
    return {
        "id": token.public_id,
        "name": token.name,
        "prefix": token.prefix,
        "role": token.role,
        "created_by": token.created_by,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "last_used_at": token.last_used_at,
        "revoked_at": token.revoked_at,
    }
