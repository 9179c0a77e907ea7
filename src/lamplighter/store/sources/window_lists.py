"""Queries for all crawl windows: of hosts, tags, sources, and overrides of crawl jobs."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_jobs, hosts, sources, tags
from lamplighter.store.schema.types import literal
from lamplighter.store.sources.sources import IS_SHOWN


class StoredWindows(NamedTuple):
    """Windows as stored, and their owner."""

    #: host, tag, source, or override (what a person set for a source's job)
    by: str
    name: str
    #: of the source; None for hosts and tags
    public_id: str | None
    windows: Any


_NOBODY = sa.literal(None, sa.String(36)).label("public_id")


async def all_said(db: Connection, *, limit: int) -> list[StoredWindows]:
    """Hosts first, then tags, overrides and sources, each by name; at most `limit` of each."""
    by_source = (sources.c.name, sources.c.public_id)
    overrides = sa.select(*by_source, crawl_jobs.c.override).join(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
    # JSON null is not SQL's NULL.
    is_set = crawl_jobs.c.override.is_not(None)
    has_override = sa.and_(is_set, sa.cast(crawl_jobs.c.override, sa.Text).contains('"windows"'))
    # Avoids the index of names: SQLite would read all sources along it, and look up the job of each.
    hidden_name = sa.func.coalesce(sources.c.name, "")
    queries: tuple[tuple[str, sa.Select[Any], sa.ColumnElement[Any]], ...] = (
        ("host", sa.select(hosts.c.key, _NOBODY, hosts.c.windows).where(says(hosts.c.windows)), hosts.c.key),
        ("tag", sa.select(tags.c.tag, _NOBODY, tags.c.windows).where(says(tags.c.windows)), tags.c.tag),
        ("override", overrides.where(has_override, IS_SHOWN), hidden_name),
        ("source", sa.select(*by_source, sources.c.windows).where(says(sources.c.windows), IS_SHOWN), sources.c.name),
    )
    found: list[StoredWindows] = []
    for by, query, name in queries:
        rows: Iterable[Sequence[Any]] = await db.execute(query.order_by(name).limit(limit))
        found += [StoredWindows(by, row[0], row[1], row[2]["windows"] if by == "override" else row[2]) for row in rows]
    return [said for said in found if said.windows]


def says(windows: sa.Column[Any]) -> sa.ColumnElement[bool]:
    """Whether there are windows, as the index's condition says it; JSON null is not SQL's NULL."""
    return sa.and_(windows.is_not(None), sa.cast(windows, sa.Text).not_in(literal("[]", "null")))
