"""`lamplighter secrets`: encrypted secrets that recipes use."""

from typing import Annotated

import typer
from rich.progress import track

from lamplighter.app import open_store, vault_of
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import FAILED, answer, err, print_json_or_lines, say
from lamplighter.cli.terminal.options import Data, Json, load_settings, read_secret
from lamplighter.cli.terminal.transaction import ACTOR, in_transaction
from lamplighter.model.access import Stamp
from lamplighter.operations.access import secrets
from lamplighter.rules.access import secret_hosts
from lamplighter.settings import Settings
from lamplighter.store.access import secrets as stored
from lamplighter.store.access.secrets import everything_sealed
from lamplighter.store.engine.database import Connection

app = typer.Typer(no_args_is_help=True, add_completion=False)
Name = Annotated[str, typer.Argument(help="The name, as in {secret:NAME}.")]


@app.command("set")
def set_secret(
    name: Name,
    host: Annotated[
        list[str] | None,
        typer.Option(help="A host to which it may be sent, with its port unless it is the default; may be repeated."),
    ] = None,
    data: Data = None,
) -> None:
    """Store a secret for its hosts; its value is read from standard input, or prompted for on a terminal.

    A secret that is replaced keeps its hosts unless they are named.
    """
    plain, settings = secrets.plain_name(name), load_settings(data)
    hosts = secret_hosts.parse(host) if host else None
    sealed = secrets.seal(vault_of(settings), read_secret("Value"))
    secret = in_transaction(settings, lambda db, stamp: secrets.put(db, plain, sealed, hosts=hosts, stamp=stamp))
    answer(f"{secret.name} is stored for {_hosts(secret)}; a running service uses it within a minute.")


@app.command("hosts")
def set_hosts(
    name: Name,
    hosts: Annotated[list[str], typer.Argument(metavar="HOST…", help="All hosts to which it may be sent.")],
    data: Data = None,
) -> None:
    """Say to which hosts a stored secret may be sent; its value stays as it is."""
    secret = in_transaction(
        load_settings(data), lambda db, stamp: secrets.put(db, name, None, hosts=hosts, stamp=stamp)
    )
    answer(f"{secret.name} is now for {_hosts(secret)}; a running service uses it there within a minute.")


@app.command("list")
def list_secrets(as_json: Json = False, data: Data = None) -> None:
    """List the stored secrets, with the hosts to which they may be sent."""
    found = in_transaction(load_settings(data), lambda db, stamp: stored.listed(db, limit=10_000, offset=0))
    lines = (f"{known.name}  {known.updated_at:%Y-%m-%d %H:%M} UTC  {_hosts(known)}" for known in found)
    print_json_or_lines(as_json, [known._asdict() for known in found], lines)


def _hosts(secret: stored.SecretInfo) -> str:
    return ", ".join(secret.hosts) or f"no host yet: name them with lamplighter secrets hosts {secret.name} HOST"


@app.command()
def remove(name: Name, data: Data = None) -> None:
    """Delete a secret."""
    in_transaction(load_settings(data), lambda db, stamp: secrets.remove(db, name, stamp=stamp))
    answer(f"{name} was deleted.")


@app.command()
def rotate(data: Data = None) -> None:
    """Re-encrypt all secrets with a new key, or with the first of LAMPLIGHTER_ENCRYPTION_KEYS."""
    count, unreadable = loop.run(_rotate(load_settings(data)))
    answer(f"{count} re-encrypted.")
    if unreadable:
        say(f"No key opens {', '.join(unreadable)}; restore the key, or set the secrets again.")
        raise typer.Exit(FAILED)


async def _rotate(settings: Settings) -> tuple[int, list[str]]:
    vault = vault_of(settings)
    async with open_store(settings) as store:
        is_new_key = vault.add_key()
        found = await store.db.look(everything_sealed)
        unreadable = []
        for sealed in track(found, description="Encrypting", console=err(), transient=True):
            if not await secrets.renew(store.db, vault, sealed):
                unreadable.append(sealed.label)
        count, stamp = len(found) - len(unreadable), Stamp(ACTOR, store.clock.now())

        async def note(db: Connection) -> None:
            await secrets.note_rotation(db, stamp=stamp, count=count, unreadable=unreadable, is_new_key=is_new_key)

        await store.db.write(note)
    return count, unreadable
