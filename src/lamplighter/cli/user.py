"""`lamplighter user`: who may log in, and with which role."""

import sys
from datetime import datetime
from typing import Annotated

import typer

from lamplighter.cli.console import answer, print_json
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.errors import BadInput
from lamplighter.model.access import Role, User
from lamplighter.operations import passwords, users
from lamplighter.store import users as stored
from lamplighter.store.database import Connection

app = typer.Typer(help="Users: who may log in.", no_args_is_help=True, add_completion=False)
Name = Annotated[str, typer.Argument(help="The name to log in with.")]
RoleOption = Annotated[Role, typer.Option(help="viewer looks, operator changes, admin says who may.")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]


@app.command()
def add(name: Name, role: RoleOption = Role.OPERATOR, password_stdin: FromStdin = False, data: Data = None) -> None:
    """Let somebody log in; the password is asked for, and never an argument."""
    plain, settings = users.plain_name(name), load_settings(data)
    password_hash = passwords.hash_of(_password(password_stdin))

    async def work(db: Connection, now: datetime) -> User:
        return await users.add(db, plain, role=role, password_hash=password_hash, actor=ACTOR, now=now)

    answer(f"{in_transaction(settings, work).name} may log in as {role}.")


@app.command("list")
def list_users(as_json: Json = False, data: Data = None) -> None:
    """Show who may log in."""

    async def work(db: Connection, now: datetime) -> list[User]:
        return await stored.listed(db, limit=10_000, offset=0)

    found = in_transaction(load_settings(data), work)
    if as_json:
        print_json([_shown(user) for user in found])
        return
    for user in found:
        answer(f"{user.name}  {user.role}" + ("" if user.enabled else "  (disabled)"))


@app.command()
def disable(name: Name, data: Data = None) -> None:
    """Let somebody in no longer, and end their sessions."""

    async def work(db: Connection, now: datetime) -> User:
        return await users.change(db, name, enabled=False, actor=ACTOR, now=now)

    answer(f"{in_transaction(load_settings(data), work).name} is let in no longer.")


@app.command()
def password(name: Name, password_stdin: FromStdin = False, data: Data = None) -> None:
    """Set somebody's password anew, and end their sessions."""
    settings, password_hash = load_settings(data), passwords.hash_of(_password(password_stdin))

    async def work(db: Connection, now: datetime) -> User:
        return await users.change(db, name, password_hash=password_hash, actor=ACTOR, now=now)

    answer(f"{in_transaction(settings, work).name} logs in with the new password from now on.")


def _password(is_piped: bool) -> str:
    if is_piped:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise BadInput("there is no terminal to ask for the password on; pipe it in with --password-stdin")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))


def _shown(user: User) -> dict[str, object]:
    return {
        "name": user.name,
        "role": user.role,
        "enabled": user.enabled,
        "created_at": user.created_at,
        "last_login_at": user.last_login_at,
    }
