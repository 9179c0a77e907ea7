"""SQL about leads: work that one process at a time does for all, under a lease."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa

from lamplighter.model.fleet import Lead
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import leads


async def take(db: Connection, lead: Lead, *, owner: str, now: datetime, until: datetime) -> bool:
    """Takes or renews the lead; False while another process holds its lease."""
    ours_or_nobodys = sa.or_(leads.c.owner == owner, leads.c.until <= now)
    taken = (
        insert(db, leads)
        .values(name=lead, owner=owner, until=until)
        # When two processes try at the same moment, the second waits for the first, and then finds its lease.
        .on_conflict_do_update(index_elements=["name"], set_={"owner": owner, "until": until}, where=ours_or_nobodys)
        .returning(leads.c.name)
    )
    return (await db.execute(taken)).first() is not None


async def holders(db: Connection, *, now: datetime) -> dict[Lead, str]:
    """Lead -> holder."""
    rows = await db.execute(sa.select(leads).where(leads.c.until > now))
    return {Lead(row.name): row.owner for row in rows}


async def give_back(db: Connection, names: Iterable[Lead], *, owner: str) -> None:
    """Gives up these leads at once."""
    await db.execute(sa.delete(leads).where(leads.c.name.in_(sorted(names)), leads.c.owner == owner))
