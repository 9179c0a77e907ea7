"""SQL about leads: work that one process at a time does for all, under a lease."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa

from lamplighter.model.fleet import Lead
from lamplighter.store.database import Connection
from lamplighter.store.tables import leads
from lamplighter.store.upsert import insert


async def take(db: Connection, lead: Lead, *, owner: str, now: datetime, until: datetime) -> bool:
    """Takes the lead, or keeps it, and says whether it is ours; not while another one's lease lasts."""
    ours_or_nobodys = sa.or_(leads.c.owner == owner, leads.c.until <= now)
    taken = (
        insert(db, leads)
        .values(name=lead, owner=owner, until=until)
        # Two who come at the same moment: the second waits for the first, and then finds its lease.
        .on_conflict_do_update(index_elements=["name"], set_={"owner": owner, "until": until}, where=ours_or_nobodys)
        .returning(leads.c.name)
    )
    return (await db.execute(taken)).first() is not None


async def holders(db: Connection, *, now: datetime) -> dict[Lead, str]:
    """Who leads in what."""
    rows = await db.execute(sa.select(leads).where(leads.c.until > now))
    return {Lead(row.name): row.owner for row in rows}


async def give_back(db: Connection, names: Iterable[Lead], *, owner: str) -> None:
    """Lets somebody else lead in these, at once."""
    await db.execute(sa.delete(leads).where(leads.c.name.in_(sorted(names)), leads.c.owner == owner))
