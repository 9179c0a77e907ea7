"""Fourteen days in the life of sources whose changes are known: what the explanations promised must have held."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from lamplighter.store.engine.database import Database
from tests.journeys.watched_world import DAY, HOUR, Site, World
from tests.moments import NOON

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

DAYS = 14
#: in the first week it is mostly guessing: whoever changes every month has not been seen to by then
KNOWN_AFTER = NOON + 7 * DAY
END = NOON + DAYS * DAY


def _alone(sources: int) -> list[Site]:
    """Each on a host of its own, from one that changes every eight hours to one that does every eighty days."""
    chance = random.Random(7)
    return [
        Site(f"https://s{number}.example/", _changes(8 * HOUR * 240 ** (number / sources), chance))
        for number in range(sources)
    ]


def _changes(gap: timedelta, chance: random.Random) -> Iterator[datetime]:
    at = NOON - DAY
    while at < END:
        at += chance.expovariate(1.0) * gap
        yield at


@pytest.mark.parametrize(
    ("sources", "step", "tolerance"),
    [
        (20, 2 * HOUR, 0.2),
        pytest.param(300, HOUR / 2, 0.1, marks=[pytest.mark.minutes, pytest.mark.timeout(3600)]),
    ],
)
async def test_staleness_is_what_the_explanations_promised(
    db: Database, sources: int, step: timedelta, tolerance: float
) -> None:
    world = World(db, _alone(sources), step=step, days=DAYS)
    await world.begin()

    await world.live()

    assert world.promised_hours(KNOWN_AFTER) == pytest.approx(world.seen_hours(KNOWN_AFTER), rel=tolerance)
    # It cost what the operator's own rhythm would have cost, and was spent on those that change.
    visits = sum(len(site.visits) for site in world.sites.values())
    assert 0.85 < visits / (sources * DAYS) < 1.15
    lively, quiet = world.sites[1], world.sites[sources]
    assert len(lively.visits) > 3 * len(quiet.visits)
