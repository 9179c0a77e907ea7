"""SQL about requests in flight: which pages wait for a response, and since when."""

from collections.abc import Collection, Mapping
from datetime import datetime

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import pages


async def note(db: Connection, *, sent: Mapping[int, datetime], ended: Collection[int]) -> None:
    """Stores when requests were sent, by page, and that others have ended."""
    times: dict[int, datetime | None] = dict.fromkeys(ended, None) | dict(sent)
    written = sa.update(pages).where(pages.c.id == sa.bindparam("page")).values(requested_at=sa.bindparam("at"))
    # Only a pending page has a request; one that has ended since keeps no time.
    rows = [{"page": page_id, "at": at} for page_id, at in sorted(times.items())]
    for row in rows:
        is_open = pages.c.phase == Phase.PENDING if row["at"] is not None else sa.true()
        await db.execute(written.where(is_open), row)
