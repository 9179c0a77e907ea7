"""SQL for the grid of lamps: every source with what its state depends on, and what the grid is grouped by."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import job_conditions
from lamplighter.store.schema import tally_ddl
from lamplighter.store.schema.tables import crawl_jobs, hosts, source_tags, sources
from lamplighter.store.sources.sources import IS_SHOWN

#: lamps of one page; more could not be told apart
MOST = 20_000
_FACTS: list[sa.ColumnElement[Any]] = [
    sa.literal_column(fact.format("crawl_jobs")).label(name) for name, fact in tally_ddl.JOB_FACTS.items()
]

#: one row a tag: a row for each of its sources would take five times as long to hand over
_TAGS = sa.select(
    source_tags.c.tag, sa.func.aggregate_strings(sa.cast(source_tags.c.source_id, sa.String), ",").label("ids")
).group_by(source_tags.c.tag)


async def everything(db: Connection, *, now: datetime, since: datetime | None = None) -> Sequence[Any]:
    """Every source, or those whose job changed since then: id, name, enabled, host, waits, facts of the job."""
    waits = sa.or_(*job_conditions.waits(now)).label("waits")
    query = (
        sa.select(sources.c.id, sources.c.name, sources.c.enabled, hosts.c.key.label("host"), waits, *_FACTS)
        .select_from(
            sources.outerjoin(crawl_jobs, crawl_jobs.c.source_id == sources.c.id).outerjoin(
                hosts, hosts.c.id == crawl_jobs.c.host_id
            )
        )
        .where(IS_SHOWN)
    )
    if since is not None:
        query = query.where(crawl_jobs.c.updated_at >= since)
    # Not by name: to read the rows in that order takes longer than to sort them.
    return (await db.execute(query.order_by(sources.c.id).limit(MOST))).all()


async def tags(db: Connection) -> dict[str, list[int]]:
    """The sources of every tag, by their ids."""
    return {row.tag: [int(each) for each in row.ids.split(",")] for row in await db.execute(_TAGS)}


async def public_id(db: Connection, source_id: int) -> str | None:
    """The public id of a source by its number; None when there is none."""
    found: str | None = await db.scalar(sa.select(sources.c.public_id).where(sources.c.id == source_id, IS_SHOWN))
    return found
