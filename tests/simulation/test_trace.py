"""Histories as arrays."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from lamplighter.errors import BadInput
from lamplighter.simulation.trace import History, trace_of

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_times_are_sorted_by_source_in_hours_since_the_start() -> None:
    busy = History(source="busy", changed_at=[NOON + 5 * HOUR, NOON + 2 * HOUR])
    quiet = History(source="quiet", changed_at=[])
    other = History(source="other", changed_at=[NOON], announced_at=[NOON + HOUR])

    trace = trace_of([busy, quiet, other])

    assert trace.started_at == NOON
    assert trace.hours == 5
    assert trace.changes.at.tolist() == [2.0, 5.0, 0.0]
    assert trace.changes.counts.tolist() == [2, 0, 1]
    assert trace.announcements.counts.tolist() == [0, 0, 1]


def test_the_span_is_rounded_out_to_whole_hours() -> None:
    trace = trace_of([History(source="a", changed_at=[NOON + 0.5 * HOUR, NOON + 1.1 * HOUR])])

    assert (trace.started_at, trace.hours) == (NOON, 2.0)


def test_a_single_moment_makes_a_span_of_one_hour() -> None:
    assert trace_of([History(source="a", changed_at=[NOON])]).hours == 1.0


def test_zones_are_heeded() -> None:
    east = datetime(2026, 3, 2, 14, 30, tzinfo=timezone(2 * HOUR))

    trace = trace_of([History(source="a", changed_at=[NOON, east])])

    assert trace.changes.at.tolist() == [0.0, 0.5]


def test_sources_of_one_host_are_neighbours() -> None:
    names = ["https://A.example/1", "http://a.example/2?x", "https://b.example:8443/", "plain", "another"]

    host = trace_of([History(source=name, changed_at=[NOON]) for name in names]).host

    assert host[0] == host[1]
    assert host[3] == host[4]
    assert len(set(host.tolist())) == 3


def test_a_part_of_a_trace_keeps_its_span_and_its_times() -> None:
    histories = [
        History(source=str(number), changed_at=[NOON + number * HOUR, NOON + 9 * HOUR], weight=number + 1.0)
        for number in range(4)
    ]
    trace = trace_of(histories)

    part = trace.only(np.array([1, 3]))

    assert part.sources == ("1", "3")
    assert part.weight.tolist() == [2.0, 4.0]
    assert part.changes.at.tolist() == [1.0, 9.0, 3.0, 9.0]
    assert part.hours == trace.hours


@pytest.mark.parametrize(
    ("histories", "words"),
    [
        pytest.param([], "no source ever changed", id="nothing"),
        pytest.param([History(source="a", changed_at=[])], "no source ever changed", id="no change"),
        pytest.param([History(source="a", changed_at=[NOON])] * 2, "two histories have", id="one name twice"),
    ],
)
def test_histories_that_cannot_be_replayed_are_refused(histories: list[History], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        trace_of(histories)
