"""What does the response for a robots.txt mean, and until when is it valid?"""

from collections.abc import Container
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Redirected, Refused, Visit
from lamplighter.rules.hosts.politeness import doubled

MAX_REDIRECTS = 5
#: statuses that mean that there is no robots.txt; an operator may have those that deny access count as a refusal
_WITHOUT_RULES = frozenset(range(400, 500)) - {429}
_DENIED = frozenset({401, 403})
#: success statuses without a body
_EMPTY = frozenset({204, 205})
#: an unreachable robots.txt is requested again soon, then ever later
FIRST_RECHECK = timedelta(minutes=1)
RECHECK_CAP = timedelta(hours=1)
#: how long after a host's next turn its copy stays valid at most, so that this turn can go to a page
_MARGIN = timedelta(hours=1)


def without_rules(*, denied_refuses: bool) -> frozenset[int]:
    """The statuses that mean "no rules"; with `denied_refuses`, 401 and 403 are not among them."""
    return _WITHOUT_RULES - _DENIED if denied_refuses else _WITHOUT_RULES


def judge(
    origin: str,
    visit: Visit,
    *,
    last: RobotsFile | None,
    ttl: timedelta,
    without_rules: Container[int] = _WITHOUT_RULES,
    now: datetime,
) -> RobotsFile:
    """RFC 9309: 2xx are the rules, 4xx means no rules, anything else "do not fetch", keeping the last good copy."""
    answered = partial(RobotsFile, origin=origin, fetched_at=now, expires_at=now + ttl)
    match visit:
        case Fetched(body=body, status=status):
            return answered(state=RobotsState.RULES, body=body, status=status)
        case Failed(status=int(status)) if status in _EMPTY:
            return answered(state=RobotsState.RULES, body=b"", status=status)
        case Redirected(status=status):
            detail = f"more than {MAX_REDIRECTS} redirects"
            return answered(state=RobotsState.UNAVAILABLE, body=b"", status=status, detail=detail)
        case Failed(status=status, detail=detail) if status is not None and status in without_rules:
            return answered(state=RobotsState.UNAVAILABLE, body=b"", status=status, detail=detail)
        case Failed(detail=detail, status=status, retry_after=wait):
            pass
        case Refused(detail=detail):
            status, wait = None, None
        case NotModified():
            status, wait, detail = 304, None, "304 to an unconditional request"
    failures = (last.failure_count if last is not None else 0) + 1
    recheck = doubled(FIRST_RECHECK, failures - 1, cap=RECHECK_CAP)
    return RobotsFile(
        origin=origin,
        state=RobotsState.UNREACHABLE,
        body=last.body if last is not None else b"",
        status=status,
        detail=detail,
        failure_count=failures,
        fetched_at=now,
        expires_at=now + max(recheck, wait or timedelta(0)),
    )


def until_next_turn(file: RobotsFile, *, delay: timedelta) -> datetime | None:
    """Until when a copy must stay valid for the host's next turn to go to a page; None when it is valid anyway.

    Otherwise it would have to be requested again whenever the turn of a page has come, and no page would ever be
    fetched. To send two requests within the delay instead would be worse: the copy is never older than a day.
    """
    if file.state is RobotsState.UNREACHABLE:
        return None
    until = file.fetched_at + delay + min(delay, _MARGIN)
    return until if until > file.expires_at else None


def led_on(origin: str, url: str, *, hops: int, last: RobotsFile | None, now: datetime) -> RobotsFile:
    """What is known while a redirect waits for the host's next turn: the last copy, however old, and the redirect."""
    if last is None:
        detail = f"it redirects to {url}, which is requested in the host's next turn"
        last = RobotsFile(
            origin=origin, state=RobotsState.UNREACHABLE, body=b"", detail=detail, fetched_at=now, expires_at=now
        )
    return replace(last, led_to=url, hops=hops, expires_at=now)


def begins_at(origin: str, last: RobotsFile | None, *, delay: timedelta, now: datetime) -> tuple[str, int]:
    """The URL to request, and how many redirects led to it: where the host's last turn left off.

    A redirect that was received longer ago than that may lead elsewhere by now, and is followed from its beginning.
    """
    if last is None or last.led_to is None or now > last.expires_at + delay + _MARGIN:
        return f"{origin}/robots.txt", 0
    return last.led_to, last.hops


def delayed(visit: Redirected, wait: timedelta) -> Failed:
    """The failure that stands for a redirect which may not be followed yet, wherever it leads."""
    return Failed(
        url=visit.url,
        fault=Fault.BUSY,
        detail=f"it redirects to {visit.target}, to be followed only in {wait.total_seconds():.0f} s",
        at=visit.at,
        took=visit.took,
        status=visit.status,
        retry_after=wait,
    )


def unreachable(url: str, detail: str, now: datetime) -> Failed:
    """The failure when the target of a redirect may not or cannot be requested."""
    return Failed(url=url, fault=Fault.TIMEOUT, detail=detail, at=now, took=timedelta(0))
