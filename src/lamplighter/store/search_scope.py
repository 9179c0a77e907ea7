"""SQL that looks up what a filter says of the sources of records, for a search server that knows them by id only.

Tags, hosts and addresses of sources change without any of their records changing; so they stay here.
"""

from collections.abc import Iterator

import sqlalchemy as sa

from lamplighter.model.record_search import RecordFilter
from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_jobs, hosts, source_tags, sources


async def source_ids(db: Connection, wanted: RecordFilter, *, most: int) -> tuple[int, ...] | None:
    """The sources that a filter restricts records to, as many as `most`; None when it does not."""
    conditions = list(_conditions(wanted))
    if not conditions:
        return None
    if wanted.source_id is None and wanted.source_url is None:
        # Who asks for a source by name may see what it found; elsewhere, a deleted source takes its records along.
        conditions.append(sources.c.deleted_at.is_(None))
    query = sa.select(sources.c.id).where(*conditions).order_by(sources.c.id).limit(most)
    return tuple(await db.scalars(query))


def _conditions(wanted: RecordFilter) -> Iterator[sa.ColumnElement[bool]]:
    if wanted.source_id is not None:
        yield sources.c.public_id == wanted.source_id
    if wanted.source_url is not None:
        yield sources.c.url == wanted.source_url
    if wanted.tag is not None:
        yield sources.c.id.in_(sa.select(source_tags.c.source_id).where(source_tags.c.tag == wanted.tag))
    if wanted.host is not None:
        yield is_at(sources.c.id, hosts.c.key == wanted.host.lower())
    if wanted.host_id is not None:
        yield is_at(sources.c.id, hosts.c.id == wanted.host_id)


def is_at(source_id: sa.ColumnElement[int], which: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Whether a source is at a host: its start page is asked of it, or pages are submitted for it."""
    watched = sa.select(crawl_jobs.c.source_id).join(hosts, hosts.c.id == crawl_jobs.c.host_id).where(which)
    submitted = sa.select(hosts.c.task_source_id).where(which, hosts.c.task_source_id.is_not(None))
    return sa.or_(source_id.in_(watched), source_id.in_(submitted))
