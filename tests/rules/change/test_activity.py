"""When is a host busy, by visits that say no more than "changed" or "not"?"""

import numpy as np
import pytest

from lamplighter.rules.change import activity
from lamplighter.rules.change.activity import Activity, HostVisits


def _visits(*, busy_from: float, sources: int = 200) -> HostVisits:
    """One visit to each source, an hour apart or less; whoever was visited after the edit had changed."""
    end = np.linspace(0.1, 48.0, sources)
    return HostVisits(
        host=np.zeros(sources, dtype=np.int64),
        start=end - 24.0,
        end=end,
        is_changed=end > busy_from,
        rate=np.full(sources, 0.002),
    )


def test_an_edit_of_many_pages_shows_as_activity_when_it_happened() -> None:
    found = activity.activity(_visits(busy_from=24.0), hosts=1, began=0.0, until=48.0, bin_hours=1.0)

    assert abs(int(found.level[0].argmax()) - 24) <= 1
    assert found.level[0].max() > 5 * found.level[0, :12].max()


def test_without_visits_nothing_is_known() -> None:
    nothing = _visits(busy_from=24.0, sources=0)

    found = activity.activity(nothing, hosts=1, began=0.0, until=48.0, bin_hours=1.0)

    assert found.level == pytest.approx(np.ones((1, 48)))


def test_hosts_do_not_tell_on_each_other() -> None:
    one = _visits(busy_from=24.0)
    both = HostVisits(
        host=np.repeat([0, 1], 200),
        start=np.tile(one.start, 2),
        end=np.tile(one.end, 2),
        is_changed=np.concatenate([one.is_changed, np.zeros(200, dtype=bool)]),
        rate=np.tile(one.rate, 2),
    )

    found = activity.activity(both, hosts=2, began=0.0, until=48.0, bin_hours=1.0)

    alone = activity.activity(one, hosts=1, began=0.0, until=48.0, bin_hours=1.0)
    assert found.level[0] == pytest.approx(alone.level[0])
    assert found.level[1].max() <= 1


def test_the_mean_counts_one_outside_of_what_is_known() -> None:
    known = Activity(began=10.0, bin_hours=2.0, level=np.array([[3.0, 5.0]]))

    start, end = np.array([10.0, 11.0, 0.0, 5.0]), np.array([14.0, 13.0, 20.0, 5.0])

    mean, _ = known.between(np.zeros(4, dtype=np.int64), start, end)

    assert mean == pytest.approx([4.0, 4.0, (10 + 16 + 6) / 20, 1.0])


def test_the_strongest_signals_come_forward_as_far_as_their_host_has_room() -> None:
    signal = np.array([0.2, 0.9, 0.5, 0.8, 0.6, 0.1])
    is_worth = np.array([True, True, True, False, True, True])
    host = np.array([0, 0, 0, 0, 1, 1])

    chosen = activity.brought_forward(signal, is_worth, np.ones(6), host=host, room=np.array([2.5, 1.0]))

    assert chosen.tolist() == [1, 4, 2]


def test_a_burst_stays_within_what_is_usual_and_polite() -> None:
    usual, planned = np.array([5.0, 5.0]), np.array([2.0, 0.0])

    assert activity.room(usual=usual, planned=planned, polite=np.array([100.0, 8.0])).tolist() == [18.0, 8.0]


def test_a_usual_or_quiet_host_is_no_signal() -> None:
    a, b, felt = np.full(2, 0.6), np.full(2, 100.0), np.full(2, 24.0)

    assert activity.signal(a, b, felt=felt, mean=np.array([1.0, 0.2])).tolist() == [0.0, 0.0]
    assert activity.signal(a, b, felt=felt, mean=np.array([50.0, 500.0])) == pytest.approx([0.783, 0.944], abs=0.001)


def test_an_epoch_is_a_part_of_the_usual_interval() -> None:
    assert [activity.epoch_hours(hours) for hours in (1.0, 24.0, 500.0)] == [1.0, 2.0, 6.0]


def test_a_change_is_as_old_as_the_edit_that_it_comes_from() -> None:
    late = Activity(began=0.0, bin_hours=1.0, level=np.array([[0.0] * 22 + [9.0, 0.0]]))
    host = np.zeros(3, dtype=np.int64)

    _, lag = late.between(host, np.array([0.0, -9.0, 30.0]), np.array([24.0, -3.0, 30.0]))

    # The edit was between one and two hours before the end, half of a day is twelve.
    assert lag == pytest.approx([1.5 / 12, 1.0, 1.0])


def test_the_lag_is_found_inside_of_bins_and_beyond_them() -> None:
    known = Activity(began=0.0, bin_hours=2.0, level=np.array([[3.0, 5.0]]))
    at = np.linspace(-1.0, 6.0, 700_001)
    level = np.select([at < 0, at < 2, at < 4], [1.0, 3.0, 5.0], 1.0)

    _, lag = known.between(np.zeros(1, dtype=np.int64), np.array([-1.0]), np.array([6.0]))

    assert lag[0] == pytest.approx((level * (6.0 - at)).mean() / level.mean() / 3.5, rel=1e-4)
