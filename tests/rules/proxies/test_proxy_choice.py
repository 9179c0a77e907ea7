"""Through which proxy is a host asked next, and how does what came of it count?"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from lamplighter.rules.proxies import hourly_use, proxy_choice
from lamplighter.rules.proxies.proxy_choice import FIRST_REST, REST_CAP, NoProxy, ProxyCandidate, ProxyRecord
from tests.moments import NOON

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
RESTING = ProxyRecord(quarantined_until=NOON + 5 * MINUTE, quarantine_count=1)
RESTED = ProxyRecord(quarantined_until=NOON, quarantine_count=1)


def proxy(number: int, **more: Any) -> ProxyCandidate:
    usual: dict[str, Any] = {
        "priority": 50,
        "last_used_at": None,
        "enabled": True,
        "country": None,
        "uses": (),
        "max_per_hour": 1000,
        "proxy": ProxyRecord(),
        "pair": ProxyRecord(),
    }
    return ProxyCandidate(id=number, **(usual | more))


def chosen(*candidates: ProxyCandidate, **how: Any) -> int:
    found = proxy_choice.choose(candidates, now=NOON, of="shop.example", **how)
    assert isinstance(found, ProxyCandidate), found
    return found.id


def none(*candidates: ProxyCandidate, **how: Any) -> NoProxy:
    found = proxy_choice.choose(candidates, now=NOON, of="shop.example", **how)
    assert isinstance(found, NoProxy), found
    return found


@pytest.mark.parametrize(
    ("candidates", "best"),
    [
        pytest.param([proxy(1), proxy(2)], 1, id="alike: the oldest"),
        pytest.param([proxy(1), proxy(2, priority=51)], 2, id="the better priority"),
        pytest.param([proxy(1, last_used_at=NOON), proxy(2)], 2, id="one that was never used"),
        pytest.param(
            [proxy(1, last_used_at=NOON), proxy(2, last_used_at=NOON - HOUR)], 2, id="the least recently used"
        ),
        pytest.param([proxy(1, priority=9), proxy(2, priority=1, last_used_at=None)], 1, id="priority before rest"),
        pytest.param([proxy(1, enabled=False), proxy(2, last_used_at=NOON)], 2, id="none that is disabled"),
        pytest.param([proxy(1, proxy=RESTING), proxy(2, last_used_at=NOON)], 2, id="none that rests"),
        pytest.param([proxy(1, pair=RESTING), proxy(2, last_used_at=NOON)], 2, id="none that rests with this host"),
        pytest.param([proxy(1, proxy=RESTED), proxy(2, last_used_at=NOON)], 1, id="one whose rest is over"),
        pytest.param(
            [proxy(1, max_per_hour=1, uses=hourly_use.used((), now=NOON)), proxy(2, last_used_at=NOON)],
            2,
            id="none that is used up",
        ),
    ],
)
def test_the_best_usable_proxy_is_chosen(candidates: list[ProxyCandidate], best: int) -> None:
    assert chosen(*candidates) == best


def test_only_proxies_of_the_country_will_do() -> None:
    candidates = [proxy(1), proxy(2, country="fr"), proxy(3, country="DE")]

    assert chosen(*candidates, country="DE") == 3
    assert none(*candidates, country="IT").why == "all 3 proxies of shop.example are not in IT"


def test_one_that_was_just_tried_is_not_tried_again() -> None:
    assert chosen(proxy(1), proxy(2), but_not=[1]) == 2


@pytest.mark.parametrize(
    ("candidates", "why", "until"),
    [
        pytest.param([], "shop.example has no proxies", None, id="none at all"),
        pytest.param([proxy(1, enabled=False)], "the only proxy of shop.example is disabled", None, id="off"),
        pytest.param(
            [proxy(1, proxy=RESTING), proxy(2, proxy=RESTING)],
            "all 2 proxies of shop.example are backing off after failures; next try 2026-03-14 12:05 UTC",
            NOON + 5 * MINUTE,
            id="all rest",
        ),
        pytest.param(
            [proxy(1, proxy=RESTING), proxy(2, max_per_hour=1, uses=hourly_use.used((), now=NOON - 57 * MINUTE))],
            "of the 2 proxies of shop.example 1 is backing off after failures, 1 is at the hourly limit; next try "
            "2026-03-14 12:03 UTC",
            NOON + 3 * MINUTE,
            id="one rests, one is used up",
        ),
    ],
)
def test_without_a_usable_proxy_it_is_said_why_and_until_when(
    candidates: list[ProxyCandidate], why: str, until: datetime | None
) -> None:
    found = none(*candidates)

    assert (found.why, found.until) == (why, until)


def test_five_proxies_with_one_use_an_hour_take_turns_in_order() -> None:
    pool = {number: proxy(number, max_per_hour=1) for number in range(1, 6)}
    order = []
    for turn in range(12):
        now = NOON + turn * 12 * MINUTE
        found = proxy_choice.choose(list(pool.values()), now=now, of="shop.example")
        assert isinstance(found, ProxyCandidate), found
        order.append(found.id)
        pool[found.id] = replace(found, last_used_at=now, uses=hourly_use.used(found.uses, now=now))

    assert order == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2]


def test_asked_more_often_than_five_proxies_may_be_used_the_sixth_waits_for_the_first() -> None:
    pool = [proxy(number, max_per_hour=1, uses=hourly_use.used((), now=NOON - number * MINUTE)) for number in range(5)]

    assert none(*pool).until == NOON + 56 * MINUTE


def failed(times: int, health: ProxyRecord, *, at: int, is_probe: bool = False, now: datetime = NOON) -> ProxyRecord:
    for _ in range(times):
        health = proxy_choice.after_failure(health, cool_at=at, is_probe=is_probe, now=now)
    return health


def test_a_proxy_rests_after_so_many_failures_in_a_row_and_not_before() -> None:
    assert not failed(4, ProxyRecord(), at=5).rests(now=NOON)
    assert failed(5, ProxyRecord(), at=5).quarantined_until == NOON + FIRST_REST


def test_a_success_forgets_the_failures_in_a_row_and_keeps_the_total() -> None:
    health = proxy_choice.after_success(failed(4, ProxyRecord(), at=5), took=MINUTE)

    assert (health.failure_count, health.failure_total, health.success_total) == (0, 4, 1)
    assert not failed(4, health, at=5).rests(now=NOON)


def test_every_failed_try_makes_the_rest_twice_as_long_up_to_a_cap() -> None:
    health, now, rests = failed(5, ProxyRecord(), at=5), NOON, list[timedelta]()
    for _ in range(9):
        assert health.quarantined_until is not None
        rests.append(health.quarantined_until - now)
        now = health.quarantined_until
        health = failed(1, proxy_choice.taken(health, now=now), at=5, is_probe=True, now=now)

    assert rests[:4] == [FIRST_REST, 2 * FIRST_REST, 4 * FIRST_REST, 8 * FIRST_REST]
    assert rests[-1] == REST_CAP


def test_failures_that_come_in_during_a_rest_do_not_lengthen_it() -> None:
    health = failed(5, ProxyRecord(), at=5)

    assert failed(3, health, at=5, now=NOON + MINUTE).quarantined_until == health.quarantined_until


def test_while_one_tries_a_rested_proxy_nobody_else_does() -> None:
    after = proxy_choice.taken(RESTED, now=NOON)

    assert proxy_choice.is_probe(RESTED)
    assert after.rests(now=NOON)
    assert not after.rests(now=NOON + 5 * MINUTE)


def test_one_that_is_tried_on_purpose_while_it_rests_rests_no_shorter_for_it() -> None:
    assert proxy_choice.taken(RESTING, now=NOON) == RESTING


def test_a_success_ends_a_rest_for_good() -> None:
    health = proxy_choice.after_success(failed(5, ProxyRecord(), at=5), took=MINUTE)

    assert (health.quarantined_until, health.quarantine_count) == (None, 0)


def test_the_average_is_the_mean_of_all_samples() -> None:
    health = ProxyRecord()
    for milliseconds in (300, 100, 200):
        health = proxy_choice.after_success(health, took=timedelta(milliseconds=milliseconds))

    assert health.average_took_ms == pytest.approx(200)
    assert proxy_choice.after_success(ProxyRecord(), took=timedelta(milliseconds=300)).average_took_ms == 300
