"""The envelope in which events travel."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as some

from lamplighter.model.event import Event, SourceFact
from lamplighter.rules.formats import envelope
from lamplighter.rules.formats.envelope import BadEnvelope

SAID: dict[str, Any] = {
    "event_id": "550e8400-e29b-41d4-a716-446655440004",
    "event_type": "SOURCE_DISABLED",
    "source_id": "550e8400-e29b-41d4-a716-446655440000",
    "timestamp": "2026-01-29T13:00:00Z",
    "payload": {"reason": "rate_limit_exceeded", "disabled_by": "system"},
}


def _parsed(**more: Any) -> Event:
    return envelope.parse(orjson.dumps(SAID | more))


def test_what_others_write_is_read() -> None:
    event = _parsed()

    assert (event.type, event.source) == (SourceFact.DISABLED, SAID["source_id"])
    assert event.at == datetime(2026, 1, 29, 13, tzinfo=UTC)
    assert event.payload == SAID["payload"]


@given(
    event=some.builds(
        Event,
        id=some.uuids().map(str),
        type=some.sampled_from(SourceFact),
        source=some.uuids().map(str),
        at=some.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=some.just(UTC)),
        payload=some.dictionaries(some.text("abcdef"), some.integers(-(2**53), 2**53) | some.text("xyz")),
    )
)
def test_what_is_written_is_read_as_it_was(event: Event) -> None:
    again = envelope.parse(envelope.to_json(event))

    assert again == event or event.type == SourceFact.DISABLED


@pytest.mark.parametrize(
    ("timestamp", "at"),
    [
        ("2026-01-29T13:00:00+02:00", datetime(2026, 1, 29, 13, tzinfo=timezone(timedelta(hours=2)))),
        ("2026-01-29T13:00:00.123456789Z", datetime(2026, 1, 29, 13, 0, 0, 123456, tzinfo=UTC)),
        ("2026-01-29 13:00:00Z", datetime(2026, 1, 29, 13, tzinfo=UTC)),
        ("2026-01-29T13:00:00", datetime(2026, 1, 29, 13, tzinfo=UTC)),
    ],
)
def test_times_are_read_as_programs_write_them(timestamp: str, at: datetime) -> None:
    assert _parsed(timestamp=timestamp).at == at


@pytest.mark.parametrize("more", [{"version": 1}, {"version": "1.0"}, {"trace": "x"}, {"payload": None}])
def test_what_is_not_known_and_does_no_harm_is_let_through(more: dict[str, Any]) -> None:
    assert _parsed(**more).id == SAID["event_id"]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"version": 2}, "version 2 is not known"),
        ({"version": None}, "version None is not known"),
        ({"event_type": "SOURCE_MOVED"}, "event_type 'SOURCE_MOVED' is unknown; use SOURCE_CREATED"),
        ({"event_type": ["SOURCE_CREATED"]}, "is unknown"),
        ({"event_id": "1"}, "event_id '1' is not a UUID"),
        ({"source_id": 7}, "source_id 7 is not a UUID"),
        ({"source_id": None}, "source_id None is not a UUID"),
        ({"timestamp": 1769691600}, "timestamp 1769691600 is not a time"),
        ({"timestamp": "0001-01-01T00:00:00+14:00"}, "is not a time"),
        ({"payload": []}, "payload [] is not an object"),
        ({"payload": {"reason": "a\x00b"}}, "which is not allowed in text"),
    ],
)
def test_what_nobody_could_act_on_is_refused_with_the_reason(more: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadEnvelope) as refused:
        _parsed(**more)

    assert reason in str(refused.value)


@pytest.mark.parametrize("name", ["event_id", "event_type", "source_id", "timestamp"])
def test_what_is_missing_is_named(name: str) -> None:
    said = {key: value for key, value in SAID.items() if key != name}

    with pytest.raises(BadEnvelope, match=f"{name} is missing"):
        envelope.parse(orjson.dumps(said))


@given(some.binary())
def test_whatever_comes_is_read_or_refused(text: bytes) -> None:
    with suppress(BadEnvelope):
        envelope.parse(text)
