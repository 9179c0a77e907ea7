"""Health figures of event delivery, and the source names of events."""

from collections.abc import Sequence
from dataclasses import dataclass

from lamplighter.ports import Events
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.events import events
from lamplighter.store.events.events import LoggedEvent
from lamplighter.store.sources import sources


@dataclass(frozen=True, slots=True, kw_only=True)
class EventHealth:
    """Figures of event delivery; None where the broker is away."""

    #: outbox, or redis
    engine: str
    #: closed while the broker responds; open while not, and then events wait in the outbox
    state: str
    #: of ours, not yet settled
    outbox: int
    #: not yet delivered to a consumer
    lag: int | None
    #: delivered, and not yet handled
    pending: int | None
    dead_letters: int | None


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
