"""When jobs run that fell due while nobody looked."""

from datetime import timedelta

from lamplighter.rules.schedule import catch_up, reasons
from lamplighter.rules.schedule.catch_up import FEW, Overdue
from tests.moments import NOON

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def _overdue(count: int, *, pace: timedelta, urgency: int = 0, first: int = 0) -> list[Overdue]:
    return [Overdue(first + number, NOON - 24 * HOUR, pace, urgency) for number in range(count)]


def test_a_few_run_at_once() -> None:
    turns = catch_up.spread(_overdue(FEW, pace=24 * HOUR), now=NOON)

    assert {turn.at for turn in turns} == {NOON}


def test_many_come_at_the_rate_at_which_they_would_come_anyhow() -> None:
    turns = catch_up.spread(_overdue(300 + FEW, pace=HOUR), now=NOON)

    by_minute = [sum(NOON + n * MINUTE <= turn.at < NOON + (n + 1) * MINUTE for turn in turns) for n in range(1, 58)]
    assert set(by_minute) <= {5, 6}


def test_nobody_waits_longer_than_their_pace_nor_than_some_hours() -> None:
    quick = catch_up.spread(_overdue(500, pace=HOUR), now=NOON)
    slow = catch_up.spread(_overdue(5000, pace=240 * HOUR), now=NOON)

    assert max(turn.at for turn in quick) <= NOON + HOUR
    assert max(turn.at for turn in slow) <= NOON + catch_up.LONGEST


def test_a_small_installation_is_through_within_minutes_however_slow_its_sources_are() -> None:
    turns = catch_up.spread(_overdue(30, pace=240 * HOUR), now=NOON)

    assert max(turn.at for turn in turns) <= NOON + 10 * MINUTE


def test_those_come_first_whose_waiting_costs_most() -> None:
    calm, urgent = _overdue(50, pace=HOUR, urgency=-3), _overdue(50, pace=HOUR, urgency=2, first=100)

    turns = catch_up.spread([*calm, *urgent], now=NOON)

    assert [turn.job.id for turn in turns] == [*range(100, 150), *range(50)]


def test_the_wait_is_explained_after_what_made_the_job_due() -> None:
    expected = {"visits": 0}
    before = {"steps": [{"step": "jitter", "share": 0.01}], "expected": expected}

    once = catch_up.explained(before, away=72 * HOUR, waits=20 * MINUTE)
    twice = catch_up.explained(once, away=5 * HOUR, waits=2 * MINUTE)

    assert reasons.sentence(once) == (
        "+1.0% jitter · due while no scheduler ran for 3 d, delayed by 20 min to spread the missed runs"
    )
    assert "5 h" in reasons.sentence(twice)
    assert len(twice["steps"]) == 2
    assert "no scheduler ran for 3 d" in reasons.sentence(catch_up.explained(None, away=72 * HOUR, waits=MINUTE))
