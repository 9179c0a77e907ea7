"""`lamplighter user`: manages users and their roles."""

import sys
from typing import Annotated

import typer

from lamplighter.cli.terminal.console import answer, print_json_or_lines
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import in_transaction
from lamplighter.errors import BadInput
from lamplighter.model.access import Role
from lamplighter.operations.access import passwords, users
from lamplighter.store.access import users as stored

app = typer.Typer(no_args_is_help=True, add_completion=False)
Name = Annotated[str, typer.Argument(help="The name to log in with.")]
RoleOption = Annotated[Role, typer.Option(help="viewer reads, operator changes, admin manages users.")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]

_SHOWN = ("name", "role", "enabled", "created_at", "last_login_at")


@app.command()
def add(name: Name, role: RoleOption = Role.OPERATOR, password_stdin: FromStdin = False, data: Data = None) -> None:
    """Add a user; prompts for the password, which is never an argument."""
    plain, settings = users.plain_name(name), load_settings(data)
    password_hash = passwords.hash_of(_password(password_stdin))
    user = in_transaction(
        settings, lambda db, stamp: users.add(db, plain, role=role, password_hash=password_hash, stamp=stamp)
    )
    answer(f"{user.name} may log in as {role}.")


@app.command("list")
def list_users(as_json: Json = False, data: Data = None) -> None:
    """List the users."""
    found = in_transaction(load_settings(data), lambda db, stamp: stored.listed(db, limit=10_000, offset=0))
    lines = (f"{user.name}  {user.role}" + ("" if user.enabled else "  (disabled)") for user in found)
    print_json_or_lines(as_json, [{name: getattr(user, name) for name in _SHOWN} for user in found], lines)


@app.command()
def disable(name: Name, data: Data = None) -> None:
    """Disable a user and end their sessions."""
    user = in_transaction(load_settings(data), lambda db, stamp: users.change(db, name, enabled=False, stamp=stamp))
    answer(f"{user.name} is disabled.")


@app.command()
def password(name: Name, password_stdin: FromStdin = False, data: Data = None) -> None:
    """Set the password of a user and end their sessions."""
    settings, password_hash = load_settings(data), passwords.hash_of(_password(password_stdin))
    user = in_transaction(settings, lambda db, stamp: users.change(db, name, password_hash=password_hash, stamp=stamp))
    answer(f"{user.name} has a new password.")


def _password(is_piped: bool) -> str:
    if is_piped:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise BadInput("there is no terminal to prompt for the password; pipe it in with --password-stdin")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
