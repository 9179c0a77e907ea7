"""Events without a stream: an event is published by writing it to the outbox, and received from there."""

from collections.abc import Sequence

from lamplighter.model.event import DeadLetter, Delivery, EventFigures
from lamplighter.ports import Events
from lamplighter.rules.formats import envelope
from lamplighter.store.engine.database import Database
from lamplighter.store.events import events
from lamplighter.store.events.events import LoggedEvent

_BATCH = 100


class OutboxEvents(Events):
    """Delivers what waits in the outbox; as the consumer records an event's result there, most methods do nothing."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def receive(self) -> Sequence[Delivery]:
        """The oldest waiting events."""
        async with self._db.read() as db:
            waiting = await events.undelivered(db, limit=_BATCH)
        return [Delivery(position=row.event_id, tries=row.try_count + 1, event=row.event) for row in waiting]

    async def acknowledge(self, settled: Sequence[Delivery]) -> None:
        """Nothing to do: the outbox has it."""

    async def hand_back(self, unsettled: Sequence[Delivery]) -> None:
        """Nothing to do: they wait as before."""

    async def bury(self, delivery: Delivery, *, reason: str) -> None:
        """Nothing to do: it is in the outbox, with the reason."""

    async def dead_letters(self, *, limit: int, offset: int) -> tuple[Sequence[DeadLetter], int]:
        """The events that failed for good."""
        async with self._db.read() as db:
            found, total = await events.given_up(db, limit=limit, offset=offset)
        return [_letter(row) for row in found], total

    async def dead_letter(self, letter_id: str) -> DeadLetter | None:
        """The dead letter with this id."""
        async with self._db.read() as db:
            found = await events.given_up_with(db, letter_id)
        return _letter(found) if found is not None else None

    async def retry(self, letter: DeadLetter) -> None:
        """Nothing to do: the caller has reopened it in the outbox."""

    async def discard(self, letter: DeadLetter) -> None:
        """Nothing to do: the caller has closed it in the outbox."""

    async def figures(self) -> EventFigures:
        """How many events wait, and how many failed for good."""
        async with self._db.read() as db:
            waiting = await events.count_waiting(db)
            _, dead = await events.given_up(db, limit=0, offset=0)
        return EventFigures(engine="outbox", circuit="closed", lag=waiting, pending=0, dead_letters=dead)


def _letter(row: LoggedEvent) -> DeadLetter:
    assert row.delivered_at is not None, "a dead letter has a time"
    return DeadLetter(
        id=row.event_id,
        text=envelope.to_json(row.event).decode(),
        event_id=row.event_id,
        reason=row.detail or "",
        tries=row.try_count,
        position=row.event_id,
        at=row.delivered_at,
    )
