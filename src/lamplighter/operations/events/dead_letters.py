"""Dead letters: list, retry, discard."""

from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.event import DeadLetter
from lamplighter.operations.list_part import ListPart
from lamplighter.ports import Events, StreamAway
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.events import events


async def listed(carrier: Events, *, limit: int, offset: int) -> ListPart[DeadLetter]:
    """Events that were put aside, the latest first."""
    try:
        letters, total = await carrier.dead_letters(limit=limit, offset=offset)
    except StreamAway as error:
        raise _away(error) from None
    return ListPart(rows=letters, total=total)


async def retry(db: Database, carrier: Events, letter_id: str, *, stamp: Stamp) -> DeadLetter:
    """Handles an event once more, as if it were new."""
    try:
        letter = await _find(carrier, letter_id)
        await db.write(lambda connection: _reopen(connection, letter, stamp=stamp))
        await carrier.retry(letter)
    except StreamAway as error:
        raise _away(error) from None
    return letter


async def discard(db: Database, carrier: Events, letter_id: str, *, stamp: Stamp) -> DeadLetter:
    """Discards an event without applying it; the log keeps it as ignored."""
    try:
        letter = await _find(carrier, letter_id)
        await db.write(lambda connection: _close(connection, letter, stamp=stamp))
        await carrier.discard(letter)
    except StreamAway as error:
        raise _away(error) from None
    return letter


async def _find(carrier: Events, letter_id: str) -> DeadLetter:
    letter = await carrier.dead_letter(letter_id)
    if letter is None:
        raise NotFound(f"there is no dead letter {letter_id}", code="dead_letter_not_found")
    return letter


async def _close(db: Connection, letter: DeadLetter, *, stamp: Stamp) -> None:
    if letter.event_id is not None:
        await events.close(db, letter.event_id, detail=f"discarded by {stamp.actor}; it had failed: {letter.reason}")
    said = {"reason": letter.reason, "event": letter.event_id, "text": letter.text}
    await audit_log.write(db, stamp, "event.discard", letter.id, before=said)


async def _reopen(db: Connection, letter: DeadLetter, *, stamp: Stamp) -> None:
    if letter.event_id is not None:
        await events.reopen(db, letter.event_id, now=stamp.now)
    said = {"reason": letter.reason, "event": letter.event_id}
    await audit_log.write(db, stamp, "event.retry", letter.id, before=said)


def _away(error: StreamAway) -> NotPossible:
    return NotPossible(f"{error}; the dead letters are stored there, so try again when it is back", code="stream_away")
