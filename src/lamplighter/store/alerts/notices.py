"""SQL about notices: written with what happened, taken by notification routing."""

from collections.abc import Collection, Iterable
from typing import Any

import sqlalchemy as sa

from lamplighter.model.crawl import RunOutcome, Trigger
from lamplighter.model.fields import loaded, plain
from lamplighter.model.notification import Notice
from lamplighter.model.record import RecordKind
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_runs, notices, notification_channels, page_orders, pages, records


async def write(db: Connection, some: Iterable[Notice]) -> None:
    """Writes notices, in the transaction of what happened."""
    if rows := [plain(each, Notice) for each in some]:
        await db.execute(sa.insert(notices), rows)


async def are_there(db: Connection) -> bool:
    """Whether there are notices."""
    return bool(await db.scalar(sa.select(sa.exists().where(notices.c.id.is_not(None)))))


async def take(db: Connection, *, limit: int) -> list[Notice]:
    """Takes the oldest notices, in their order; they are deleted when the transaction commits."""
    first = sa.select(notices.c.id).order_by(notices.c.id).limit(limit).with_for_update(skip_locked=True)
    taken = await db.execute(sa.delete(notices).where(notices.c.id.in_(first)).returning(notices))
    rows: list[Any] = sorted(taken, key=lambda row: row.id)
    return [Notice(**loaded(row._mapping, Notice)) for row in rows]


async def forget_sources(db: Connection, source_ids: Collection[int]) -> None:
    """Deletes the notices of sources that are no more."""
    await db.execute(sa.delete(notices).where(notices.c.source_id.in_(source_ids)))


async def end_before(db: Connection, run_id: int, *, source_id: int) -> Any:
    """Outcome and message of a source's latest run before this one, or None; without runs of tasks."""
    query = (
        sa.select(crawl_runs.c.outcome, crawl_runs.c.message)
        .where(crawl_runs.c.source_id == source_id, crawl_runs.c.id != run_id, crawl_runs.c.trigger != Trigger.TASKS)
        .where(crawl_runs.c.outcome.is_not(None), crawl_runs.c.outcome != RunOutcome.CANCELLED)
        .order_by(crawl_runs.c.started_at.desc(), crawl_runs.c.id.desc())
    )
    return (await db.execute(query.limit(1))).one_or_none()


async def tasks_among(db: Connection, page_ids: Collection[int]) -> list[Any]:
    """Those of the pages that are tasks: id, source, URL, the product found there, and the channel of its webhook."""
    product = (
        sa.select(sa.func.min(records.c.id))
        .where(records.c.page_id == pages.c.id, records.c.kind == RecordKind.PRODUCT, records.c.gone_at.is_(None))
        .scalar_subquery()
    )
    query = (
        sa.select(
            pages.c.id,
            pages.c.source_id,
            pages.c.url,
            pages.c.phase,
            product.label("product_id"),
            notification_channels.c.id.label("channel_id"),
        )
        .join(page_orders, page_orders.c.page_id == pages.c.id)
        .outerjoin(notification_channels, notification_channels.c.id == page_orders.c.channel_id)
        .where(pages.c.id.in_(sorted(page_ids)))
        .order_by(pages.c.id)
    )
    return list((await db.execute(query)).all())
