"""SQL about what workers do with pages now: which wait for a response or are being parsed, and since when."""

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import pages


class PageStep(StrEnum):
    """What a worker does with a page; the value is the column with the time since when."""

    REQUEST = "requested_at"
    PARSE = "parsing_since"


_PHASES = {PageStep.REQUEST: Phase.PENDING, PageStep.PARSE: Phase.DOWNLOADED}
# Only a page in that phase is worked on; one that has gone on since keeps no time.
_BEGUN = {
    work: sa.update(pages)
    .where(pages.c.id == sa.bindparam("page"), pages.c.phase == phase)
    .values({work.value: sa.bindparam("at")})
    for work, phase in _PHASES.items()
}
_ENDED = {work: sa.update(pages).where(Among(pages.c.id, "ids")).values({work.value: None}) for work in PageStep}


async def note(db: Connection, work: PageStep, *, begun: Mapping[int, datetime], ended: Collection[int]) -> None:
    """Stores since when pages are worked on, and that others no longer are: one statement each."""
    if ended:
        await db.execute(_ENDED[work], {"ids": sorted(ended)})
    if begun:
        await db.execute(_BEGUN[work], [{"page": page_id, "at": at} for page_id, at in sorted(begun.items())])
