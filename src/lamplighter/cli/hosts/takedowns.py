"""The takedown commands of `lamplighter hosts`."""

from dataclasses import asdict
from typing import Annotated

import typer

from lamplighter.app import archive_of, open_store
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.confirming import Yes, confirm
from lamplighter.cli.terminal.console import answer, print_json
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import ACTOR, in_reading, in_transaction
from lamplighter.operations.hosts import purge as purging
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.hosts.purge import StoredOfSite
from lamplighter.rules.formats.plural import counted

Entry = Annotated[str, typer.Argument(help="A domain with its subdomains, or a URL prefix.")]


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


def remove_takedown(domain_or_url: Entry, data: Data = None) -> None:
    """Remove a domain or URL prefix from the takedown list; its paused sources resume."""
    resumed = in_transaction(load_settings(data), lambda db, stamp: takedowns.remove(db, domain_or_url, stamp=stamp))
    answer(f"{domain_or_url} may be fetched again; {counted(resumed, 'source')} resumed.")


def purge(
    domain_or_url: Entry,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be deleted.")] = False,
    yes: Yes = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Delete the stored data of a domain or URL prefix on the takedown list: pages, bodies, records, histories."""
    settings = load_settings(data)

    async def preview() -> StoredOfSite:
        async with open_store(settings) as store:
            if not dry_run:
                async with store.db.read() as db:
                    await takedowns.get(
                        db, domain_or_url
                    )  # refuses an entry that is not on the list before the confirmation prompt
            return await purging.preview(store.db, domain_or_url)

    async def purge_it() -> StoredOfSite:
        async with open_store(settings) as store:
            archive = archive_of(settings, store.clock)
            return await purging.purge(store.db, archive, domain_or_url, actor=ACTOR, clock=store.clock)

    if not dry_run and not yes:
        confirm(f"{_counted(loop.run(preview()))} of {domain_or_url}")
    stored = loop.run(preview() if dry_run else purge_it())
    if as_json:
        return print_json(asdict(stored))
    return answer(f"{_counted(stored)} {'would be removed' if dry_run else 'removed'}.")


#: nouns for the fields of StoredOfSite
_NOUNS = ("page", "body", "record", "change", "log line")


def _counted(stored: StoredOfSite) -> str:
    return ", ".join(counted(count, noun) for noun, count in zip(_NOUNS, asdict(stored).values(), strict=True))
