"""`lamplighter hosts`: host policies, enabling and disabling."""

from datetime import timedelta
from typing import Annotated, Any

import typer

from lamplighter.app import source_defaults
from lamplighter.cli.hosts import takedowns
from lamplighter.cli.terminal.console import answer
from lamplighter.cli.terminal.options import Data, load_settings
from lamplighter.cli.terminal.transaction import in_transaction
from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.operations.hosts import hosts
from lamplighter.store.engine.database import Connection

app = typer.Typer(help="Hosts: policies and takedowns.", no_args_is_help=True, add_completion=False)
Host = Annotated[str, typer.Argument(help="example.org, with :port if it is not the default port.")]


@app.command()
def policy(
    host: Host,
    min_delay_ms: Annotated[int | None, typer.Option(help="Minimum milliseconds between two requests.")] = None,
    max_concurrency: Annotated[int | None, typer.Option(help="Maximum concurrent requests.")] = None,
    max_pages: Annotated[int | None, typer.Option(help="Maximum pages per run.")] = None,
    max_page_kb: Annotated[int | None, typer.Option(help="Maximum decompressed size of one page in KiB.")] = None,
    allow_js: Annotated[bool | None, typer.Option(help="Render its pages in a browser, with scripts.")] = None,
    windows: Annotated[
        str | None, typer.Option(help='Crawl windows, for example "deny 02:00-04:00 UTC"; "" means at any time.')
    ] = None,
    budget_per_hour: Annotated[
        float | None, typer.Option(help="Maximum fetches per hour over all its sources.")
    ] = None,
    proxy_mode: Annotated[
        str | None,
        typer.Option(help='only (never without a proxy), prefer, never; "" uses the default.'),
    ] = None,
    proxy_country: Annotated[
        str | None, typer.Option(help='Only proxies of this country, such as DE; "" means any.')
    ] = None,
    data: Data = None,
) -> None:
    """Change the policy of a host; robots.txt and Retry-After still come first."""
    changes = _given(
        min_delay_ms=min_delay_ms,
        max_concurrency=max_concurrency,
        max_pages=max_pages,
        max_page_kb=max_page_kb,
        allow_js=allow_js,
    )
    times = _given(windows=windows, budget_per_hour=budget_per_hour)
    proxies = _given(proxy_mode=proxy_mode, proxy_country=proxy_country)
    if not changes and not times and not proxies:
        raise BadInput(
            f"nothing to change for {host!r}; give --min-delay-ms, --max-concurrency, --max-pages, --max-page-kb, "
            "--allow-js, --windows, --budget-per-hour, --proxy-mode or --proxy-country"
        )
    key, settings = hosts.host_key(host), load_settings(data)

    async def work(db: Connection, stamp: Stamp) -> None:
        if changes:
            await hosts.set_policy(db, key, stamp=stamp, **changes)
        if times:
            await hosts.set_times(db, key, stamp=stamp, source_defaults=source_defaults(settings), **times)
        if proxies:
            await hosts.change_proxies(db, key, {name: value or None for name, value in proxies.items()}, stamp=stamp)

    in_transaction(settings, work)
    result = {name: "default" if value == "" else value for name, value in (changes | times | proxies).items()}
    answer(f"{key}: " + ", ".join(f"{name} {value}" for name, value in result.items()))


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


@app.command("user-agent")
def set_user_agent(
    host: Host,
    name: Annotated[str, typer.Argument(help='The whole User-Agent, beginning with our product token; "" resets it.')],
    data: Data = None,
) -> None:
    """Set the User-Agent for a host; robots.txt rules still match our own name."""
    key, settings = hosts.host_key(host), load_settings(data)
    ours = settings.resolved_user_agent
    in_transaction(settings, lambda db, stamp: hosts.set_user_agent(db, key, name or None, ours=ours, stamp=stamp))
    answer(f"Requests to {key} use the User-Agent {name or ours}")


@app.command()
def enable(host: Host, data: Data = None) -> None:
    """Enable a host."""
    key, settings = hosts.host_key(host), load_settings(data)
    deadline = timedelta(minutes=settings.run_deadline_minutes)
    in_transaction(settings, lambda db, stamp: hosts.enable(db, key, stamp=stamp, run_deadline=deadline))
    answer(f"{key} is enabled.")


@app.command()
def disable(host: Host, data: Data = None) -> None:
    """Disable a host: no request is sent until it is enabled; its pages wait."""
    key = hosts.host_key(host)
    in_transaction(load_settings(data), lambda db, stamp: hosts.disable(db, key, stamp=stamp))
    answer(f"{key} is disabled; `lamplighter hosts enable` enables it again.")


app.command("takedown")(takedowns.takedown)
app.command("takedowns")(takedowns.list_takedowns)
app.command("remove-takedown")(takedowns.remove_takedown)
app.command("purge")(takedowns.purge)
