"""`lamplighter hosts`: how gently a host is asked, and whether at all."""

from datetime import datetime, timedelta
from typing import Annotated, Any

import typer

from lamplighter.app import norms
from lamplighter.cli import takedowns
from lamplighter.cli.console import answer
from lamplighter.cli.options import Data, load_settings
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.errors import BadInput
from lamplighter.operations import hosts
from lamplighter.store.database import Connection

app = typer.Typer(help="Hosts: their policies, and takedowns.", no_args_is_help=True, add_completion=False)
Host = Annotated[str, typer.Argument(help="example.org, with :port when it is not the usual one.")]


@app.command()
def policy(
    host: Host,
    min_delay_ms: Annotated[int | None, typer.Option(help="Least milliseconds between two requests.")] = None,
    max_concurrency: Annotated[int | None, typer.Option(help="Requests in flight at once.")] = None,
    max_pages: Annotated[int | None, typer.Option(help="Pages of one run.")] = None,
    max_page_kb: Annotated[int | None, typer.Option(help="Decompressed kibibytes of one page.")] = None,
    allow_js: Annotated[
        bool | None, typer.Option(help="Read its pages in a browser, after their scripts have run.")
    ] = None,
    windows: Annotated[
        str | None, typer.Option(help='When it may be asked, for example "deny 02:00-04:00 UTC"; "" means at any time.')
    ] = None,
    budget_per_hour: Annotated[float | None, typer.Option(help="Fetches per hour, over all its sources.")] = None,
    proxy_mode: Annotated[
        str | None,
        typer.Option(help='only (through proxies or not at all), prefer, never; "" leaves it to the installation.'),
    ] = None,
    proxy_country: Annotated[
        str | None, typer.Option(help='Only through proxies of this country, such as DE; "" means of any.')
    ] = None,
    data: Data = None,
) -> None:
    """Change what we allow ourselves on a host. What robots.txt or the host itself asks for still comes first."""
    given = {
        "min_delay_ms": min_delay_ms,
        "max_concurrency": max_concurrency,
        "max_pages": max_pages,
        "max_page_kb": max_page_kb,
        "allow_js": allow_js,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    times: dict[str, Any] = {"windows": windows, "budget_per_hour": budget_per_hour}
    times = {name: value for name, value in times.items() if value is not None}
    exits = {"proxy_mode": proxy_mode, "proxy_country": proxy_country}
    exits = {name: value for name, value in exits.items() if value is not None}
    if not changes and not times and not exits:
        raise BadInput(
            f"nothing to change for {host!r}; give --min-delay-ms, --max-concurrency, --max-pages, --max-page-kb, "
            "--allow-js, --windows, --budget-per-hour, --proxy-mode or --proxy-country"
        )
    key, settings = hosts.host_key(host), load_settings(data)

    async def work(db: Connection, now: datetime) -> None:
        if changes:
            await hosts.set_policy(db, key, actor=ACTOR, now=now, **changes)
        if times:
            await hosts.set_times(db, key, actor=ACTOR, now=now, norms=norms(settings), **times)
        if exits:
            given = {name: value or None for name, value in exits.items()}
            await hosts.change_exits(db, key, given, actor=ACTOR, now=now)

    in_transaction(settings, work)
    told = {name: "as by default" if value == "" else value for name, value in (changes | times | exits).items()}
    answer(f"{key}: " + ", ".join(f"{name} {value}" for name, value in told.items()))


@app.command("user-agent")
def set_user_agent(
    host: Host,
    name: Annotated[str, typer.Argument(help='The whole User-Agent, with our product token first; "" goes back.')],
    data: Data = None,
) -> None:
    """Say what we call ourselves on a host; robots.txt is still read for our own name."""
    key, settings = hosts.host_key(host), load_settings(data)
    ours = settings.resolved_user_agent
    in_transaction(
        settings, lambda db, now: hosts.set_user_agent(db, key, name or None, ours=ours, actor=ACTOR, now=now)
    )
    answer(f"{key} is asked as {name or ours}")


@app.command()
def enable(host: Host, data: Data = None) -> None:
    """Let a host be asked again."""
    key, settings = hosts.host_key(host), load_settings(data)
    deadline = timedelta(minutes=settings.run_deadline_minutes)
    in_transaction(settings, lambda db, now: hosts.enable(db, key, actor=ACTOR, now=now, run_deadline=deadline))
    answer(f"{key} may be asked.")


@app.command()
def disable(host: Host, data: Data = None) -> None:
    """Ask a host for nothing until it is enabled; what was to be asked of it waits."""
    key = hosts.host_key(host)
    in_transaction(load_settings(data), lambda db, now: hosts.disable(db, key, actor=ACTOR, now=now))
    answer(f"{key} is not asked until `lamplighter hosts enable` says so.")


app.command("takedown")(takedowns.takedown)
app.command("takedowns")(takedowns.list_takedowns)
app.command("remove-takedown")(takedowns.remove_takedown)
app.command("purge")(takedowns.purge)
