"""What does the answer for a robots.txt mean, and until when is it to be trusted?"""

from collections.abc import Container
from dataclasses import replace
from datetime import datetime, timedelta

from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Redirected, Refused, Visit
from lamplighter.rules.politeness import doubled

MAX_REDIRECTS = 5
#: statuses that say that there is no robots.txt; an operator may take those that deny it to us for a no
_WITHOUT_RULES = frozenset(range(400, 500)) - {429}
_DENIED = frozenset({401, 403})
#: successes that say themselves that there is nothing in them
_EMPTY = frozenset({204, 205})
#: an unreachable robots.txt is asked for again soon, then ever later
FIRST_RECHECK = timedelta(minutes=1)
RECHECK_CAP = timedelta(hours=1)
#: how long after a host's next turn its copy is still trusted at most, for a page to be asked for in that turn
_MARGIN = timedelta(hours=1)


def without_rules(*, denied_refuses: bool) -> frozenset[int]:
    """The statuses that say that there are no rules; `denied_refuses` takes a denial for a no."""
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
    """RFC 9309: 2xx are the rules, 4xx means no rules, anything else "do not ask", keeping the last good copy."""
    match visit:
        case Fetched(body=body, status=status):
            return _rules(origin, status, body, ttl, now)
        case Failed(status=int(status)) if status in _EMPTY:
            return _rules(origin, status, b"", ttl, now)
        case Redirected():
            return _unavailable(origin, visit.status, f"more than {MAX_REDIRECTS} redirects", ttl, now)
        case Failed(status=status, detail=detail) if status is not None and status in without_rules:
            return _unavailable(origin, status, detail, ttl, now)
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
    """Until when a copy has to be trusted for the host's next turn to go to a page; None when it is anyway.

    Otherwise it had to be asked for anew whenever the turn of a page has come, and no page would ever be. To ask
    twice within the delay instead, for the sake of a copy that is never older than a day, would be worse.
    """
    if file.state is RobotsState.UNREACHABLE:
        return None
    until = file.fetched_at + delay + min(delay, _MARGIN)
    return until if until > file.expires_at else None


def led_on(origin: str, url: str, *, hops: int, last: RobotsFile | None, now: datetime) -> RobotsFile:
    """What is known while a redirect waits for the host's next turn: the last copy, as old as it is, and the way."""
    if last is None:
        detail = f"it redirects to {url}, which is asked for in the host's next turn"
        last = RobotsFile(
            origin=origin, state=RobotsState.UNREACHABLE, body=b"", detail=detail, fetched_at=now, expires_at=now
        )
    return replace(last, led_to=url, hops=hops, expires_at=now)


def begins_at(origin: str, last: RobotsFile | None, *, delay: timedelta, now: datetime) -> tuple[str, int]:
    """Where to ask, and how many redirects were followed to there: where the host's last turn left off.

    A way that was shown longer ago than that may lead elsewhere by now, and is gone from its beginning.
    """
    if last is None or last.led_to is None or now > last.expires_at + delay + _MARGIN:
        return f"{origin}/robots.txt", 0
    return last.led_to, last.hops


def _rules(origin: str, status: int, body: bytes, ttl: timedelta, now: datetime) -> RobotsFile:
    return RobotsFile(
        origin=origin, state=RobotsState.RULES, body=body, status=status, fetched_at=now, expires_at=now + ttl
    )


def _unavailable(origin: str, status: int, detail: str, ttl: timedelta, now: datetime) -> RobotsFile:
    return RobotsFile(
        origin=origin,
        state=RobotsState.UNAVAILABLE,
        body=b"",
        status=status,
        detail=detail,
        fetched_at=now,
        expires_at=now + ttl,
    )


def delayed(visit: Redirected, wait: timedelta) -> Failed:
    """What a redirect is that may not be followed yet, wherever it leads."""
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
    """What it is when where it redirects to may not or cannot be asked."""
    return Failed(url=url, fault=Fault.TIMEOUT, detail=detail, at=now, took=timedelta(0))
