"""Events without a stream: whoever writes one into the outbox has published it, and it is received from there."""

from collections.abc import Sequence

from lamplighter.model.event import DeadLetter, Delivery, EventFigures
from lamplighter.ports import Events
from lamplighter.rules import envelope
from lamplighter.store import events
from lamplighter.store.database import Database
from lamplighter.store.events import LoggedEvent

_BATCH = 100


class OutboxEvents(Events):
    """Hands out what waits in the outbox. Whoever settles an event notes that there, so nothing is to be told here."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def receive(self) -> Sequence[Delivery]:
        """The oldest that wait."""
        async with self._db.read() as db:
            waiting = await events.undelivered(db, limit=_BATCH)
        return [Delivery(position=row.event_id, tries=row.try_count + 1, event=row.event) for row in waiting]

    async def acknowledge(self, settled: Sequence[Delivery]) -> None:
        """It stands in the outbox."""

    async def hand_back(self, unsettled: Sequence[Delivery]) -> None:
        """They wait as before."""

    async def bury(self, delivery: Delivery, *, reason: str) -> None:
        """It lies in the outbox, with the reason."""

    async def dead_letters(self, *, limit: int, offset: int) -> tuple[Sequence[DeadLetter], int]:
        """Those that were given up."""
        async with self._db.read() as db:
            found, total = await events.given_up(db, limit=limit, offset=offset)
        return [_letter(row) for row in found], total

    async def dead_letter(self, letter_id: str) -> DeadLetter | None:
        """The one that was given up with this id."""
        async with self._db.read() as db:
            found = await events.given_up_with(db, letter_id)
        return _letter(found) if found is not None else None

    async def retry(self, letter: DeadLetter) -> None:
        """Whoever reopened it in the outbox has done so."""

    async def discard(self, letter: DeadLetter) -> None:
        """Whoever closed it in the outbox has done so."""

    async def figures(self) -> EventFigures:
        """What waits, and what was given up."""
        async with self._db.read() as db:
            waiting = await events.count_waiting(db)
            _, dead = await events.given_up(db, limit=0, offset=0)
        return EventFigures(engine="outbox", circuit="closed", lag=waiting, pending=0, dead_letters=dead)


def _letter(row: LoggedEvent) -> DeadLetter:
    assert row.delivered_at is not None, "what was given up has a time"
    return DeadLetter(
        id=row.event_id,
        text=envelope.to_json(row.event).decode(),
        event_id=row.event_id,
        reason=row.detail or "",
        tries=row.try_count,
        position=row.event_id,
        at=row.delivered_at,
    )
