"""Rate limits of callers, counted in this process for a limited number of callers."""

from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime, timedelta
from math import ceil

from lamplighter.rules.access import rate_window
from lamplighter.rules.access.rate_window import RateLimit, RateWindow
from lamplighter.settings import Settings

#: paths for programs; all others are for people
API_PREFIXES = ("/api/", "/admin/", "/sse/")
#: the description of the API, which programs read too
_DESCRIPTION = frozenset({"/openapi.json", "/docs"})
_MOST_CALLERS = 10_000
_HOUR = timedelta(hours=1)


class Limiter:
    """Counts calls by caller; drops the caller silent for longest first."""

    def __init__(self, limit: int, span: timedelta, *, most: int = _MOST_CALLERS) -> None:
        self._limit = limit
        self._span = span
        self._most = most
        self._windows: OrderedDict[str, RateWindow] = OrderedDict()

    def take(self, caller: str, *, now: datetime) -> RateLimit:
        """Counts a call and returns what is left of the limit."""
        window = rate_window.counted(self._windows.pop(caller, None), span=self._span, now=now)
        self._windows[caller] = window
        if len(self._windows) > self._most:
            self._windows.popitem(last=False)
        return rate_window.rate(window, limit=self._limit, span=self._span)


class CallLimits:
    """The limits of the API: one for /api/admin/, one for everything else."""

    def __init__(self, settings: Settings) -> None:
        self._admin = _hourly(settings.admin_calls_per_hour)
        self._others = _hourly(settings.calls_per_hour)

    def take(self, path: str, caller: str, *, now: datetime) -> RateLimit | None:
        """Counts an API call; None when the path has no limit."""
        if not path.startswith(API_PREFIXES) and path not in _DESCRIPTION:
            return None
        limiter = self._admin if path.startswith("/api/admin/") else self._others
        return limiter.take(caller, now=now) if limiter is not None else None


def _hourly(limit: int) -> Limiter | None:
    return Limiter(limit, _HOUR) if limit else None


def headers_of(rate: RateLimit) -> Mapping[str, str]:
    """The rate limit headers; Reset is in seconds since 1970."""
    return {
        "X-RateLimit-Limit": str(rate.limit),
        "X-RateLimit-Remaining": str(rate.remaining),
        "X-RateLimit-Reset": str(ceil(rate.resets_at.timestamp())),
    }


def seconds_left(rate: RateLimit, *, now: datetime) -> int:
    """Seconds until the next call may come."""
    return max(1, ceil((rate.resets_at - now).total_seconds()))
