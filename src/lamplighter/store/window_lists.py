"""SQL about everybody who says when crawling is allowed: hosts, tags, sources, and persons who set it for one job."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.sources import IS_SHOWN
from lamplighter.store.tables import crawl_jobs, hosts, sources, tags
from lamplighter.store.types import literal


class Said(NamedTuple):
    """Windows as stored, and whose they are."""

    #: host, tag, source, or override: what a person set for a source's job
    by: str
    name: str
    #: of a source; None of hosts and tags
    public_id: str | None
    windows: Any


_NOBODY = sa.literal(None, sa.String(36)).label("public_id")


async def all_said(db: Connection, *, limit: int) -> list[Said]:
    """Hosts first, then tags, overrides and sources, each by name; no more than `limit` of each."""
    by_source = (sources.c.name, sources.c.public_id)
    overrides = sa.select(*by_source, crawl_jobs.c.override).join(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
    # A JSON null is not the database's.
    is_set = crawl_jobs.c.override.is_not(None)
    has_override = sa.and_(is_set, sa.cast(crawl_jobs.c.override, sa.Text).contains('"windows"'))
    # Hidden from the index of names: SQLite would walk all sources along it, and look up the job of each.
    hidden_name = sa.func.coalesce(sources.c.name, "")
    queries: tuple[tuple[str, sa.Select[Any], sa.ColumnElement[Any]], ...] = (
        ("host", sa.select(hosts.c.key, _NOBODY, hosts.c.windows).where(says(hosts.c.windows)), hosts.c.key),
        ("tag", sa.select(tags.c.tag, _NOBODY, tags.c.windows).where(says(tags.c.windows)), tags.c.tag),
        ("override", overrides.where(has_override, IS_SHOWN), hidden_name),
        ("source", sa.select(*by_source, sources.c.windows).where(says(sources.c.windows), IS_SHOWN), sources.c.name),
    )
    found: list[Said] = []
    for by, query, name in queries:
        rows: Iterable[Sequence[Any]] = await db.execute(query.order_by(name).limit(limit))
        found += [Said(by, row[0], row[1], row[2]["windows"] if by == "override" else row[2]) for row in rows]
    return [said for said in found if said.windows]


def says(windows: sa.Column[Any]) -> sa.ColumnElement[bool]:
    """Whether there are windows, in the words of their index; a JSON null is not the database's."""
    return sa.and_(windows.is_not(None), sa.cast(windows, sa.Text).not_in(literal("[]", "null")))
