"""`lamplighter token`: manages API tokens."""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import typer

from lamplighter.cli.terminal.console import answer, print_json, say
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import in_transaction
from lamplighter.model.access import ApiToken, Role, Stamp
from lamplighter.operations.access import api_tokens
from lamplighter.operations.access.api_tokens import NewToken
from lamplighter.store.access import api_tokens as stored
from lamplighter.store.engine.database import Connection

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="A name that says what it is for.")],
    role: Annotated[Role, typer.Option(help="viewer reads, operator changes, admin manages users.")] = Role.OPERATOR,
    days: Annotated[int, typer.Option(min=0, max=3650, help="Lifetime in days; 0 means no expiry.")] = 90,
    as_json: Json = False,
    data: Data = None,
) -> None:
    """Create a token and print it once."""
    lasts = timedelta(days=days) if days else None

    async def work(db: Connection, stamp: Stamp) -> NewToken:
        new = api_tokens.make(name, role=role, stamp=stamp, lasts=lasts)
        await api_tokens.add(db, new)
        return new

    new = in_transaction(load_settings(data), work)
    if as_json:
        print_json({**_shown(new.token), "token": new.text})
        return
    say("Store it now: it is not shown again. Programs send it as: Authorization: Bearer TOKEN")
    answer(new.text)


@app.command("list")
def list_tokens(as_json: Json = False, data: Data = None) -> None:
    """List all tokens by their first characters."""

    async def work(db: Connection, stamp: Stamp) -> tuple[list[ApiToken], datetime]:
        return await stored.listed(db, limit=10_000, offset=0), stamp.now

    found, now = in_transaction(load_settings(data), work)
    if as_json:
        print_json([_shown(token) for token in found])
        return
    for token in found:
        state = "good" if token.is_good(now) else "revoked" if token.revoked_at else "expired"
        answer(f"{token.public_id}  {token.prefix}…  {token.role}  {state}  {token.name}")


@app.command()
def revoke(token_id: Annotated[UUID, typer.Argument(help="Its id, as listed.")], data: Data = None) -> None:
    """Revoke a token."""
    token = in_transaction(load_settings(data), lambda db, stamp: api_tokens.revoke(db, token_id, stamp=stamp))
    answer(f"{token.prefix}… ({token.name}) was revoked.")


def _shown(token: ApiToken) -> dict[str, object]:
    shown = asdict(token)
    return {"id": shown.pop("public_id"), **shown}
