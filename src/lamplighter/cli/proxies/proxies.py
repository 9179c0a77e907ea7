"""`lamplighter proxies`: manages proxies and their assignment to hosts."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from lamplighter.app import vault_of
from lamplighter.cli.proxies import proxy_tests
from lamplighter.cli.proxies.proxy_tests import BIGGEST
from lamplighter.cli.terminal import tables
from lamplighter.cli.terminal.console import answer, answer_lines, print_json
from lamplighter.cli.terminal.options import Data, Json, load_settings, read_secret
from lamplighter.cli.terminal.tables import TableColumn
from lamplighter.cli.terminal.transaction import in_reading, in_transaction
from lamplighter.model.access import Stamp
from lamplighter.operations.proxies import domain_proxies, proxies, proxy_pool_advice
from lamplighter.operations.proxies.proxies import ProxyHealth, ProxySettings, ProxyView
from lamplighter.operations.proxies.proxy_pool_advice import PoolAdvice
from lamplighter.store.engine.database import Connection

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
)
#: more than any installation has
_ALL = 100_000
_COLUMNS = (
    TableColumn(heading="No.", rank=0, is_number=True),
    TableColumn(heading="Proxy", rank=1),
    TableColumn(heading="Health", rank=2),
    TableColumn(heading="Hour", rank=6, is_number=True),
    TableColumn(heading="Ok", rank=5, is_number=True),
    TableColumn(heading="Failed", rank=4, is_number=True),
    TableColumn(heading="In a row", rank=7, is_number=True),
    TableColumn(heading="Last error", rank=3, least=20),
)
_WORDS = {ProxyHealth.GOOD: "working", ProxyHealth.UNUSED: "not used yet", ProxyHealth.OFF: "disabled"}

Number = Annotated[int, typer.Argument(help="The proxy's number, as `proxies list` shows it.", min=1, max=BIGGEST)]
OfHost = Annotated[str | None, typer.Option("--host", help="Only for this host.", show_default="altogether")]


@app.command("list")
def list_proxies(data: Data = None, as_json: Json = False) -> None:
    """List the proxies and their health, without passwords."""
    found, _ = in_reading(
        load_settings(data),
        lambda db, stamp: proxies.listed(
            db, is_active=None, country_code=None, provider=None, limit=_ALL, offset=0, now=stamp.now
        ),
    )
    if as_json:
        return print_json([asdict(each) | {"health": each.health} for each in found])
    if not found:
        return answer("No proxies yet; `lamplighter proxies add URL` adds one.")
    return tables.show(_COLUMNS, [_row(each) for each in found])


@app.command()
def add(
    url: Annotated[str, typer.Argument(help="http://proxy.example:8080, https://… or socks5://….")],
    username: Annotated[str | None, typer.Option(help="User name, if the URL has none.")] = None,
    password: Annotated[
        bool, typer.Option("--password", help="Read a password from standard input, or prompt for it on a terminal.")
    ] = False,
    country: Annotated[str | None, typer.Option(help="Country of the proxy, two letters.")] = None,
    provider: Annotated[str | None, typer.Option(help="Provider of the proxy.")] = None,
    max_per_hour: Annotated[
        int | None, typer.Option(min=1, max=10_000_000, help="Maximum requests per hour.", show_default="1000")
    ] = None,
    data: Data = None,
) -> None:
    """Add a proxy; its password is encrypted and never shown again."""
    settings = load_settings(data)
    new = ProxySettings(
        url=url,
        username=username,
        password=read_secret("Password") if password else None,
        country_code=country,
        provider=provider,
        max_requests_per_hour=max_per_hour,
    )
    vault = vault_of(settings)
    proxy_id = in_transaction(settings, lambda db, stamp: proxies.add(db, new, vault=vault, stamp=stamp))
    answer(f"Proxy {proxy_id} was added; `lamplighter proxies assign HOST {proxy_id}` assigns it to a host.")


@app.command()
def enable(number: Number, host: OfHost = None, data: Data = None) -> None:
    """Enable a proxy and reset its failures in a row."""
    _do(proxies.enable, domain_proxies.enable, number, host, data)
    answer(f"Proxy {number} is enabled{_for(host)}.")


@app.command()
def disable(number: Number, host: OfHost = None, data: Data = None) -> None:
    """Disable a proxy."""
    _do(proxies.disable, domain_proxies.disable, number, host, data)
    answer(f"Proxy {number} is disabled{_for(host)}; `lamplighter proxies enable` enables it again.")


@app.command()
def remove(number: Number, host: OfHost = None, data: Data = None) -> None:
    """Remove a proxy, or unassign it from one host."""
    _do(proxies.remove, domain_proxies.remove, number, host, data)
    answer(f"Proxy {number} was unassigned from {host}." if host else f"Proxy {number} was removed.")


@app.command()
def assign(
    host: Annotated[str, typer.Argument(help="The host of a source, or of submitted pages.")],
    numbers: Annotated[list[int], typer.Argument(help="Proxies, by their numbers.", min=1, max=BIGGEST)],
    priority: Annotated[int, typer.Option(min=0, max=100, help="Higher is used first.")] = 50,
    data: Data = None,
) -> None:
    """Assign proxies to a host; an existing assignment gets the new priority."""

    async def work(db: Connection, stamp: Stamp) -> list[int]:
        host_id = await domain_proxies.host_called(db, host)
        return await domain_proxies.assign(db, host_id, numbers, priority=priority, stamp=stamp)

    assigned = in_transaction(load_settings(data), work)
    answer(f"{host} uses {'proxy' if len(assigned) == 1 else 'proxies'} {', '.join(map(str, assigned))}.")


@app.command()
def advise(
    hosts: Annotated[list[str] | None, typer.Argument(help="Hosts.", show_default="all that have proxies")] = None,
    per_proxy: Annotated[
        int | None,
        typer.Option(
            min=1, max=10_000_000, help="Requests per hour of one proxy to one host.", show_default="the setting"
        ),
    ] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Recommend how many proxies hosts need for their request rate."""
    settings = load_settings(data)
    limit = per_proxy or settings.proxy_requests_per_hour

    async def work(db: Connection, stamp: Stamp) -> list[PoolAdvice]:
        if hosts:
            return await proxy_pool_advice.of_names(db, hosts, per_proxy=limit, now=stamp.now)
        pools, _ = await domain_proxies.listed(db, limit=_ALL, offset=0, now=stamp.now)
        return await proxy_pool_advice.of_proxies(db, pools, per_proxy=limit, now=stamp.now)

    advice = in_reading(settings, work)
    if as_json:
        return print_json([asdict(each) | {"basis": each.basis, "text": each.words} for each in advice])
    if not advice:
        return answer("No host has proxies of its own; `lamplighter proxies advise HOST` works for any host.")
    return answer_lines(f"{each.host}: {each.words}{f' (by {each.basis})' * each.size.ample}" for each in advice)


app.command("test")(proxy_tests.run)


def _do(altogether: Any, for_host: Any, number: int, host: str | None, data: Any) -> None:
    async def work(db: Connection, stamp: Stamp) -> None:
        if host is None:
            await altogether(db, number, stamp=stamp)
            return
        await for_host(db, await domain_proxies.host_called(db, host), number, stamp=stamp)

    in_transaction(load_settings(data), work)


def _for(host: str | None) -> str:
    return f" for {host}" if host else ""


def _row(each: ProxyView) -> tuple[object, ...]:
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


def _health(proxy: ProxyView) -> str:
    if proxy.resting_until is not None and proxy.health is ProxyHealth.RESTING:
        return f"cooling down until {proxy.resting_until:%H:%M} UTC"
    return _WORDS.get(proxy.health, str(proxy.health))
