"""Converts entries of a Redis stream: delivered events and dead letters."""

from collections.abc import Mapping
from datetime import UTC, datetime

import orjson

from lamplighter.model.event import DeadLetter, Delivery
from lamplighter.rules.formats import envelope
from lamplighter.rules.formats.envelope import BadEnvelope

#: the one field of an entry
FIELD = b"event"


def delivery(position: bytes, fields: Mapping[bytes, bytes], *, tries: int) -> Delivery:
    """A delivered entry; one that cannot be parsed says why."""
    here = text(position)
    if FIELD not in fields:
        return Delivery(position=here, tries=tries, event=None, complaint="it has no field `event`")
    try:
        return Delivery(position=here, tries=tries, event=envelope.parse(fields[FIELD]))
    except BadEnvelope as error:
        return Delivery(position=here, tries=tries, event=None, complaint=str(error))


def letter_fields(come: Delivery, fields: Mapping[bytes, bytes] | None, *, reason: str) -> dict[str, str | bytes | int]:
    """An entry of the dead letters; `fields` is the original, None when it was trimmed meanwhile."""
    return {
        "event": _raw(fields) if fields is not None else _as_read(come),
        "reason": reason,
        "tries": come.tries,
        "first_id": come.position,
        "at": datetime.now(UTC).isoformat(),
    }


def letter(position: bytes, fields: Mapping[bytes, bytes]) -> DeadLetter:
    """A dead letter from its entry, whichever program wrote it."""
    raw = fields.get(b"event", b"")
    try:
        event_id = envelope.parse(raw).id
    except BadEnvelope:
        event_id = None
    here = text(position)
    return DeadLetter(
        id=here,
        text=text(raw),
        event_id=event_id,
        reason=text(fields.get(b"reason", b"")),
        tries=_number(fields.get(b"tries", b"")),
        position=text(fields.get(b"first_id", b"")),
        # The first half of a position is its timestamp.
        at=datetime.fromtimestamp(order(here)[0] / 1000, UTC),
    )


def order(position: str) -> tuple[int, int]:
    """The sort key of a position."""
    milliseconds, _, number = position.partition("-")
    return int(milliseconds), int(number)


def text(value: bytes | str) -> str:
    """A Redis value as text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _number(value: bytes) -> int:
    """A number in a dead letter that another program may have written in any way."""
    return int(value) if value.isdigit() else 0


def _raw(fields: Mapping[bytes, bytes]) -> bytes:
    """The original entry as bytes."""
    if FIELD in fields:
        return fields[FIELD]
    return orjson.dumps({text(name): text(value) for name, value in fields.items()})


def _as_read(come: Delivery) -> bytes:
    return envelope.to_json(come.event) if come.event is not None else b""
