"""One process at a time leads; who slept beyond its lease does not act."""

from collections.abc import Callable
from datetime import timedelta

from lamplighter.crawl.fleet.leadership import LEASE, Leadership
from lamplighter.model.fleet import Instance, Lead
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import instances
from tests.clocks import At
from tests.counting import Counting
from tests.rules.fleet.fleet_workers import WORKER
from tests.store.given_rows import write

SECOND = timedelta(seconds=1)


def contender(
    db: Database,
    name: str,
    clock: At,
    *,
    taken: Callable[[Lead], None] = lambda lead: None,
    is_dead: Callable[[Instance], bool] = lambda instance: False,
) -> Leadership:
    return Leadership(db, clock=clock, owner=name, wanted=[Lead.SCHEDULE], is_dead=is_dead, taken=taken)


async def test_the_first_leads_at_once_and_is_told_so(db: Database) -> None:
    told: list[Lead] = []
    first = contender(db, "one", At(), taken=told.append)

    await first.keep()
    await first.keep()

    assert first.holds(Lead.SCHEDULE)
    assert told == [Lead.SCHEDULE]


async def test_another_takes_over_when_the_leader_is_silent_for_its_lease(db: Database) -> None:
    clock = At()
    leader, other = contender(db, "one", clock), contender(db, "two", clock)
    await leader.keep()

    await other.keep()
    led_before = other.holds(Lead.SCHEDULE)
    clock.at += LEASE
    await other.keep()

    assert (led_before, other.holds(Lead.SCHEDULE)) == (False, True)


async def test_a_leader_that_slept_beyond_its_lease_does_not_act(db: Database) -> None:
    clock = At()
    leader = contender(db, "one", clock)
    await leader.keep()

    clock.at += LEASE

    assert not leader.holds(Lead.SCHEDULE)


async def test_a_leader_whose_place_was_taken_knows_it_at_its_next_sign_of_life(db: Database) -> None:
    clock = At()
    leader, other = contender(db, "one", clock), contender(db, "two", clock)
    await leader.keep()
    clock.at += LEASE
    await other.keep()

    await leader.keep()

    assert (leader.holds(Lead.SCHEDULE), other.holds(Lead.SCHEDULE)) == (False, True)


async def test_a_leader_that_stops_leaves_no_gap(db: Database) -> None:
    clock = At()
    leader, other = contender(db, "one", clock), contender(db, "two", clock)
    await leader.keep()

    await leader.give_back()
    await other.keep()

    assert (leader.holds(Lead.SCHEDULE), other.holds(Lead.SCHEDULE)) == (False, True)


async def test_nobody_waits_for_a_leader_that_is_known_to_be_dead(db: Database) -> None:
    clock = At()
    await contender(db, WORKER.id, clock).keep()
    await write(db, instances.beat, WORKER)
    other = contender(db, "two", clock, is_dead=lambda instance: instance.id == WORKER.id)
    counting = Counting()

    await other.keep()

    assert other.holds(Lead.SCHEDULE)
    assert counting.since("crawler_crash_recoveries_total", what="lead") == 1
