"""How long to wait after a failure.

Four layers, each literal to its origin, and each taking over where the one before gives up:

1. a request is repeated within its turn (`politeness.request_backoff`: twice, seconds);
2. a page other than the start page is retried within its run (`politeness.page_backoff`: 1, 2, 4, 8 minutes);
3. a run whose start page failed is retried soon (60 s, doubling up to an hour, thrice, unless its job says otherwise);
   not if it failed for a reason that lasts, such as a 404: then the fourth layer follows at once;
4. a run that failed for good delays its source, ever longer; five in a row open the source's breaker, which half
   opens by itself: one run after a day at the earliest, later ones a week apart.

A source that has already failed for good gets no quick retries: another failure must never bring the next run closer.
"""

from dataclasses import dataclass
from datetime import timedelta

from lamplighter.rules.hosts.politeness import doubled

DAY = timedelta(days=1)
#: quick retries of a run, and the pause before the first
RUN_RETRIES = 3
RETRY_UNIT = timedelta(seconds=60)
RETRY_CAP = timedelta(hours=1)
#: failures in a row that open the breaker
BREAKER_AT = 5
FIRST_PROBE = DAY
LATER_PROBE = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """What a failed run leads to."""

    wait: timedelta
    #: quick retries used, this failure counted; zero once it failed for good
    retry_count: int
    #: failures for good in a row, this one counted if it is one
    failure_count: int
    #: no quick retry is left
    is_final: bool
    opens_breaker: bool


def after_failure(
    interval: timedelta,
    *,
    retry_count: int,
    failure_count: int,
    max_retries: int = RUN_RETRIES,
    unit: timedelta = RETRY_UNIT,
    is_permanent: bool = False,
) -> Backoff:
    """What follows when a run fails, given its quick retries and its failures for good so far."""
    if failure_count == 0 and retry_count < max_retries and not is_permanent:
        tries = retry_count + 1
        wait = run_retry(tries, unit=unit)
        return Backoff(wait=wait, retry_count=tries, failure_count=0, is_final=False, opens_breaker=False)
    failures = failure_count + 1
    is_open = failures >= BREAKER_AT
    last_try = run_retry(max(1, max_retries), unit=unit)
    wait = max(source_backoff(interval, failures), probe_after(failures) if is_open else last_try)
    return Backoff(wait=wait, retry_count=0, failure_count=failures, is_final=True, opens_breaker=is_open)


def run_retry(attempt: int, *, unit: timedelta = RETRY_UNIT) -> timedelta:
    """Pause before the n-th quick retry (from 1): 60 s, doubling, an hour at most."""
    return doubled(unit, attempt - 1, cap=RETRY_CAP)


def source_backoff(interval: timedelta, failure_count: int) -> timedelta:
    """6 h · 2^n up to a week for sources that run daily or less often; interval · 2^n up to a day for faster ones."""
    if interval >= DAY:
        return doubled(timedelta(hours=6), failure_count, cap=timedelta(days=7))
    return doubled(interval, failure_count, cap=DAY)


def probe_after(failure_count: int) -> timedelta:
    """How long a job paused by its breaker waits before its next run."""
    return FIRST_PROBE if failure_count <= BREAKER_AT else LATER_PROBE
