"""Which links become pages of a run, in which order, and when a known page is read again."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.page import Rest
from lamplighter.model.reading import Link, Role
from lamplighter.rules.frontier import Scope, depth_of, in_scope, is_due_again, lateness, rank
from tests.moments import NOON

SITE = "https://example.org"


def followed(*urls: str, depth: int = 0, role: Role = Role.LINK, scope: Scope | None = None) -> list[str]:
    scope = scope or Scope(hostnames=("example.org",), max_depth=2)
    links = [Link(url=url, role=role) for url in urls]
    return [link.url for link in in_scope(links, depth=depth, scope=scope, now=NOON)]


@pytest.mark.parametrize(
    "url",
    [
        pytest.param(f"{SITE}/jobs/1", id="the same host"),
        pytest.param("https://jobs.example.org/1", id="a subdomain"),
        pytest.param("http://example.org/1", id="the other scheme"),
        pytest.param("https://example.org:8443/1", id="another port"),
    ],
)
def test_links_on_the_source_s_site_are_followed(url: str) -> None:
    assert followed(url) == [url]


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("https://example.com/jobs/1", id="another site"),
        pytest.param("https://example.org.evil.test/", id="its name as the beginning of another"),
        pytest.param("https://notexample.org/", id="its name as the end of another"),
        pytest.param("https://127.0.0.1/", id="an address"),
    ],
)
def test_links_to_other_sites_are_not_followed(url: str) -> None:
    assert followed(url) == []


def test_neighbours_under_a_public_suffix_are_other_sites() -> None:
    scope = Scope(hostnames=("one.github.io",), max_depth=2)

    assert followed("https://two.github.io/", scope=scope) == []


def test_a_source_on_an_address_keeps_to_that_address() -> None:
    scope = Scope(hostnames=("127.0.0.1",), max_depth=2)

    assert followed("http://127.0.0.1:8000/a", "http://127.0.0.2:8000/a", scope=scope) == ["http://127.0.0.1:8000/a"]


def test_f5_traps_are_not_followed() -> None:
    assert followed(f"{SITE}/a/b/a/b/a/b", f"{SITE}/calendar/7749/3", f"{SITE}/" + "x" * 3000) == []


@pytest.mark.parametrize(
    ("depth", "role", "goes_on"),
    [
        pytest.param(1, Role.LINK, True, id="a link from depth 1 is at depth 2"),
        pytest.param(2, Role.LINK, False, id="a link from depth 2 is too deep"),
        pytest.param(2, Role.LISTING, True, id="the next page of a listing is no deeper than the listing"),
        pytest.param(3, Role.LISTING, False, id="a listing that is itself too deep"),
    ],
)
def test_the_depth_limit_counts_links_from_the_start(depth: int, role: Role, goes_on: bool) -> None:
    assert bool(followed(f"{SITE}/x", depth=depth, role=role)) is goes_on


@given(st.integers(0, 50))
@settings(deadline=None, max_examples=20)
def test_next_pages_stay_at_the_depth_of_their_listing(found_at: int) -> None:
    assert depth_of(Role.LISTING, found_at=found_at) == found_at
    assert depth_of(Role.LINK, found_at=found_at) == found_at + 1


# Order


@given(st.integers(0, 100), st.integers(0, 100), st.integers(0, 10_000), st.integers(0, 10_000))
@settings(deadline=None, max_examples=200)
def test_higher_priority_comes_first_at_any_depth(one: int, other: int, depth: int, other_depth: int) -> None:
    higher, lower = max(one, other), min(one, other)

    if higher == lower:
        assert (rank(priority=one, depth=depth) <= rank(priority=other, depth=other_depth)) == (
            min(depth, 999) <= min(other_depth, 999)
        )
    else:
        assert rank(priority=higher, depth=depth) < rank(priority=lower, depth=other_depth)


# Known pages

HOUR = timedelta(hours=1)
RESTING, RESTED = Rest(until=NOON + HOUR), Rest(until=NOON)
GONE = Rest(until=NOON + 29 * 24 * HOUR, missing_count=2)


@pytest.mark.parametrize(
    ("role", "fetched_at", "rest", "due"),
    [
        pytest.param(Role.LINK, None, Rest(), True, id="never had"),
        pytest.param(Role.LINK, NOON - HOUR, RESTING, False, id="it rests"),
        pytest.param(Role.LINK, NOON - HOUR, RESTED, True, id="its rest is over"),
        pytest.param(Role.LINK, NOON - HOUR, Rest(), False, id="no rest was written: a day, and an hour has passed"),
        pytest.param(Role.LINK, NOON - 24 * HOUR, Rest(), True, id="no rest was written, and a day has passed"),
        pytest.param(Role.LINK, None, Rest(until=NOON, missing_count=1), True, id="missed once"),
        pytest.param(Role.LINK, None, GONE, False, id="gone, though it was never had"),
        pytest.param(Role.LISTING, NOON - HOUR, RESTING, True, id="listings are always read again"),
        pytest.param(Role.SEED, NOON - HOUR, RESTING, True, id="and so is the start page"),
    ],
)
def test_a_linked_page_is_asked_for_again_when_its_rest_is_over(
    role: Role, fetched_at: datetime | None, rest: Rest, due: bool
) -> None:
    assert is_due_again(role=role, fetched_at=fetched_at, rest=rest, changed_at=None, now=NOON) is due


@pytest.mark.parametrize(
    ("changed_at", "due"),
    [
        pytest.param(NOON - timedelta(minutes=30), True, id="since it was fetched"),
        pytest.param(NOON - timedelta(hours=2), False, id="before it was fetched"),
        pytest.param(NOON + timedelta(days=1), False, id="tomorrow, says a liar"),
    ],
)
def test_a_page_that_is_said_to_have_changed_is_asked_for_again(changed_at: datetime, due: bool) -> None:
    fetched_at = NOON - timedelta(hours=1)

    assert is_due_again(role=Role.LINK, fetched_at=fetched_at, rest=RESTING, changed_at=changed_at, now=NOON) is due


@pytest.mark.parametrize(
    ("changed_at", "due"),
    [
        pytest.param(NOON - 2 * HOUR, True, id="since we found it gone"),
        pytest.param(NOON - 100 * HOUR, False, id="since we had it, but before we found it gone"),
    ],
)
def test_a_page_that_is_gone_is_asked_for_only_if_it_is_said_to_have_changed_since(
    changed_at: datetime, due: bool
) -> None:
    had = NOON - 200 * HOUR

    assert is_due_again(role=Role.LINK, fetched_at=had, rest=GONE, changed_at=changed_at, now=NOON) is due


def late(fetched_at: datetime | None, rest: Rest, changed_at: datetime | None = None) -> float:
    return lateness(fetched_at=fetched_at, rest=rest, changed_at=changed_at, now=NOON)


def test_lateness_counts_in_rests_of_the_page_itself() -> None:
    hourly = late(NOON - 3 * HOUR, Rest(until=NOON - 2 * HOUR))
    daily = late(NOON - 36 * HOUR, Rest(until=NOON - 12 * HOUR))

    assert (hourly, daily) == (3.0, 1.5)


@pytest.mark.parametrize(
    ("fetched_at", "rest", "changed_at"),
    [
        pytest.param(None, Rest(), None, id="never had"),
        pytest.param(NOON - HOUR, RESTING, NOON - HOUR / 2, id="said to have changed"),
        pytest.param(NOON - 9 * HOUR, Rest(until=NOON - HOUR, missing_count=1), None, id="missed once"),
        pytest.param(NOON - HOUR, Rest(until=NOON - HOUR), None, id="no rest at all"),
    ],
)
def test_some_pages_come_before_any_that_merely_wait(
    fetched_at: datetime | None, rest: Rest, changed_at: datetime | None
) -> None:
    assert late(fetched_at, rest, changed_at) > late(NOON - 10_000 * HOUR, Rest(until=NOON - 9_999 * HOUR))


@given(st.integers(1, 2000), st.integers(1, 2000))
@settings(deadline=None, max_examples=100)
def test_a_page_is_late_exactly_when_its_rest_is_over(waited: int, rests: int) -> None:
    had = NOON - waited * HOUR
    rest = Rest(until=had + rests * HOUR)

    is_due = is_due_again(role=Role.LINK, fetched_at=had, rest=rest, changed_at=None, now=NOON)

    assert is_due == (late(had, rest) >= 1)
