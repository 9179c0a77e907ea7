"""SQL about tags: what sources that carry one inherit."""

from datetime import datetime

import sqlalchemy as sa

from lamplighter.model.schedule import PolicyName
from lamplighter.store.database import Connection
from lamplighter.store.tables import source_tags, tags
from lamplighter.store.upsert import insert


async def set_policy(db: Connection, tag: str, policy: PolicyName | None, *, now: datetime) -> None:
    """Says how the intervals of sources with this tag are chosen; None leaves it to the installation."""
    statement = insert(db, tags).values(tag=tag, policy=policy, updated_at=now)
    await db.execute(
        statement.on_conflict_do_update(index_elements=["tag"], set_={"policy": policy, "updated_at": now})
    )


async def policies_of(db: Connection, source_id: int) -> list[PolicyName]:
    """The policies of a source's tags, in the order of the tags."""
    query = sa.select(tags.c.policy).join(source_tags, source_tags.c.tag == tags.c.tag)
    mine = query.where(source_tags.c.source_id == source_id, tags.c.policy.is_not(None)).order_by(tags.c.tag)
    return [PolicyName(policy) for policy in await db.scalars(mine)]
