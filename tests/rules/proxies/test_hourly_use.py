"""How often was a proxy used within the last hour? Never counted short."""

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lamplighter.rules.proxies import hourly_use
from lamplighter.rules.proxies.hourly_use import HOUR, UseGroup
from tests.moments import NOON

MINUTE = timedelta(minutes=1)


def greedy(limit: int, pauses: list[int]) -> list[datetime]:
    """The uses of somebody who comes after these pauses (seconds) and takes whatever the limit allows."""
    now, uses, made = NOON, tuple[UseGroup, ...](), list[datetime]()
    for pause in pauses:
        now += timedelta(seconds=pause)
        if hourly_use.free_at(uses, limit=limit, now=now) <= now:
            uses = hourly_use.used(uses, now=now)
            made.append(now)
    return made


@given(st.integers(1, 9), st.lists(st.integers(0, 2000), max_size=80))
def test_no_sixty_minutes_see_more_uses_than_the_limit(limit: int, pauses: list[int]) -> None:
    made = greedy(limit, pauses)

    assert all(sum(start <= use < start + HOUR for use in made) <= limit for start in made)


@given(st.integers(1, 9), st.lists(st.integers(0, 2000), max_size=80))
def test_a_use_is_forgotten_at_the_time_that_was_told(limit: int, pauses: list[int]) -> None:
    uses = tuple[UseGroup, ...]()
    for use in greedy(limit, pauses):
        uses = hourly_use.used(uses, now=use)
    now = uses[-1].last if uses else NOON

    free = hourly_use.free_at(uses, limit=limit, now=now)

    assert hourly_use.count(uses, now=free) < limit
    assert free <= now + HOUR


def test_the_list_stays_small_however_often_it_is_used() -> None:
    uses = tuple[UseGroup, ...]()
    for second in range(3600):
        uses = hourly_use.used(uses, now=NOON + timedelta(seconds=second))

    assert len(uses) <= 31
    assert hourly_use.count(uses, now=NOON + HOUR - MINUTE) == 3600


def test_one_use_an_hour_is_free_again_on_the_hour() -> None:
    uses = hourly_use.used((), now=NOON)

    assert hourly_use.free_at(uses, limit=1, now=NOON + MINUTE) == NOON + HOUR


def test_what_the_database_keeps_is_read_back() -> None:
    uses = hourly_use.used(hourly_use.used((), now=NOON), now=NOON + 5 * MINUTE)

    assert hourly_use.from_json(hourly_use.to_json(uses)) == uses
    assert hourly_use.from_json(None) == ()
