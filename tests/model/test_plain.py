"""Fields as plain values, and changes of some of them."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from lamplighter.model.crawl import JobChange, JobState, Override, PauseReason
from lamplighter.model.fields import MILLISECONDS, UNSET, Unset, columns_of, otherwise, plain
from lamplighter.model.schedule import PolicyName, Window, WindowKind

NIGHT = Window(kind=WindowKind.ALLOW, days=frozenset({0}), start=22 * 60, end=5 * 60, zone="UTC")
NIGHT_JSON = {"kind": "allow", "days": ["mon"], "start": "22:00", "end": "05:00", "zone": "UTC"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One field of each sort."""

    word: str = "a"
    policy: PolicyName | None = PolicyName.FIXED
    pace: timedelta | None = timedelta(minutes=2)
    delay: timedelta | Unset | None = field(default=timedelta(seconds=2), metadata=MILLISECONDS)
    windows: tuple[Window, ...] = (NIGHT,)


def test_every_field_has_a_plain_value_under_the_name_of_its_column() -> None:
    assert plain(Thing(), Thing) == {
        "word": "a",
        "policy": "fixed",
        "pace_seconds": 120,
        "delay_ms": 2000,
        "windows": [NIGHT_JSON],
    }


def test_what_is_none_stays_none() -> None:
    values = plain(Thing(policy=None, pace=None, delay=None, windows=()), Thing)

    assert values == {"word": "a", "policy": None, "pace_seconds": None, "delay_ms": None, "windows": []}


def test_what_was_dumped_is_loaded_again() -> None:
    dumped = plain(Thing(), Thing)

    loaded = {
        each.field: each.load(dumped[each.name]) if each.load else dumped[each.name] for each in columns_of(Thing)
    }

    assert Thing(**loaded) == Thing()


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        pytest.param("policy", "a whim", id="a word that nobody knows any more"),
        pytest.param("pace", 10**18, id="a span that is longer than any"),
    ],
)
def test_what_cannot_be_loaded_says_nothing_and_stops_nobody(name: str, stored: Any) -> None:
    (load,) = (each.load for each in columns_of(Thing) if each.field == name)

    assert load is not None
    assert load(stored) is None


def test_a_change_names_what_it_changes_and_nothing_else() -> None:
    change = JobChange(state=JobState.PAUSED, pause_reason=None, pace=timedelta(minutes=1))

    assert change.said() == {"state": JobState.PAUSED, "pause_reason": None, "pace": timedelta(minutes=1)}
    assert change.columns() == {"state": "paused", "pause_reason": None, "pace_seconds": 60}
    assert change
    assert not JobChange()


def test_of_two_changes_the_second_holds_where_both_say_something() -> None:
    first = JobChange(state=JobState.PAUSED, pause_reason=PauseReason.USER, priority=3)
    second = JobChange(state=JobState.PENDING, pause_reason=None)

    assert first | second == JobChange(state=JobState.PENDING, pause_reason=None, priority=3)


def test_a_value_that_is_its_own_form_is_left_to_those_who_store_it() -> None:
    override = Override(priority=3)

    assert JobChange(override=override).columns() == {"override": override}


def test_what_is_not_given_is_something_else_than_none() -> None:
    assert (otherwise(UNSET, 3), otherwise(None, 3), otherwise(2, 3)) == (3, None, 2)
