"""Deletes what is stored of a site on the takedown list, piece by piece, while crawling continues."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from lamplighter import telemetry
from lamplighter.crawl.archive.body_moves import rehouse
from lamplighter.model.access import Stamp
from lamplighter.operations.hosts import takedowns
from lamplighter.ports import Archive, Clock
from lamplighter.rules.hosts import cookies, takedown
from lamplighter.rules.urls import urls
from lamplighter.store.access import audit_log
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import purging
from lamplighter.store.hosts.purging import RANGE, Near, SiteReach
from lamplighter.store.pages import bodies, page_versions
from lamplighter.store.schema.tables import pages, record_changes, records, run_log_lines
from lamplighter.store.sources import cookies as stored_cookies

log = telemetry.logger("purge")
#: rows removed in one transaction, with whatever hangs on them
_AT_ONCE = 500
#: the records of a page are removed before the page: afterwards nobody would know that it came from there
_TABLES = (records, record_changes, run_log_lines, pages)
#: a second look finds what was being read during the first; more than this many are not needed
_MOST_LOOKS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOfSite:
    """How much is, or was, stored of a site."""

    pages: int = 0
    #: bodies in the archive
    bodies: int = 0
    records: int = 0
    #: lines in the histories of records; those of the records removed are not counted
    changes: int = 0
    log_lines: int = 0


async def preview(db: Database, domain_or_url: str) -> StoredOfSite:
    """What a purge of this domain or URL prefix would remove; it need not be on the list yet."""
    entry = takedown.entry(domain_or_url)
    reach = await _reach(db, entry)
    counts, held = {table.name: 0 for table in _TABLES}, 0
    for table in _TABLES:
        async for found in _walk(db, table, reach, entry):
            counts[table.name] += len(found)
            held += len(await _bodies(db, table, found))
    return _stored(counts, held)


async def purge(db: Database, archive: Archive | None, domain_or_url: str, *, actor: str, clock: Clock) -> StoredOfSite:
    """Removes all that is stored of an entry of the takedown list. To be repeated when it was interrupted.

    Without an archive, what it holds is not touched.
    """
    async with db.read() as connection:
        entry = (await takedowns.get(connection, domain_or_url)).entry
    counts, held = {table.name: 0 for table in _TABLES}, 0
    for _ in range(_MOST_LOOKS):
        before = sum(counts.values())
        reach = await _reach(db, entry)
        for table in _TABLES:
            async for found in _walk(db, table, reach, entry):
                held += len(await _bodies(db, table, found))
                counts[table.name] += await _remove(db, archive, table, found)
        if sum(counts.values()) == before:
            break
    done = _stored(counts, held)
    after = {name: getattr(done, name) for name in StoredOfSite.__dataclass_fields__}
    stamp = Stamp(actor, clock.now())

    keys = [key for _, key in await _hosts(db, entry)]

    async def note(connection: Connection) -> None:
        await purging.remove_robots(connection, _origins(entry, keys))
        await stored_cookies.forget_sites(connection, {cookies.site_of(urls.parse(f"http://{key}/")) for key in keys})
        await audit_log.write(connection, stamp, "takedown.purge", entry, after=after)

    await db.write(note)
    log.info("takedown.purged", entry=entry, **after)
    return done


async def _hosts(db: Database, entry: str) -> list[tuple[int, str]]:
    """The hosts on which covered pages can be, id and key: for a domain its subdomains too, on every port."""
    hostname = takedown.hostname(entry)
    async with db.read() as connection:
        named = await purging.hosts_named(connection, hostname)
    return [(host_id, key) for host_id, key in named if takedown.matching(f"http://{key}/", [hostname]) is not None]


async def _reach(db: Database, entry: str) -> SiteReach:
    covered = await _hosts(db, entry)
    return SiteReach(hostname=takedown.hostname(entry), host_ids=tuple(host_id for host_id, _ in covered))


async def _walk(db: Database, table: sa.Table, reach: SiteReach, entry: str) -> AsyncIterator[Sequence[Near]]:
    """The rows of a table that the entry covers, a few at a time."""
    async with db.read() as connection:
        last = await queries.greatest_id(connection, table)
    for after in range(0, last, RANGE):
        async with db.read() as connection:
            near = await purging.near(connection, table, reach, after=after)
        covered = [row for row in near if _is_covered(row, entry)]
        for start in range(0, len(covered), _AT_ONCE):
            yield covered[start : start + _AT_ONCE]


def _is_covered(row: Near, entry: str) -> bool:
    return any(url is not None and takedown.matching(url, [entry]) is not None for url in (row.url, row.page_url))


async def _bodies(db: Database, table: sa.Table, rows: Sequence[Near]) -> dict[int, str]:
    """Every body that these pages had in any of their versions: id -> key; nothing but pages has any."""
    if table is not pages:
        return {}
    async with db.read() as connection:
        return await page_versions.bodies_of(connection, [row.id for row in rows])


async def _remove(db: Database, archive: Archive | None, table: sa.Table, rows: Sequence[Near]) -> int:
    ids, held = [row.id for row in rows], await _bodies(db, table, rows)
    keys = sorted({*held.values(), *(row.body_key for row in rows if row.body_key is not None)})
    if archive is not None:
        async with db.read() as connection:
            shared = await bodies.living(connection, held, besides=ids) if held else []
        # Who had the very same content keeps it, as what they sent.
        await rehouse(db, archive, shared)
        # The bodies go first: after a crash in between, their pages are still there to be found by the next purge.
        await archive.discard(keys)

    async def work(connection: Connection) -> int:
        removed = await purging.remove(connection, table, ids)
        await bodies.forget_unneeded(connection, held)
        # A page that got the same content meanwhile will find it gone, and is fetched again.
        await bodies.forget_at(connection, held, keys)
        return removed

    return await db.write(work)


def _origins(entry: str, host_keys: Sequence[str]) -> list[str]:
    """The origins whose robots.txt belongs to the entry: none, when that is only a part of a site."""
    origins = [f"{scheme}://{key}" for key in host_keys for scheme in ("http", "https")]
    return [origin for origin in origins if takedown.matching(f"{origin}/", [entry]) is not None]


def _stored(counts: dict[str, int], held: int) -> StoredOfSite:
    return StoredOfSite(
        pages=counts[pages.name],
        bodies=held,
        records=counts[records.name],
        changes=counts[record_changes.name],
        log_lines=counts[run_log_lines.name],
    )
