"""`lamplighter proxies`: exits to the web, whom they are for, and whether they work."""

import sys
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer

from lamplighter.app import open_store, vault_of
from lamplighter.cli import loop, proxy_tests, tables
from lamplighter.cli.console import answer, print_json
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.cli.proxy_tests import BIGGEST
from lamplighter.cli.tables import Column
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.operations import domain_proxies, pool_advice, proxies
from lamplighter.operations.pool_advice import PoolAdvice
from lamplighter.operations.proxies import Health, Proxy, ProxySettings
from lamplighter.settings import Settings
from lamplighter.store.database import Connection

app = typer.Typer(
    help="Proxies: list, add, switch, assign, test, and how many are needed.",
    no_args_is_help=True,
    add_completion=False,
)
#: more than anybody has
_ALL = 100_000
_COLUMNS = (
    Column(heading="No.", rank=0, is_number=True),
    Column(heading="Proxy", rank=1),
    Column(heading="Health", rank=2),
    Column(heading="Hour", rank=6, is_number=True),
    Column(heading="Ok", rank=5, is_number=True),
    Column(heading="Failed", rank=4, is_number=True),
    Column(heading="In a row", rank=7, is_number=True),
    Column(heading="Last error", rank=3, least=20),
)
_WORDS = {Health.GOOD: "working", Health.UNUSED: "not used yet", Health.OFF: "off by hand"}

Number = Annotated[int, typer.Argument(help="The proxy's number, as `proxies list` shows it.", min=1, max=BIGGEST)]
OfHost = Annotated[str | None, typer.Option("--host", help="Only for this host.", show_default="altogether")]


@app.command("list")
def list_proxies(data: Data = None, as_json: Json = False) -> None:
    """List the proxies and how each fares; never a password."""

    async def work(settings: Settings) -> list[Proxy]:
        async with open_store(settings) as store, store.db.read() as db:
            found, _ = await proxies.listed(
                db, is_active=None, country_code=None, provider=None, limit=_ALL, offset=0, now=store.clock.now()
            )
            return found

    found = loop.run(work(load_settings(data)))
    if as_json:
        return print_json([asdict(each) | {"health": each.health} for each in found])
    if not found:
        return answer("No proxies yet; `lamplighter proxies add URL` adds one.")
    return tables.show(_COLUMNS, [_row(each) for each in found])


@app.command()
def add(
    url: Annotated[str, typer.Argument(help="http://proxy.example:8080, https://… or socks5://….")],
    username: Annotated[str | None, typer.Option(help="Who asks, unless the URL says it.")] = None,
    password: Annotated[
        bool, typer.Option("--password", help="Read a password from standard input, or ask for it on a terminal.")
    ] = False,
    country: Annotated[str | None, typer.Option(help="Where it leaves to the web: two letters.")] = None,
    provider: Annotated[str | None, typer.Option(help="Whom it is rented from.")] = None,
    max_per_hour: Annotated[
        int | None, typer.Option(min=1, max=10_000_000, help="Requests an hour.", show_default="1000")
    ] = None,
    data: Data = None,
) -> None:
    """Add a proxy; its password is encrypted and never shown again."""
    settings = load_settings(data)
    new = ProxySettings(
        url=url,
        username=username,
        password=_password() if password else None,
        country_code=country,
        provider=provider,
        max_requests_per_hour=max_per_hour,
    )
    vault = vault_of(settings)
    proxy_id = in_transaction(settings, lambda db, now: proxies.add(db, new, vault=vault, actor=ACTOR, now=now))
    answer(f"Proxy {proxy_id} is added; `lamplighter proxies assign HOST {proxy_id}` lets a host be asked through it.")


@app.command()
def enable(number: Number, host: OfHost = None, data: Data = None) -> None:
    """Let a proxy be used again, its failures in a row forgotten."""
    _do(proxies.enable, domain_proxies.enable, number, host, data)
    answer(f"Proxy {number} may be used{_for(host)}.")


@app.command()
def disable(number: Number, host: OfHost = None, data: Data = None) -> None:
    """Leave a proxy alone until it is enabled."""
    _do(proxies.disable, domain_proxies.disable, number, host, data)
    answer(f"Proxy {number} is not used{_for(host)} until `lamplighter proxies enable` says so.")


@app.command()
def remove(number: Number, host: OfHost = None, data: Data = None) -> None:
    """Forget a proxy, or take it from one host."""
    _do(proxies.remove, domain_proxies.remove, number, host, data)
    answer(f"Proxy {number} is taken from {host}." if host else f"Proxy {number} is forgotten.")


@app.command()
def assign(
    host: Annotated[str, typer.Argument(help="A host where a source starts, or that pages are submitted for.")],
    numbers: Annotated[list[int], typer.Argument(help="Proxies, by their numbers.", min=1, max=BIGGEST)],
    priority: Annotated[int, typer.Option(min=0, max=100, help="Higher is used sooner.")] = 50,
    data: Data = None,
) -> None:
    """Let a host be asked through these proxies; one that it has already takes the priority."""

    async def work(db: Connection, now: datetime) -> list[int]:
        host_id = await domain_proxies.host_called(db, host)
        return await domain_proxies.assign(db, host_id, numbers, priority=priority, actor=ACTOR, now=now)

    assigned = in_transaction(load_settings(data), work)
    answer(f"{host} is asked through {'proxy' if len(assigned) == 1 else 'proxies'} {', '.join(map(str, assigned))}.")


@app.command()
def advise(
    hosts: Annotated[list[str] | None, typer.Argument(help="Hosts.", show_default="all that have proxies")] = None,
    per_proxy: Annotated[
        int | None,
        typer.Option(
            min=1, max=10_000_000, help="Requests an hour of one proxy to one host.", show_default="the setting"
        ),
    ] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Say how many proxies hosts should have, at the rate at which they are asked."""
    settings = load_settings(data)
    limit = per_proxy or settings.proxy_requests_per_hour

    async def work() -> list[PoolAdvice]:
        async with open_store(settings) as store, store.db.read() as db:
            now = store.clock.now()
            if hosts:
                return await pool_advice.of_names(db, hosts, per_proxy=limit, now=now)
            exits, _ = await domain_proxies.listed(db, limit=_ALL, offset=0, now=now)
            return await pool_advice.of_exits(db, exits, per_proxy=limit, now=now)

    advice = loop.run(work())
    if as_json:
        return print_json([asdict(each) | {"basis": each.basis, "text": each.words} for each in advice])
    if not advice:
        return answer("No host has proxies of its own; `lamplighter proxies advise HOST` advises for any host.")
    for each in advice:
        answer(f"{each.host}: {each.words}" + (f" (by {each.basis})" if each.size.ample else ""))
    return None


app.command("test")(proxy_tests.run)


def _do(altogether: Any, for_host: Any, number: int, host: str | None, data: Any) -> None:
    async def work(db: Connection, now: datetime) -> None:
        if host is None:
            await altogether(db, number, actor=ACTOR, now=now)
            return
        await for_host(db, await domain_proxies.host_called(db, host), number, actor=ACTOR, now=now)

    in_transaction(load_settings(data), work)


def _for(host: str | None) -> str:
    return f" for {host}" if host else ""


def _password() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, err=True))
    return sys.stdin.read().rstrip("\r\n")


def _row(each: Proxy) -> tuple[object, ...]:
    user = f"{each.username}@" if each.username else ""
    return (
        each.id,
        f"{each.protocol}://{user}{each.address}:{each.port}" + (" (settings)" if each.in_default_pool else ""),
        _health(each),
        f"{each.requests_this_hour}/{each.max_requests_per_hour}",
        each.success_total,
        each.failure_total,
        each.failure_count,
        each.last_error,
    )


def _health(proxy: Proxy) -> str:
    if proxy.resting_until is not None and proxy.health is Health.RESTING:
        return f"resting until {proxy.resting_until:%H:%M} UTC"
    return _WORDS.get(proxy.health, str(proxy.health))
