"""How long we stay away from a host, and why it is never less."""

from datetime import datetime, timedelta
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.host import Host, HostPolicy, PathOutcome
from lamplighter.model.visit import (
    NO_VALIDATORS,
    Failed,
    Fault,
    Fetched,
    NotModified,
    Redirected,
    Refusal,
    Refused,
    ResponseHead,
    Visit,
)
from lamplighter.rules.hosts import path_outcomes, politeness
from lamplighter.rules.urls import urls
from tests.moments import NOON

URL = "https://example.org/jobs"
NOTHING = timedelta(0)
A_SECOND = timedelta(seconds=1)
UNREACHABLE = (Fault.DNS, Fault.CONNECT, Fault.TLS, Fault.TIMEOUT)
HOST_FAULTS = (*UNREACHABLE, Fault.SERVER_ERROR)
PAGE_FAULTS = (Fault.NOT_FOUND, Fault.GONE, Fault.CLIENT_ERROR, Fault.TOO_LARGE, Fault.CONTENT_TYPE)


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def a_host(
    *,
    min_delay: timedelta = A_SECOND,
    crawl_delay: timedelta | None = None,
    learnt: timedelta = NOTHING,
    failures: int = 0,
    free_at: datetime | None = None,
    blocked_until: datetime | None = None,
) -> Host:
    return Host(
        id=1,
        key="example.org",
        policy=HostPolicy(min_delay=min_delay),
        crawl_delay=crawl_delay,
        learnt_delay=learnt,
        failure_count=failures,
        free_at=free_at,
        blocked_until=blocked_until,
    )


def failed(fault: Fault, *, retry_after: timedelta | None = None, url: str = URL) -> Failed:
    return Failed(url=url, fault=fault, detail="it broke", at=NOON, took=NOTHING, retry_after=retry_after)


def peeked(failure: Failed | None = None) -> ResponseHead:
    return ResponseHead(url=URL, status=200, headers={}, at=NOON, took=NOTHING, failure=failure)


def fetched(url: str = URL) -> Fetched:
    return Fetched(url=url, status=200, body=b"x", content_type=None, validators=NO_VALIDATORS, at=NOON, took=NOTHING)


ANSWERS = [
    pytest.param(fetched(), id="a page"),
    pytest.param(NotModified(url=URL, validators=NO_VALIDATORS, at=NOON, took=NOTHING), id="not modified"),
    pytest.param(Redirected(url=URL, status=301, target=URL, at=NOON, took=NOTHING), id="a redirect"),
    pytest.param(peeked(), id="the headers of a page"),
    *[pytest.param(failed(fault), id=fault) for fault in PAGE_FAULTS],
]

spans = st.timedeltas(min_value=NOTHING, max_value=timedelta(days=30))
failures_of_any_kind = st.builds(
    failed,
    st.sampled_from([Fault.BUSY, *HOST_FAULTS]),
    retry_after=st.none() | spans.map(lambda s: min(s, seconds(86400))),
)


# The delay


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        pytest.param(a_host(), politeness.DelayOrigin.POLICY, id="nobody else asks for one"),
        pytest.param(a_host(crawl_delay=A_SECOND), politeness.DelayOrigin.ROBOTS, id="as long as the policy's"),
        pytest.param(a_host(learnt=seconds(2)), politeness.DelayOrigin.LEARNT, id="the host slowed us down"),
        pytest.param(
            a_host(crawl_delay=seconds(2), learnt=seconds(2)),
            politeness.DelayOrigin.ROBOTS,
            id="written before learnt",
        ),
    ],
)
def test_who_asks_for_the_delay_is_known(host: Host, origin: politeness.DelayOrigin) -> None:
    assert politeness.delay_origin(host) is origin


@pytest.mark.parametrize(
    ("host", "delay"),
    [
        pytest.param(a_host(), seconds(1), id="the policy's when nothing else is known"),
        pytest.param(a_host(crawl_delay=seconds(10)), seconds(10), id="robots.txt asks for more"),
        pytest.param(a_host(crawl_delay=seconds(0.2)), seconds(1), id="robots.txt asks for less: the policy stays"),
        pytest.param(a_host(learnt=seconds(4)), seconds(4), id="learnt the hard way"),
        pytest.param(a_host(crawl_delay=seconds(10), learnt=seconds(4)), seconds(10), id="the longest of three"),
        pytest.param(a_host(min_delay=NOTHING), NOTHING, id="no delay at all"),
        pytest.param(a_host(crawl_delay=timedelta(days=1)), timedelta(days=1), id="a day between two requests"),
    ],
)
def test_c10_the_longest_delay_counts(host: Host, delay: timedelta) -> None:
    assert politeness.effective_delay(host) == delay


@pytest.mark.parametrize(
    ("host", "abandoned_until", "first"),
    [
        pytest.param(a_host(), None, None, id="a host never asked: at once"),
        pytest.param(a_host(free_at=NOON), None, NOON, id="when it is free"),
        pytest.param(a_host(blocked_until=NOON), None, NOON, id="when its block ends"),
        pytest.param(a_host(free_at=NOON, blocked_until=NOON + seconds(5)), None, NOON + seconds(5), id="the later"),
        pytest.param(a_host(), NOON, NOON + seconds(1), id="abandoned: one delay after the dead holder's lease"),
        pytest.param(a_host(crawl_delay=seconds(9)), NOON, NOON + seconds(9), id="abandoned: robots.txt's delay"),
        pytest.param(a_host(free_at=NOON + seconds(3)), NOON, NOON + seconds(3), id="abandoned, but free only later"),
    ],
)
def test_p3_a_new_holder_waits_for_the_old_one(
    host: Host, abandoned_until: datetime | None, first: datetime | None
) -> None:
    assert politeness.first_turn_at(host, abandoned_until=abandoned_until) == first


# Asked to slow down


def test_b5_retry_after_blocks_the_host_as_long_as_it_says() -> None:
    after = politeness.after_visit(a_host(), failed(Fault.BUSY, retry_after=seconds(120)), now=NOON)

    assert after.blocked_until == NOON + seconds(120)
    assert "120 s" in (after.block_reason or "")


@pytest.mark.parametrize(
    ("failures", "block"),
    [
        pytest.param(0, seconds(30), id="first: half a minute"),
        pytest.param(1, seconds(60), id="second: a minute"),
        pytest.param(6, seconds(1920), id="seventh: half an hour"),
        pytest.param(7, timedelta(hours=1), id="eighth: an hour at most"),
        pytest.param(10_000, timedelta(hours=1), id="without overflow"),
    ],
)
def test_b5_without_retry_after_the_block_doubles_up_to_an_hour(failures: int, block: timedelta) -> None:
    after = politeness.after_visit(a_host(failures=failures), failed(Fault.BUSY), now=NOON)

    assert after.blocked_until == NOON + block


@pytest.mark.parametrize(
    ("host", "learnt"),
    [
        pytest.param(a_host(min_delay=seconds(0.05)), seconds(1), id="from a second at least"),
        pytest.param(a_host(min_delay=seconds(3)), seconds(6), id="twice the policy"),
        pytest.param(a_host(crawl_delay=seconds(5)), seconds(10), id="twice what robots.txt asks"),
        pytest.param(a_host(learnt=seconds(8)), seconds(16), id="twice what was learnt"),
        pytest.param(a_host(learnt=seconds(40)), seconds(60), id="up to a minute"),
    ],
)
def test_b5_a_busy_host_is_asked_more_slowly_from_then_on(host: Host, learnt: timedelta) -> None:
    after = politeness.after_visit(host, failed(Fault.BUSY, retry_after=seconds(1)), now=NOON)

    assert after.learnt_delay == learnt


@given(policy=spans, robots=st.none() | spans, learnt=spans, visit=failures_of_any_kind)
@settings(deadline=None, max_examples=100)
def test_p3_no_failure_shortens_the_delay(
    policy: timedelta, robots: timedelta | None, learnt: timedelta, visit: Failed
) -> None:
    host = a_host(min_delay=policy, crawl_delay=robots, learnt=learnt)

    after = politeness.after_visit(host, visit, now=NOON)

    assert politeness.effective_delay(after) >= politeness.effective_delay(host)


@given(failures=st.integers(0, 100), left=spans, visit=failures_of_any_kind)
@settings(deadline=None, max_examples=200)
def test_b5_another_failure_never_ends_a_block_sooner(failures: int, left: timedelta, visit: Failed) -> None:
    blocked = a_host(failures=failures, blocked_until=NOON + left)

    after = politeness.after_visit(blocked, visit, now=NOON)

    assert after.blocked_until is not None
    assert after.blocked_until >= NOON + left


@pytest.mark.parametrize("late", ANSWERS)
def test_b5_an_answer_that_was_under_way_does_not_lift_the_block(late: Visit | ResponseHead) -> None:
    """With several requests in flight, the answer to an older one may come after the 429."""
    blocked = politeness.after_visit(a_host(), failed(Fault.BUSY, retry_after=seconds(120)), now=NOON)

    after = politeness.after_visit(blocked, late, now=NOON + seconds(1))

    assert after.blocked_until == NOON + seconds(120)


@pytest.mark.parametrize("fault", [Fault.BUSY, *HOST_FAULTS])
def test_requests_that_were_in_flight_when_the_block_began_count_as_one_failure(fault: Fault) -> None:
    """Otherwise one moment of trouble would count as often as we had asked when it began."""
    host = a_host(failures=politeness.BREAKER_AT - 1)
    blocked = politeness.after_visit(host, failed(fault), now=NOON)

    after = blocked
    for moment in range(15):
        after = politeness.after_visit(after, failed(fault), now=NOON + moment * A_SECOND)

    assert after == blocked


def test_b5_a_request_that_was_in_flight_lengthens_the_block_if_it_is_told_to_stay_away_for_longer() -> None:
    blocked = politeness.after_visit(a_host(), failed(Fault.BUSY, retry_after=seconds(60)), now=NOON)

    after = politeness.after_visit(blocked, failed(Fault.BUSY, retry_after=seconds(120)), now=NOON)

    assert after.blocked_until == NOON + seconds(120)
    assert "120 s" in (after.block_reason or "")
    assert (after.failure_count, after.learnt_delay) == (1, blocked.learnt_delay)


@pytest.mark.parametrize(
    ("fault", "blocks"),
    [
        pytest.param(Fault.BUSY, [30, 60, 120], id="busy"),
        pytest.param(Fault.CONNECT, [60, 120, 240], id="not to be reached"),
    ],
)
def test_a_host_that_fails_again_when_its_block_is_over_is_left_alone_for_ever_longer(
    fault: Fault, blocks: list[int]
) -> None:
    host, now, seen = a_host(failures=0 if fault is Fault.BUSY else politeness.BREAKER_AT - 1), NOON, []

    for _ in blocks:
        host = politeness.after_visit(host, failed(fault), now=now)
        assert host.blocked_until is not None
        seen.append((host.blocked_until - now).total_seconds())
        now = host.blocked_until

    assert seen == blocks


# Answers


@pytest.mark.parametrize("answer", ANSWERS)
def test_any_answer_forgives_earlier_failures(answer: Visit | ResponseHead) -> None:
    failing = a_host(failures=4, learnt=seconds(10), blocked_until=NOON - seconds(1))

    after = politeness.after_visit(failing, answer, now=NOON)

    assert after.failure_count == 0
    assert after.blocked_until is None
    assert after.learnt_delay == seconds(9)


def test_a_learnt_delay_is_forgotten_in_the_end() -> None:
    host = a_host(learnt=seconds(60))

    for _ in range(100):
        host = politeness.after_visit(host, fetched(), now=NOON)

    assert host.learnt_delay == NOTHING


@pytest.mark.parametrize("fault", list(Fault))
def test_a_failure_teaches_the_same_when_only_the_headers_were_asked_for(fault: Fault) -> None:
    host = a_host(failures=4, learnt=seconds(10))
    failure = failed(fault, retry_after=seconds(120))

    after = politeness.after_visit(host, peeked(failure), now=NOON)

    assert after == politeness.after_visit(host, failure, now=NOON)


def test_our_own_refusal_says_nothing_about_the_host() -> None:
    host = a_host(failures=3, learnt=seconds(2))

    after = politeness.after_visit(host, Refused(url=URL, reason=Refusal.ROBOTS, detail="no"), now=NOON)

    assert after == host


# The breaker


@pytest.mark.parametrize("fault", UNREACHABLE)
def test_a1_a3_four_failures_in_a_row_leave_the_breaker_closed_and_the_fifth_opens_it(fault: Fault) -> None:
    host = a_host()
    for _ in range(4):
        host = politeness.after_visit(host, failed(fault), now=NOON)

    opened = politeness.after_visit(host, failed(fault), now=NOON)

    assert host.blocked_until is None
    assert opened.blocked_until == NOON + timedelta(minutes=1)
    assert "5 failures in a row, the last: it broke" in (opened.block_reason or "")


def after_answers(host: Host, answers: str, *, now: datetime = NOON) -> Host:
    """The host after answers of paths by their letters: a small one is a page, a capital one a server error."""
    for letter in answers:
        url = f"https://example.org/{letter.lower()}"
        visit = failed(Fault.SERVER_ERROR, url=url) if letter.isupper() else fetched(url)
        host = politeness.after_visit(host, visit, now=now)
    return host


@pytest.mark.parametrize(
    ("answers", "is_open"),
    [
        pytest.param("A" * 50, False, id="one page fails for ever, and no other is requested"),
        pytest.param("AbAcAdAe", False, id="one page fails beside good ones"),
        pytest.param("AABBCCDD", False, id="four pages fail"),
        pytest.param("ABCDE", True, id="five pages fail"),
        pytest.param("abcdABCDE", True, id="pages that were good fail by now"),
        pytest.param("xyzABCDE", True, id="most of eight pages fail"),
        pytest.param("AxByCzDwEv", False, id="every second one fails"),
        pytest.param("ABCDabcdE", False, id="four have recovered"),
    ],
)
def test_server_errors_open_the_breaker_if_most_paths_fail(answers: str, is_open: bool) -> None:
    assert politeness.is_blocked(after_answers(a_host(), answers), now=NOON) is is_open


@pytest.mark.parametrize(
    ("answers", "minutes"),
    [
        pytest.param("A", None, id="one broken page does not open it again"),
        pytest.param("AAAA", None, id="however often it is requested"),
        pytest.param("AB", 2, id="two failing pages do, for longer"),
        pytest.param("aBC", None, id="not after a success: then five must fail"),
    ],
)
def test_a_breaker_opens_again_only_if_more_than_one_path_fails(answers: str, minutes: int | None) -> None:
    opened = after_answers(a_host(), "ABCDE")
    assert opened.blocked_until is not None
    now = opened.blocked_until

    again = after_answers(opened, answers, now=now)

    assert politeness.is_blocked(again, now=now) is (minutes is not None)
    assert minutes is None or again.blocked_until == now + timedelta(minutes=minutes)


def test_a_list_of_which_every_page_fails_is_a_host_in_trouble() -> None:
    host = a_host()

    for number in range(5):
        assert host.blocked_until is None
        broken = failed(Fault.SERVER_ERROR, url=f"https://example.org/list?page={number}")
        host = politeness.after_visit(host, broken, now=NOON)

    assert host.blocked_until == NOON + timedelta(minutes=1)


@pytest.mark.parametrize(
    ("fault", "pause", "for_start_page", "for_others"),
    [
        pytest.param(Fault.SERVER_ERROR, 3, True, True, id="a server error"),
        pytest.param(Fault.SERVER_ERROR, 30, False, True, id="a host with a long delay"),
        pytest.param(Fault.TIMEOUT, 3, False, True, id="a time-out takes long enough by itself"),
        pytest.param(Fault.BUSY, 3, False, False, id="a busy host is left alone"),
        pytest.param(Fault.TOO_LARGE, 3, False, False, id="what lasts"),
        pytest.param(Fault.NOT_FOUND, 3, False, False, id="what is not there"),
    ],
)
def test_a_request_is_sent_again_at_once_only_if_that_may_help_and_for_a_start_page_only_within_seconds(
    fault: Fault, pause: int, for_start_page: bool, for_others: bool
) -> None:
    repeated = partial(politeness.is_repeated_at_once, fault, pause=seconds(pause))

    assert [repeated(is_start_page=True), repeated(is_start_page=False)] == [for_start_page, for_others]


@pytest.mark.parametrize(
    ("failures", "block"),
    [
        pytest.param(5, timedelta(minutes=2), id="sixth"),
        pytest.param(12, timedelta(hours=4, minutes=16), id="thirteenth"),
        pytest.param(13, timedelta(hours=6), id="six hours at most"),
        pytest.param(10_000, timedelta(hours=6), id="without overflow"),
    ],
)
def test_the_breaker_stays_open_ever_longer(failures: int, block: timedelta) -> None:
    after = politeness.after_visit(a_host(failures=failures), failed(Fault.CONNECT), now=NOON)

    assert after.blocked_until == NOON + block


@pytest.mark.parametrize("fault", PAGE_FAULTS)
def test_b8_a_broken_page_is_not_a_broken_host(fault: Fault) -> None:
    assert not fault.blames_host


@pytest.mark.parametrize(
    ("until", "blocked"),
    [
        pytest.param(None, False, id="never blocked"),
        pytest.param(NOON + seconds(0.001), True, id="a moment left"),
        pytest.param(NOON, False, id="over this very moment"),
    ],
)
def test_a_block_ends_when_it_says(until: datetime | None, blocked: bool) -> None:
    assert politeness.is_blocked(a_host(blocked_until=until), now=NOON) is blocked


# Backoff


@given(attempt=st.integers(1, 6), delay=spans, draw=st.floats(0, 1, exclude_max=True))
@settings(deadline=None, max_examples=200)
def test_a2_a_repeated_request_waits_ever_longer_and_never_under_the_delay(
    attempt: int, delay: timedelta, draw: float
) -> None:
    wait = politeness.request_backoff(attempt, delay=delay, draw=draw)

    assert wait >= delay
    assert wait >= 0.75 * seconds(2 ** (attempt - 1))
    assert wait <= max(delay, 1.25 * seconds(2 ** (attempt - 1)))
    assert politeness.request_backoff(attempt + 1, delay=delay, draw=draw) >= wait


@pytest.mark.parametrize(
    ("retry", "minutes"),
    [
        pytest.param(1, 1, id="first"),
        pytest.param(2, 2, id="second"),
        pytest.param(3, 4, id="third"),
        pytest.param(4, 8, id="fourth"),
        pytest.param(11, 1024, id="eleventh"),
        pytest.param(10_000, 1024, id="no longer than the eleventh"),
    ],
)
def test_a_page_is_tried_again_after_ever_more_minutes(retry: int, minutes: int) -> None:
    assert politeness.page_backoff(retry) == timedelta(minutes=minutes)


@given(unit=spans, times=st.integers(0, 100_000), cap=spans)
@settings(deadline=None, max_examples=300)
def test_doubling_never_overflows_nor_passes_its_cap(unit: timedelta, times: int, cap: timedelta) -> None:
    once, again = (politeness.doubled(unit, number, cap=cap) for number in (times, times + 1))

    assert min(unit, cap) <= once <= again <= cap


def _as_all_are_remembered(recent: tuple[PathOutcome, ...], url: str, *, failed: bool) -> tuple[PathOutcome, ...]:
    path = urls.parse(url).path_query
    others = [outcome for outcome in recent if outcome.path != path]
    return (*others[1 - path_outcomes.REMEMBERED :], PathOutcome(path, failed))


@given(st.lists(st.tuples(st.integers(0, 11), st.booleans()), max_size=60), st.booleans())
def test_successes_that_are_not_remembered_change_no_decision(visits: list[tuple[int, bool]], was_open: bool) -> None:
    kept: tuple[PathOutcome, ...] = ()
    whole: tuple[PathOutcome, ...] = ()
    # Often nothing fails for long.
    for number, failed in [(page, False) for page in range(10)] + visits:
        url = f"https://example.org/{number}"
        kept = path_outcomes.remembered(kept, url, failed=failed)
        whole = _as_all_are_remembered(whole, url, failed=failed)

        assert [outcome.failed for outcome in kept] == [outcome.failed for outcome in whole]
        assert path_outcomes.most_fail(kept, was_open=was_open) == path_outcomes.most_fail(whole, was_open=was_open)


def test_a_success_after_nothing_but_successes_leaves_the_host_as_it_is() -> None:
    host = a_host()
    for number in range(path_outcomes.REMEMBERED):
        host = politeness.after_visit(host, fetched(f"https://example.org/{number}"), now=NOON)

    assert politeness.after_visit(host, fetched("https://example.org/another"), now=NOON) is host
