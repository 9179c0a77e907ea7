"""`lamplighter secrets`: what recipes name and nobody sees."""

import sys
from datetime import datetime
from typing import Annotated

import typer
from rich.progress import track

from lamplighter.app import open_store, vault_of
from lamplighter.cli import loop
from lamplighter.cli.console import answer, err, print_json, say
from lamplighter.cli.failing import FAILED
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.operations import secrets
from lamplighter.settings import Settings
from lamplighter.store import secrets as stored
from lamplighter.store.database import Connection
from lamplighter.store.secrets import Known

app = typer.Typer(help="Secrets that recipes name.", no_args_is_help=True, add_completion=False)
Name = Annotated[str, typer.Argument(help="The name, as in {secret:NAME}.")]


@app.command("set")
def set_secret(name: Name, data: Data = None) -> None:
    """Keep a secret; its value is read from standard input, or asked for on a terminal."""
    plain, settings = secrets.plain_name(name), load_settings(data)
    sealed = secrets.seal(vault_of(settings), _value())

    async def work(db: Connection, now: datetime) -> Known:
        return await secrets.put(db, plain, sealed, actor=ACTOR, now=now)

    answer(f"{in_transaction(settings, work).name} is kept; a running service uses it within a minute.")


@app.command("list")
def list_secrets(as_json: Json = False, data: Data = None) -> None:
    """Show the names of what is kept."""

    async def work(db: Connection, now: datetime) -> list[Known]:
        return await stored.listed(db, limit=10_000, offset=0)

    found = in_transaction(load_settings(data), work)
    if as_json:
        print_json([known._asdict() for known in found])
        return
    for known in found:
        answer(f"{known.name}  {known.updated_at:%Y-%m-%d %H:%M} UTC")


@app.command()
def remove(name: Name, data: Data = None) -> None:
    """Forget a secret."""

    async def work(db: Connection, now: datetime) -> None:
        await secrets.remove(db, name, actor=ACTOR, now=now)

    in_transaction(load_settings(data), work)
    answer(f"{name} is forgotten.")


@app.command()
def rotate(data: Data = None) -> None:
    """Encrypt everything anew: under a new key, or under the first of LAMPLIGHTER_ENCRYPTION_KEYS."""
    count, unreadable = loop.run(_rotate(load_settings(data)))
    answer(f"{count} encrypted anew.")
    if unreadable:
        say(f"No key opens {', '.join(unreadable)}; bring back the key, or set them anew.")
        raise typer.Exit(FAILED)


async def _rotate(settings: Settings) -> tuple[int, list[str]]:
    vault = vault_of(settings)
    async with open_store(settings) as store:
        is_new_key = vault.add_key()
        found = await secrets.to_renew(store.db)
        unreadable = []
        for sealed in track(found, description="Encrypting", console=err, transient=True):
            if not await secrets.renew(store.db, vault, sealed):
                unreadable.append(sealed.label)
        count, now = len(found) - len(unreadable), store.clock.now()

        async def note(db: Connection) -> None:
            await secrets.note_rotation(
                db, actor=ACTOR, now=now, count=count, unreadable=unreadable, is_new_key=is_new_key
            )

        await store.db.write(note)
    return count, unreadable


def _value() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Value", hide_input=True, err=True))
    return sys.stdin.read().rstrip("\r\n")
