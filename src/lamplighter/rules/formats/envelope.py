"""The JSON envelope of events: one object for each event, the same for every publisher."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson

from lamplighter.errors import BadInput
from lamplighter.model.event import Event, SourceFact

#: the version of an envelope that does not name one
VERSION = 1
#: characters of an invalid value that an error message quotes
_QUOTED = 60
_NUL = b"\\u0000"


class BadEnvelope(BadInput):
    """An event that can never be processed."""

    default_code = "invalid_event"


def to_json(event: Event) -> bytes:
    """An event as an envelope."""
    said = {
        "event_id": event.id,
        "event_type": event.type,
        "source_id": event.source,
        "timestamp": event.at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "payload": _payload(event),
    }
    return orjson.dumps(said)


def parse(text: bytes) -> Event:
    """The event in an envelope; unknown keys are ignored."""
    try:
        said = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BadEnvelope(f"it is not JSON: {error}") from None
    if not isinstance(said, dict):
        raise BadEnvelope("it is JSON, but not an object")
    _check_version(said.get("version", VERSION))
    if _NUL in text:
        raise BadEnvelope("it holds the character \\u0000, which is not allowed in text")
    return Event(
        id=_uuid(said, "event_id"),
        type=_fact(said),
        source=_uuid(said, "source_id"),
        at=_moment(said),
        payload=_object(said, "payload"),
    )


def _payload(event: Event) -> Mapping[str, Any]:
    if event.type != SourceFact.DISABLED or "toggled_by" not in event.payload:
        return event.payload
    # Two names are in use for the operator who disabled a source; the envelope carries both.
    return {**event.payload, "disabled_by": event.payload["toggled_by"]}


def _check_version(version: Any) -> None:
    if str(version) not in (str(VERSION), f"{VERSION}.0"):
        raise BadEnvelope(f"version {_quote(version)} is not known; this program reads version {VERSION}")


def _fact(said: Mapping[str, Any]) -> SourceFact:
    try:
        return SourceFact(_required(said, "event_type"))
    except ValueError:
        known = ", ".join(SourceFact)
        raise BadEnvelope(f"event_type {_quote(said['event_type'])} is unknown; use {known}") from None


def _uuid(said: Mapping[str, Any], name: str) -> str:
    given = _required(said, name)
    try:
        return str(UUID(given))
    except (ValueError, AttributeError, TypeError):
        raise BadEnvelope(f"{name} {_quote(given)} is not a UUID") from None


def _moment(said: Mapping[str, Any]) -> datetime:
    given = _required(said, "timestamp")
    try:
        at = datetime.fromisoformat(given)
        return at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=UTC)
    except (ValueError, TypeError, OverflowError):
        raise BadEnvelope(
            f"timestamp {_quote(given)} is not a time; write it as in RFC 3339: 2026-01-29T10:30:00Z"
        ) from None


def _object(said: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    given = said.get(name)
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise BadEnvelope(f"{name} {_quote(given)} is not an object")
    return given


def _required(said: Mapping[str, Any], name: str) -> Any:
    if name not in said:
        raise BadEnvelope(f"{name} is missing")
    return said[name]


def _quote(given: Any) -> str:
    shown = repr(given)
    return shown if len(shown) <= _QUOTED else shown[:_QUOTED] + "…"
