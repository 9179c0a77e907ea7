"""SQL that purges what is stored of a site, in batches.

There is no index of all rows of a site, because only purging would use it. So tables are scanned by ranges of ids,
each short enough not to block other transactions.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.schema.tables import (
    crawl_jobs,
    hosts,
    pages,
    record_changes,
    records,
    robots_files,
    run_log_lines,
    tombstones,
)

#: ids checked in one statement
RANGE = 5_000
_NO_KEY = sa.null().label("body_key")
_NO_URL = sa.null().label("page_url")


class SiteReach(NamedTuple):
    """Where rows of a site can be: rather too wide than too narrow."""

    #: a part of every URL of the site
    hostname: str
    host_ids: tuple[int, ...]


class Near(NamedTuple):
    """A row that may belong to the site: its own URL, and the URL of its page."""

    id: int
    url: str | None
    page_url: str | None
    #: its body's key in the archive
    body_key: str | None


async def hosts_named(db: Connection, hostname: str) -> list[tuple[int, str]]:
    """Hosts whose key contains this name, id and key."""
    query = sa.select(hosts.c.id, hosts.c.key).where(hosts.c.key.contains(hostname, autoescape=True))
    return [(row.id, row.key) for row in await db.execute(query)]


async def near(db: Connection, table: sa.Table, reach: SiteReach, *, after: int) -> list[Near]:
    """The rows that may belong to a site among the next ids of a table."""
    query = _QUERIES[table.name](reach).where(table.c.id > after, table.c.id <= after + RANGE)
    return [Near._make(row) for row in await db.execute(query.order_by(table.c.id))]


def _of_pages(reach: SiteReach) -> sa.Select[tuple[object, ...]]:
    return sa.select(pages.c.id, pages.c.url, _NO_URL, pages.c.body_key).where(pages.c.host_id.in_(reach.host_ids))


def _of_records(reach: SiteReach) -> sa.Select[tuple[object, ...]]:
    is_near = sa.or_(pages.c.host_id.in_(reach.host_ids), records.c.url.contains(reach.hostname, autoescape=True))
    query = sa.select(records.c.id, records.c.url, pages.c.url.label("page_url"), _NO_KEY)
    return query.outerjoin(pages, pages.c.id == records.c.page_id).where(is_near)


def _of_changes(reach: SiteReach) -> sa.Select[tuple[object, ...]]:
    query = sa.select(record_changes.c.id, sa.null().label("url"), pages.c.url.label("page_url"), _NO_KEY)
    return query.join(pages, pages.c.id == record_changes.c.page_id).where(pages.c.host_id.in_(reach.host_ids))


def _of_log(reach: SiteReach) -> sa.Select[tuple[object, ...]]:
    is_near = run_log_lines.c.url.contains(reach.hostname, autoescape=True)
    return sa.select(run_log_lines.c.id, run_log_lines.c.url, _NO_URL, _NO_KEY).where(is_near)


_QUERIES = {
    pages.name: _of_pages,
    records.name: _of_records,
    record_changes.name: _of_changes,
    run_log_lines.name: _of_log,
}


async def remove(db: Connection, table: sa.Table, ids: Collection[int]) -> int:
    """Removes rows and returns how many; rows of a run log are kept without their content."""
    these = table.c.id.in_(sorted(ids))
    if table is run_log_lines:
        nothing = {"url": None, "fields": sa.null(), "message": "(removed by a takedown)"}
        return rows_written(await db.execute(sa.update(run_log_lines).where(these).values(nothing)))
    if table is pages:
        of_them = tombstones.c.page_id.in_(sorted(ids))
        await db.execute(sa.update(tombstones).where(of_them).values(title="(removed by a takedown)"))
    return rows_written(await db.execute(sa.delete(table).where(these)))


async def remove_unused(db: Connection, keys: Sequence[str]) -> list[str]:
    """Deletes those of these hosts that no page and no job belongs to, and returns their keys."""
    has_pages = sa.exists().where(pages.c.host_id == hosts.c.id)
    has_jobs = sa.exists().where(crawl_jobs.c.host_id == hosts.c.id)
    unused = sa.delete(hosts).where(hosts.c.key.in_(keys), ~has_pages, ~has_jobs)
    return list((await db.execute(unused.returning(hosts.c.key))).scalars())


async def remove_robots(db: Connection, origins: Sequence[str]) -> None:
    """Deletes the robots.txt of these origins."""
    await db.execute(sa.delete(robots_files).where(robots_files.c.origin.in_(origins)))
