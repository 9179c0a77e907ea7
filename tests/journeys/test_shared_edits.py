"""Weeks in the life of sites whose edits change many pages at once: the service is as fresh as a replay says."""

import random
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from lamplighter.simulation.compare import compare
from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.trace import History, trace_of
from lamplighter.store.engine.database import Database
from tests.journeys.watched_world import DAY, HOUR, Site, World
from tests.moments import NOON

DAYS = 28
#: between two edits of a site, each of which changes so many of its pages; and between two changes of a page alone
EDITED_EVERY, EDITED_SHARE, CHANGED_EVERY = 3 * DAY, 0.8, 120 * DAY
#: a run that is due waits for half of this on average, and a replay does not know of it
STEP = HOUR / 6


class Staleness(NamedTuple):
    """Of one world: what the service made of it, and what a replay with as many fetches makes of it."""

    service: float
    replay: float
    fixed: float


def _edited(hosts: int, pages: int, chance: random.Random) -> Iterator[Site]:
    for host in range(hosts):
        edits = list(_moments(EDITED_EVERY, chance))
        for page in range(pages):
            shared = [
                edit + timedelta(minutes=chance.uniform(0, 10)) for edit in edits if chance.random() < EDITED_SHARE
            ]
            alone = _moments(CHANGED_EVERY * 4 ** chance.uniform(-1, 1), chance)
            yield Site(f"https://h{host}.example/{page}", [*shared, *alone])


def _moments(gap: timedelta, chance: random.Random) -> Iterator[datetime]:
    at = NOON
    while (at := at + chance.expovariate(1.0) * gap) < NOON + DAYS * DAY:
        yield at


async def _lived(db: Database, sites: list[Site]) -> Staleness:
    """Lives in a world, and replays it."""
    world = World(db, sites, step=STEP, days=DAYS)
    await world.begin()

    await world.live()

    hours = 24 * DAYS * len(sites)
    visits = sum(len(site.visits) for site in sites)
    # It cost what the operator's own rhythm would have cost, and the first copies.
    assert 0.95 < (visits - len(sites)) / (DAYS * len(sites)) < 1.05
    trace = trace_of([History(source=site.url, changed_at=site.changes) for site in sites])
    learned, fixed = compare(trace, [Contender.LEARNED, Contender.FIXED], budget=24 * visits / hours).results
    return Staleness(world.seen_hours(NOON) / hours, learned.staleness, fixed.staleness)


@pytest.mark.minutes
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("hosts", "pages", "worlds", "tolerance"),
    # The chance of one world is large: the service was 0, 5 and 10 % staler than the replays of the three.
    [pytest.param(1, 60, 1, 0.15), pytest.param(3, 100, 3, 0.05)],
)
async def test_shared_edits_are_found_as_soon_as_a_replay_finds_them(
    migrated_file: Path, tmp_path: Path, hosts: int, pages: int, worlds: int, tolerance: float
) -> None:
    found = []
    for number in range(1, worlds + 1):
        shutil.copyfile(migrated_file, file := tmp_path / f"{number}.db")
        async with Database(f"sqlite:///{file}") as db:
            found.append(await _lived(db, list(_edited(hosts, pages, random.Random(number)))))

    service, replay, fixed = map(sum, zip(*found, strict=True))
    assert service < 0.9 * fixed
    assert service == pytest.approx(replay, rel=tolerance)
