"""The commands of `lamplighter hosts` about sites that are never asked again."""

from dataclasses import asdict
from typing import Annotated

import typer

from lamplighter.app import archive_of, open_store
from lamplighter.cli import loop
from lamplighter.cli.confirming import Yes, confirm
from lamplighter.cli.console import answer, print_json
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.operations import purge as purging
from lamplighter.operations import takedowns
from lamplighter.operations.purge import Stored
from lamplighter.operations.takedowns import Added, Takedown
from lamplighter.settings import Settings

ACTOR = "command line"
Entry = Annotated[str, typer.Argument(help="A domain with its subdomains, or a URL and all below it.")]


def takedown(
    domain_or_url: Entry,
    reason: Annotated[str | None, typer.Option(help="Who asked for it, and why.")] = None,
    data: Data = None,
) -> None:
    """Never ask a domain or URL prefix again."""

    async def work(settings: Settings) -> Added:
        async with open_store(settings) as store:
            now = store.clock.now()
            return await store.db.write(
                lambda db: takedowns.add(db, domain_or_url, actor=ACTOR, now=now, reason=reason)
            )

    added = loop.run(work(load_settings(data)))
    paused = f" {added.sources_paused} sources are paused." if added.sources_paused else ""
    entry = added.takedown.entry
    answer(f"{entry} will not be asked again.{paused} `lamplighter hosts purge {entry}` forgets what is stored of it.")


def list_takedowns(
    search: Annotated[str | None, typer.Option(help="Only those that contain this.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many.")] = 100,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """List what is never asked again, the newest first."""

    async def work(settings: Settings) -> tuple[list[Takedown], int]:
        async with open_store(settings) as store, store.db.read() as db:
            return await takedowns.listed(db, search=search, limit=limit, offset=0)

    found, total = loop.run(work(load_settings(data)))
    if as_json:
        return print_json([asdict(each) for each in found])
    for each in found:
        answer(f"{each.entry}  {each.created_at:%Y-%m-%d}  {each.reason or ''}".rstrip())
    return answer(f"{len(found)} of {total} takedowns.")


def remove_takedown(domain_or_url: Entry, data: Data = None) -> None:
    """Let a domain or URL prefix be asked again; its paused sources go on."""

    async def work(settings: Settings) -> int:
        async with open_store(settings) as store:
            now = store.clock.now()
            return await store.db.write(lambda db: takedowns.remove(db, domain_or_url, actor=ACTOR, now=now))

    resumed = loop.run(work(load_settings(data)))
    answer(f"{domain_or_url} may be asked again; {resumed} sources go on.")


def purge(
    domain_or_url: Entry,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would go.")] = False,
    yes: Yes = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Forget all that is stored of a domain or URL prefix on the takedown list: pages, bodies, records, histories."""
    settings = load_settings(data)

    async def preview() -> Stored:
        async with open_store(settings) as store:
            if not dry_run:
                async with store.db.read() as db:
                    await takedowns.get(db, domain_or_url)  # refuses what is not on the list before anybody is asked
            return await purging.preview(store.db, domain_or_url)

    async def purge_it() -> Stored:
        async with open_store(settings) as store:
            archive = archive_of(settings, store.clock)
            return await purging.purge(store.db, archive, domain_or_url, actor=ACTOR, clock=store.clock)

    if not dry_run and not yes:
        confirm(f"{_counted(loop.run(preview()))} of {domain_or_url}")
    stored = loop.run(preview() if dry_run else purge_it())
    if as_json:
        return print_json(asdict(stored))
    return answer(f"{_counted(stored)} {'would be removed' if dry_run else 'removed'}.")


def _counted(stored: Stored) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in asdict(stored).items())
