"""Demo content is a function of the clock: it changes at known moments and in one direction."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.demo.timeline import draw, latest_post, lives_at, pick, published_at

EVERY = timedelta(minutes=4)
LASTS = timedelta(days=40)
moments = st.datetimes(datetime(2000, 2, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


def test_the_same_keys_always_draw_the_same_number() -> None:
    assert draw("a", 1) == draw("a", 1)
    assert draw("a", 1) != draw("a", 2)
    assert draw("a", 11) != draw("a1", 1)


def test_draws_fill_the_range_evenly() -> None:
    draws = [draw("even", n) for n in range(2000)]

    assert all(0 <= number < 1 for number in draws)
    assert 0.47 < sum(draws) / len(draws) < 0.53


def test_every_option_is_picked_sooner_or_later() -> None:
    assert {pick("abc", "pick", n) for n in range(50)} == set("abc")


@settings(deadline=None, max_examples=100)
@given(moments)
def test_the_latest_post_is_out_and_the_next_is_not(now: datetime) -> None:
    number = latest_post(now, "news", EVERY)

    assert published_at("news", number, EVERY) <= now < published_at("news", number + 1, EVERY)


@settings(deadline=None, max_examples=50)
@given(moments)
def test_every_slot_is_occupied_by_somebody_alive(now: datetime) -> None:
    lives = lives_at(now, "board", slots=40, lasts=LASTS)

    assert [life.slot for life in lives] == list(range(40))
    assert all(life.born <= now < life.dies for life in lives)


@settings(deadline=None, max_examples=50)
@given(moments)
def test_a_successor_is_born_when_its_predecessor_dies(now: datetime) -> None:
    life = lives_at(now, "board", slots=40, lasts=LASTS)[7]
    successor = lives_at(life.dies, "board", slots=40, lasts=LASTS)[7]

    assert successor.generation == life.generation + 1
    assert successor.born == life.dies
