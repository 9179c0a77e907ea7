"""Events that could not be settled: which, why, and once more or never."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.event import DeadLetter
from lamplighter.ports import Events, StreamAway
from lamplighter.store import audit_log, events
from lamplighter.store.database import Connection, Database


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterPage:
    """A part of them, the latest first, and how many there are."""

    letters: Sequence[DeadLetter]
    total: int


async def listed(carrier: Events, *, limit: int, offset: int) -> DeadLetterPage:
    """Events that were put aside."""
    try:
        letters, total = await carrier.dead_letters(limit=limit, offset=offset)
    except StreamAway as error:
        raise _away(error) from None
    return DeadLetterPage(letters=letters, total=total)


async def retry(db: Database, carrier: Events, letter_id: str, *, actor: str, now: datetime) -> DeadLetter:
    """Has an event settled once more, as if it were new."""
    try:
        letter = await _find(carrier, letter_id)
        await db.write(lambda connection: _reopen(connection, letter, actor=actor, now=now))
        await carrier.retry(letter)
    except StreamAway as error:
        raise _away(error) from None
    return letter


async def discard(db: Database, carrier: Events, letter_id: str, *, actor: str, now: datetime) -> DeadLetter:
    """Ends the matter: what the event asked for is not done, and it stays in the log as ignored."""
    try:
        letter = await _find(carrier, letter_id)
        await db.write(lambda connection: _close(connection, letter, actor=actor, now=now))
        await carrier.discard(letter)
    except StreamAway as error:
        raise _away(error) from None
    return letter


async def _find(carrier: Events, letter_id: str) -> DeadLetter:
    letter = await carrier.dead_letter(letter_id)
    if letter is None:
        raise NotFound(f"there is no dead letter {letter_id}", code="dead_letter_not_found")
    return letter


async def _close(db: Connection, letter: DeadLetter, *, actor: str, now: datetime) -> None:
    if letter.event_id is not None:
        await events.close(db, letter.event_id, detail=f"discarded by {actor}; it had failed: {letter.reason}")
    said = {"reason": letter.reason, "event": letter.event_id, "text": letter.text}
    await audit_log.write(db, actor=actor, action="event.discard", subject=letter.id, now=now, before=said)


async def _reopen(db: Connection, letter: DeadLetter, *, actor: str, now: datetime) -> None:
    if letter.event_id is not None:
        await events.reopen(db, letter.event_id, now=now)
    said = {"reason": letter.reason, "event": letter.event_id}
    await audit_log.write(db, actor=actor, action="event.retry", subject=letter.id, now=now, before=said)


def _away(error: StreamAway) -> NotPossible:
    return NotPossible(f"{error}; what is put aside lies there, so try again when it is back", code="stream_away")
