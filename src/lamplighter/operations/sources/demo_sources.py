"""The demo's sources: fictional sites on this machine, which one click removes for good.

The tag alone does not make a source one of them: operators may use the same tag. Their past is what was made in advance
of their first real run, in days that were over already; the audit log has from when to when.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.sources.sources import forget
from lamplighter.rules.formats.plural import counted
from lamplighter.rules.urls import urls
from lamplighter.store.access import audit_log
from lamplighter.store.access.audit_log import AuditFilter
from lamplighter.store.alerts import alerts, notices
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import purging
from lamplighter.store.sources import sources

TAG = "demo"
HOST = "127.0.0.1"
_BEGUN, _MADE = "demo.past_begun", "demo.past_made"


class DemoPast(NamedTuple):
    """The days that are made in advance."""

    since: datetime
    until: datetime
    #: False while it is being made, or if the process that made it was killed
    is_made: bool

    @property
    def length(self) -> str:
        """How long they are, in words."""
        days = round((self.until - self.since) / timedelta(days=1))
        return "six weeks" if days == 6 * 7 else counted(days, "day")


async def registered(db: Connection) -> list[Source]:
    """Those that are watched."""
    return [source for source in await sources.all_with_tag(db, TAG) if _is_here(source)]


def _is_here(source: Source) -> bool:
    return urls.parse(source.url).hostname == HOST


async def begin_past(db: Connection, *, since: datetime, stamp: Stamp) -> None:
    """Notes that the days from then until now are about to be made."""
    span = {"since": since.isoformat(), "until": stamp.now.isoformat()}
    await audit_log.write(db, stamp, _BEGUN, TAG, after=span)


async def end_past(db: Connection, past: DemoPast, *, stamp: Stamp) -> None:
    """Notes that they are made."""
    span = {"since": past.since.isoformat(), "until": past.until.isoformat()}
    await audit_log.write(db, stamp, _MADE, TAG, after=span)


async def past_of(db: Connection, watched: Sequence[Source]) -> DemoPast | None:
    """The past of these sources; None when none of them has one."""
    here = [source for source in watched if _is_here(source)]
    if not here:
        return None
    of_demo = AuditFilter(subject=TAG, action_start="demo.past_")
    noted = await audit_log.listed(db, of_demo, limit=1, offset=0)
    if not noted or noted[0].after is None:
        return None
    since, until = (datetime.fromisoformat(noted[0].after[name]) for name in ("since", "until"))
    if not any(source.created_at <= since for source in here):
        return None
    return DemoPast(since, until, is_made=noted[0].action == _MADE)


async def remove(db: Connection, *, stamp: Stamp) -> int:
    """Removes them, and all that was found through them; of a host that nobody else watches, its rules as well."""
    doomed = await registered(db)
    for source in doomed:
        await forget(db, source, stamp=stamp)
    keys = await purging.remove_unused(db, [urls.parse(source.url).host_key for source in doomed])
    await purging.remove_robots(db, [f"http://{key}" for key in keys])
    subjects = [*(f"source:{source.public_id}" for source in doomed), *(f"host:{key}" for key in keys)]
    await alerts.forget_subjects(db, subjects)
    await notices.forget_sources(db, [source.id for source in doomed])
    return len(doomed)
