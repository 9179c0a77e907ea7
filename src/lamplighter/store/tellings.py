"""SQL about what there is to tell: how the run before ended, what records are new, which tasks are done."""

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from lamplighter.model.crawl import Outcome, Trigger
from lamplighter.model.record import RecordKind
from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_runs, page_orders, pages, records


async def end_before(db: Connection, run_id: int, *, source_id: int) -> Any:
    """Outcome and message of a source's latest run before this one, or None; those of submitted pages left out."""
    query = (
        sa.select(crawl_runs.c.outcome, crawl_runs.c.message)
        .where(crawl_runs.c.source_id == source_id, crawl_runs.c.id != run_id, crawl_runs.c.trigger != Trigger.TASKS)
        .where(crawl_runs.c.outcome.is_not(None), crawl_runs.c.outcome != Outcome.CANCELLED)
        .order_by(crawl_runs.c.started_at.desc(), crawl_runs.c.id.desc())
    )
    return (await db.execute(query.limit(1))).one_or_none()


async def newest_records(db: Connection, source_id: int, *, limit: int) -> list[dict[str, str]]:
    """Titles and URLs of the records that a source found last."""
    query = sa.select(records.c.title, records.c.url).where(records.c.source_id == source_id)
    rows = await db.execute(query.order_by(records.c.id.desc()).limit(limit))
    return [{"title": row.title, "url": row.url} for row in rows]


async def tasks_among(db: Connection, page_ids: Collection[int]) -> list[Any]:
    """Those of the pages that somebody submitted: id, source, URL, and the product found there, if any."""
    product = (
        sa.select(sa.func.min(records.c.id))
        .where(records.c.page_id == pages.c.id, records.c.kind == RecordKind.PRODUCT, records.c.gone_at.is_(None))
        .scalar_subquery()
    )
    query = (
        sa.select(pages.c.id, pages.c.source_id, pages.c.url, pages.c.phase, product.label("product_id"))
        .join(page_orders, page_orders.c.page_id == pages.c.id)
        .where(pages.c.id.in_(sorted(page_ids)))
        .order_by(pages.c.id)
    )
    return list((await db.execute(query)).all())
