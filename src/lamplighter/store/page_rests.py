"""SQL about how long pages rest: what is stored of it, and what else has a say."""

from collections.abc import Iterable
from datetime import date
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import Rest
from lamplighter.model.schedule import Belief
from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_jobs, pages, records, sightings

#: of a page; while it waits to be read, `rest_until` says when it was had before (see crawl.resting)
COLUMNS = (pages.c.belief_a, pages.c.belief_b, pages.c.rest_until, pages.c.missing_count)


class Circumstances(NamedTuple):
    """What surrounds a page."""

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


async def circumstances(db: Connection, ids: Iterable[int], *, closed_before: date) -> dict[int, Circumstances]:
    """The circumstances of pages, in one statement; a deadline before `closed_before` is past."""
    wanted = sorted(ids)
    if not wanted:
        return {}
    rows = await db.execute(_CIRCUMSTANCES, {"ids": wanted, "day": closed_before})
    return {row.id: Circumstances(row.page_changes, row.page_hours, bool(row.is_closed)) for row in rows}


def rest_of(row: Any) -> Rest:
    """What a row of the table says about the page's rest."""
    is_learnt = row.belief_a is not None and row.belief_b is not None
    belief = Belief(a=row.belief_a, b=row.belief_b) if is_learnt else None
    return Rest(belief=belief, until=row.rest_until, missing_count=row.missing_count)


def values(rest: Rest) -> dict[str, Any]:
    """The columns that hold a page's rest."""
    return {
        "belief_a": rest.belief.a if rest.belief else None,
        "belief_b": rest.belief.b if rest.belief else None,
        "rest_until": rest.until,
        "missing_count": rest.missing_count,
    }
