"""SQL that counts pages: by stage, by host, by the outcome of their last visits."""

from collections import Counter
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import PageStage, Phase
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages.pages import in_frontier, stands
from lamplighter.store.schema.tables import crawl_runs, hosts, page_orders, pages
from lamplighter.store.schema.types import literal

_COUNT = sa.func.count()


class VisitCounts(NamedTuple):
    """Counts of visit outcomes."""

    completed: int
    failed: int
    #: None when no page was completed
    average_ms: float | None


async def by_stage(db: Connection, *, now: datetime, host_id: int | None = None) -> Counter[PageStage]:
    """Counts pages by stage, of one host or of all."""
    of_page, of_host = (sa.true() if host_id is None else key == host_id for key in (pages.c.host_id, hosts.c.id))
    rows = await db.execute(sa.select(pages.c.phase, _COUNT.label("n")).where(of_page).group_by(pages.c.phase))
    counts = Counter({PageStage(row.phase): row.n for row in rows})
    columns = (_COUNT.label("pages"), sa.func.count(pages.c.requested_at).label("requested"))
    pending = sa.select(*columns).select_from(hosts.join(pages, in_frontier(hosts.c.id)))
    is_due = sa.or_(pages.c.due_at.is_(None), pages.c.due_at <= now)
    held: Any = (await db.execute(pending.where(hosts.c.lease_until > now, is_due, of_host))).one()
    leased = sa.select(_COUNT.label("pages"), sa.func.count(pages.c.parsing_since).label("parsing"))
    leased = leased.where(stands(Phase.DOWNLOADED), pages.c.lease_until > now, of_page)
    read: Any = (await db.execute(leased)).one()
    counts[PageStage.PENDING] -= held.pages
    counts[PageStage.CRAWLING], counts[PageStage.QUEUED] = held.requested, held.pages - held.requested
    counts[PageStage.DOWNLOADED] -= read.pages
    counts[PageStage.PARSING], counts[PageStage.QUEUED_PARSE] = read.parsing, read.pages - read.parsing
    return counts


async def failed_for(db: Connection, reasons: set[str]) -> int:
    """How many pages failed for one of these reasons."""
    failed = pages.c.phase.in_(literal(Phase.FAILED))
    return await queries.count(db, pages, failed, pages.c.reason.in_(sorted(reasons)))


async def by_host(db: Connection, *, limit: int) -> list[tuple[str, int]]:
    """The hosts with most pages."""
    most = (
        sa.select(pages.c.host_id, _COUNT.label("n"))
        .group_by(pages.c.host_id)
        .order_by(_COUNT.desc(), pages.c.host_id)
        .limit(limit)
        .subquery()
    )
    rows = await db.execute(sa.select(hosts.c.key, most.c.n).join(most, most.c.host_id == hosts.c.id))
    return sorted(((row.key, row.n) for row in rows), key=lambda pair: (-pair[1], pair[0]))


async def visits_since(db: Connection, since: datetime, *, host_id: int | None = None) -> VisitCounts:
    """Counts the outcomes of pages that were last in a run begun since then."""
    recent = sa.select(crawl_runs.c.id).where(crawl_runs.c.started_at >= since)
    is_recent: list[Any] = [pages.c.run_id.in_(recent)]
    if host_id is not None:
        is_recent.append(pages.c.host_id == host_id)
    is_completed = pages.c.phase == Phase.COMPLETED
    # A failed page's time is the time we waited without a response.
    average = sa.func.avg(sa.case((is_completed, pages.c.took_ms)))
    counts = (queries.count_if(is_completed), queries.count_if(pages.c.phase == Phase.FAILED), average)
    row: Any = (await db.execute(sa.select(*counts).where(*is_recent))).one()
    completed, failed, took = row
    return VisitCounts(int(completed or 0), int(failed or 0), float(took) if took is not None else None)


async def average_reading_ms(db: Connection, since: datetime) -> float | None:
    """The average CPU time to parse a page, in runs begun since then; None without any."""
    effort, count = (sa.func.sum(crawl_runs.c.figures[name].as_float()) for name in ("parse_cpu_ms", "pages_read"))
    average = await db.scalar(sa.select(effort / sa.func.nullif(count, 0)).where(crawl_runs.c.started_at >= since))
    return float(average) if average is not None else None


async def revisits(db: Connection, *, host_id: int | None = None) -> int:
    """How often submitted pages were visited beyond the first time."""
    query = sa.select(sa.func.sum(page_orders.c.visit_count - 1)).where(page_orders.c.visit_count > 1)
    if host_id is not None:
        query = query.join(pages, pages.c.id == page_orders.c.page_id).where(pages.c.host_id == host_id)
    return int(await db.scalar(query) or 0)
