"""Which events were published, what became of each, and how do they fare in all?"""

from collections.abc import Sequence
from dataclasses import dataclass

from lamplighter.ports import Events
from lamplighter.store import events, sources
from lamplighter.store.database import Connection, Database
from lamplighter.store.events import LoggedEvent, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    """A part of the log, the latest first, and how long the whole is."""

    events: list[LoggedEvent]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EventHealth:
    """How events fare; None where whoever carries them is away and cannot say."""

    #: outbox, or redis
    engine: str
    #: closed while whoever carries them answers; open while not, and then they wait in the outbox
    state: str
    #: of ours, not yet settled
    outbox: int
    #: not yet handed to anybody
    lag: int | None
    #: handed to somebody, and not yet settled
    pending: int | None
    dead_letters: int | None


async def listed(
    db: Connection, *, source_id: str | None, kind: str | None, result: Result | None, limit: int, offset: int
) -> EventPage:
    """The events of a source, of a type, with a result; None means all."""
    found, total = await events.newest(db, source=source_id, kind=kind, result=result, limit=limit, offset=offset)
    return EventPage(events=found, total=total)


async def source_names(db: Connection, of: Sequence[LoggedEvent]) -> dict[str, str]:
    """The names of the sources that events are about, by public id; those that are gone are left out."""
    ids = {event.source_public_id for event in of if event.source_public_id is not None}
    return {public_id: source.name for public_id, source in (await sources.by_public_ids(db, ids)).items()}


async def health(db: Database, carrier: Events) -> EventHealth:
    """The figures of now."""
    figures = await carrier.figures()
    async with db.read() as connection:
        waiting = await events.count_waiting(connection)
    return EventHealth(
        engine=figures.engine,
        state=figures.circuit,
        outbox=waiting,
        lag=figures.lag,
        pending=figures.pending,
        dead_letters=figures.dead_letters,
    )
