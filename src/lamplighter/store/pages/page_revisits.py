"""SQL about the revisit delay of pages: its columns, and the circumstances that decide it."""

from collections.abc import Iterable
from datetime import date
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import RevisitState
from lamplighter.model.schedule import Belief
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_jobs, pages, records, sightings

#: while a page waits to be parsed, `rest_until` holds when it was fetched before (see crawl.fetching.page_revisits)
COLUMNS = (pages.c.belief_a, pages.c.belief_b, pages.c.rest_until, pages.c.missing_count)


class PageCircumstances(NamedTuple):
    """Facts about a page."""

    #: of its source's linked pages: changes found on later visits, and the hours between those visits
    page_changes: float
    page_hours: float
    #: whether it is the own page of records, all of which are past their deadline or gone
    is_closed: bool


_OWN = sa.and_(sightings.c.page_id == pages.c.id, sightings.c.is_own)
_DAY = sa.bindparam("day", type_=records.c.deadline.type)
_IS_OPEN = sa.and_(
    records.c.id == sightings.c.record_id,
    records.c.gone_at.is_(None),
    sa.or_(records.c.deadline.is_(None), records.c.deadline >= _DAY),
)
_CIRCUMSTANCES = (
    sa.select(
        pages.c.id,
        crawl_jobs.c.page_changes,
        crawl_jobs.c.page_hours,
        sa.and_(sa.exists().where(_OWN), ~sa.exists().where(_OWN, _IS_OPEN)).label("is_closed"),
    )
    .join(crawl_jobs, crawl_jobs.c.source_id == pages.c.source_id)
    .where(pages.c.id.in_(sa.bindparam("ids", expanding=True)))
)


async def circumstances(db: Connection, ids: Iterable[int], *, closed_before: date) -> dict[int, PageCircumstances]:
    """The circumstances of pages, in one statement; a deadline before `closed_before` is past."""
    wanted = sorted(ids)
    if not wanted:
        return {}
    rows = await db.execute(_CIRCUMSTANCES, {"ids": wanted, "day": closed_before})
    return {row.id: PageCircumstances(row.page_changes, row.page_hours, bool(row.is_closed)) for row in rows}


def revisit_of(row: Any) -> RevisitState:
    """The revisit state that a row of the pages table holds."""
    is_learnt = row.belief_a is not None and row.belief_b is not None
    belief = Belief(a=row.belief_a, b=row.belief_b) if is_learnt else None
    return RevisitState(belief=belief, until=row.rest_until, missing_count=row.missing_count)


def values(revisit: RevisitState) -> dict[str, Any]:
    """The columns that hold a page's revisit state."""
    return {
        "belief_a": revisit.belief.a if revisit.belief else None,
        "belief_b": revisit.belief.b if revisit.belief else None,
        "rest_until": revisit.until,
        "missing_count": revisit.missing_count,
    }
