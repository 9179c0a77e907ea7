"""How slowly must we crawl this host? Delays, blocks and the host's breaker, as arithmetic."""

from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import assert_never

from lamplighter.model.host import Host
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Redirected, Refused, ResponseHead, Visit
from lamplighter.rules.hosts import path_outcomes

#: longest block that a server may ask for by Retry-After
LONGEST_BLOCK = timedelta(days=1)
#: our own block after 429/503 without a usable Retry-After: doubles every time
FIRST_BLOCK = timedelta(seconds=30)
OWN_BLOCK_CAP = timedelta(hours=1)
#: after a 429 the delay doubles, from at least this
LEARNT_START = timedelta(seconds=1)
LEARNT_CAP = timedelta(minutes=1)
#: below this a learnt delay is forgotten
LEARNT_FLOOR = timedelta(milliseconds=100)
#: each success takes this share off the learnt delay
LEARNT_DECAY = 0.9
#: failures in a row to reach the host that open the breaker
BREAKER_AT = 5
BREAKER_FIRST = timedelta(minutes=1)
BREAKER_CAP = timedelta(hours=6)

#: a longer pause is not waited for before the request for a start page is sent again
START_PAGE_PATIENCE = timedelta(seconds=5)


class DelayOrigin(StrEnum):
    """What determines a host's delay."""

    POLICY = "policy"
    ROBOTS = "robots"
    LEARNT = "learnt"


def effective_delay(host: Host) -> timedelta:
    """Least time between two requests: the longest that the host policy, robots.txt or experience asks for."""
    return max(host.policy.min_delay, host.crawl_delay or timedelta(0), host.learnt_delay)


def delay_origin(host: Host) -> DelayOrigin:
    """What determines the delay; if two are equal, robots.txt comes before what we learnt."""
    delay = effective_delay(host)
    if host.crawl_delay is not None and delay == host.crawl_delay:
        return DelayOrigin.ROBOTS
    return DelayOrigin.LEARNT if host.learnt_delay and delay == host.learnt_delay else DelayOrigin.POLICY


def first_turn_at(host: Host, *, abandoned_until: datetime | None) -> datetime | None:
    """When a new holder of the host may send its first request; None means at once.

    A holder that died may have sent requests until the end of its lease, so its successor waits the whole delay from
    there.
    """
    times = [host.free_at, host.blocked_until]
    if abandoned_until is not None:
        times.append(abandoned_until + effective_delay(host))
    known = [time for time in times if time is not None]
    return max(known, default=None)


def after_visit(host: Host, visit: Visit | ResponseHead, *, now: datetime) -> Host:
    """The host after a visit: what the response teaches about the host, whatever it says about the page."""
    match visit:
        case ResponseHead(failure=Failed() as failure):
            return after_visit(host, failure, now=now)
        case Failed(fault=Fault.SERVER_ERROR):
            return after_server_error(host, visit, now=now)
        case Failed(fault=Fault.BUSY):
            return after_busy(host, now=now, retry_after=visit.retry_after)
        case Failed(fault=fault) if fault.blames_host:
            return after_host_failure(host, now=now, detail=visit.detail)
        case Failed(fault=Fault.BROKEN_RESPONSE | Fault.PROXY) | Refused():
            return host
    recent = path_outcomes.remembered(host.recent_paths, visit.url, failed=False)
    if recent is not host.recent_paths:
        host = replace(host, recent_paths=recent)
    match visit:  # it responded, if only to say that there is no such page
        case Redirected(retry_after=wait) if wait is not None:
            return _blocked(after_success(host, now=now), now + wait, f"it redirects only after {wait}")
        case Fetched() | NotModified() | Redirected() | ResponseHead() | Failed():
            return after_success(host, now=now)
        case _:
            assert_never(visit)


def after_success(host: Host, *, now: datetime) -> Host:
    """The host after a success: failures are forgotten, the learnt delay shrinks. A running block stays."""
    if not host.failure_count and not host.learnt_delay and host.blocked_until is None:
        return host
    if is_blocked(host, now=now):  # the response belongs to a request from before the block
        return host
    learnt = host.learnt_delay * LEARNT_DECAY
    return replace(
        host,
        failure_count=0,
        learnt_delay=learnt if learnt >= LEARNT_FLOOR else timedelta(0),
        blocked_until=None,
        block_reason=None,
    )


def after_busy(host: Host, *, now: datetime, retry_after: timedelta | None) -> Host:
    """The host after a 429, or a 503 with Retry-After: blocked as long as asked, and slower from then on."""
    if is_blocked(host, now=now):  # the response repeats what the block already obeys, unless it asks for longer
        return host if retry_after is None else _backed_off(host, retry_after, now=now)
    failures = host.failure_count + 1
    wait = retry_after if retry_after is not None else doubled(FIRST_BLOCK, failures - 1, cap=OWN_BLOCK_CAP)
    learnt = max(LEARNT_START, min(LEARNT_CAP, effective_delay(host) * 2))
    slower = replace(host, failure_count=failures, learnt_delay=max(host.learnt_delay, learnt))
    return _backed_off(slower, wait, now=now)


def after_host_failure(host: Host, *, now: datetime, detail: str) -> Host:
    """The host after it could not be reached: five failures in a row open the breaker, for ever longer."""
    if is_blocked(host, now=now):  # the response belongs to a request from before the block
        return host
    failures = host.failure_count + 1
    counted = replace(host, failure_count=failures)
    if failures < BREAKER_AT:
        return counted
    return _opened(counted, f"{failures} failures in a row, the last: {detail}", now=now)


def after_server_error(host: Host, failure: Failed, *, now: datetime) -> Host:
    """The host after a 5xx: a broken page counts for nothing; when most paths fail, the breaker opens."""
    if is_blocked(host, now=now):
        return host
    recent = path_outcomes.remembered(host.recent_paths, failure.url, failed=True)
    if not path_outcomes.most_fail(recent, was_open=host.failure_count >= BREAKER_AT):
        return replace(host, recent_paths=recent)
    # Forgotten once it is open: what is requested afterwards decides whether it opens again.
    counted = replace(host, failure_count=max(BREAKER_AT, host.failure_count + 1), recent_paths=())
    many = f"{path_outcomes.failing(recent)} of the last {len(recent)} paths failed, the last: {failure.detail}"
    return _opened(counted, many, now=now)


def _opened(host: Host, reason: str, *, now: datetime) -> Host:
    """The host with its breaker open, for longer with each failure."""
    return _blocked(host, now + doubled(BREAKER_FIRST, host.failure_count - BREAKER_AT, cap=BREAKER_CAP), reason)


def _backed_off(host: Host, wait: timedelta, *, now: datetime) -> Host:
    return _blocked(host, now + wait, f"the host asked us to slow down; no requests for {wait.total_seconds():.0f} s")


def _blocked(host: Host, until: datetime, reason: str) -> Host:
    """The host with a new block, which never shortens a running one."""
    if host.blocked_until is not None and host.blocked_until >= until:
        return host
    return replace(host, blocked_until=until, block_reason=reason)


def is_blocked(host: Host, *, now: datetime) -> bool:
    """Whether the breaker is open or the host told us to stay away."""
    return host.blocked_until is not None and host.blocked_until > now


def request_backoff(attempt: int, *, delay: timedelta, draw: float) -> timedelta:
    """Pause before the n-th repeat of a request (from 1): 1 s, 2 s … with jitter, never under the host's delay."""
    return max(delay, timedelta(seconds=2 ** (attempt - 1) * (0.75 + draw / 2)))


def is_repeated_at_once(fault: Fault, *, pause: timedelta, is_start_page: bool) -> bool:
    """Whether a failed request is sent again within its turn, after this pause.

    A start page that fails must show within seconds: what would take longer is left to the retry of its run.
    """
    if not fault.is_transient or fault is Fault.BUSY:
        return False
    return not is_start_page or (fault is not Fault.TIMEOUT and pause <= START_PAGE_PATIENCE)


def page_backoff(retry: int) -> timedelta:
    """Pause before the n-th retry of a page (from 1) in its run: 1, 2, 4, 8 … minutes."""
    return timedelta(minutes=2 ** min(retry - 1, 10))


def doubled(unit: timedelta, times: int, *, cap: timedelta) -> timedelta:
    """`unit` doubled so many times, never above `cap` and never overflowing."""
    for _ in range(times):
        if unit >= cap:
            break
        unit *= 2
    return min(cap, unit)
