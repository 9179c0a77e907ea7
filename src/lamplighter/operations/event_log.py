"""Which events were published, and what became of each?"""

from dataclasses import dataclass

from lamplighter.store import events
from lamplighter.store.database import Connection
from lamplighter.store.events import LoggedEvent, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    """A part of the log, the latest first, and how long the whole is."""

    events: list[LoggedEvent]
    total: int


async def listed(
    db: Connection, *, source_id: str | None, kind: str | None, result: Result | None, limit: int, offset: int
) -> EventPage:
    """The events of a source, of a type, with a result; None means all."""
    found, total = await events.newest(db, source=source_id, kind=kind, result=result, limit=limit, offset=offset)
    return EventPage(events=found, total=total)
