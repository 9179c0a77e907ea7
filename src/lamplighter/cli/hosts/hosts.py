"""`lamplighter hosts`: host policies, enabling and disabling, takedowns."""

from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import typer

from lamplighter.app import Store, archive_of, source_defaults
from lamplighter.cli.terminal.console import answer, print_json
from lamplighter.cli.terminal.options import Data, Json, Yes, confirm, load_settings
from lamplighter.cli.terminal.transaction import ACTOR, in_reading, in_transaction, with_store
from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.operations.hosts import hosts, takedowns
from lamplighter.operations.hosts import purge as purging
from lamplighter.operations.hosts.purge import StoredOfSite
from lamplighter.rules.formats.plural import counted
from lamplighter.store.engine.database import Connection

app = typer.Typer(no_args_is_help=True, add_completion=False)
Entry = Annotated[str, typer.Argument(help="A domain with its subdomains, or a URL prefix.")]
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
            await hosts.set_policy(db, key, HostChange(**changes), stamp=stamp)
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


@app.command()
def takedown(
    domain_or_url: Entry,
    reason: Annotated[str | None, typer.Option(help="Who requested it, and why.")] = None,
    data: Data = None,
) -> None:
    """Add a domain or URL prefix to the takedown list: it is never fetched again."""
    added = in_transaction(
        load_settings(data), lambda db, stamp: takedowns.add(db, domain_or_url, stamp=stamp, reason=reason)
    )
    paused = f" Sources paused: {added.sources_paused}." if added.sources_paused else ""
    entry = added.takedown.entry
    answer(f"{entry} will not be fetched again.{paused} `lamplighter hosts purge {entry}` deletes its stored data.")


@app.command("takedowns")
def list_takedowns(
    search: Annotated[str | None, typer.Option(help="Only entries that contain this text.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Maximum number to show.")] = 100,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """List the takedowns, newest first."""
    found, total = in_reading(
        load_settings(data), lambda db, stamp: takedowns.listed(db, search=search, limit=limit, offset=0)
    )
    if as_json:
        return print_json([asdict(each) for each in found])
    for each in found:
        answer(f"{each.entry}  {each.created_at:%Y-%m-%d}  {each.reason or ''}".rstrip())
    return answer(f"{len(found)} of {total} takedowns.")


@app.command("remove-takedown")
def remove_takedown(domain_or_url: Entry, data: Data = None) -> None:
    """Remove a domain or URL prefix from the takedown list; its paused sources resume."""
    resumed = in_transaction(load_settings(data), lambda db, stamp: takedowns.remove(db, domain_or_url, stamp=stamp))
    answer(f"{domain_or_url} may be fetched again; {counted(resumed, 'source')} resumed.")


@app.command()
def purge(
    domain_or_url: Entry,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be deleted.")] = False,
    yes: Yes = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Delete the stored data of a domain or URL prefix on the takedown list: pages, bodies, records, histories."""
    settings = load_settings(data)

    async def preview(store: Store) -> StoredOfSite:
        if not dry_run:
            # Refuses an entry that is not on the list before the confirmation prompt.
            await store.db.look(lambda db: takedowns.get(db, domain_or_url))
        return await purging.preview(store.db, domain_or_url)

    async def purge_it(store: Store) -> StoredOfSite:
        archive = archive_of(settings, store.clock)
        return await purging.purge(store.db, archive, domain_or_url, actor=ACTOR, clock=store.clock)

    if not dry_run and not yes:
        confirm(f"{_counted(with_store(settings, preview))} of {domain_or_url}")
    stored = with_store(settings, preview if dry_run else purge_it)
    if as_json:
        return print_json(asdict(stored))
    return answer(f"{_counted(stored)} {'would be removed' if dry_run else 'removed'}.")


#: nouns for the fields of StoredOfSite
_NOUNS = ("page", "body", "record", "change", "log line")


def _counted(stored: StoredOfSite) -> str:
    return ", ".join(counted(count, noun) for noun, count in zip(_NOUNS, asdict(stored).values(), strict=True))
