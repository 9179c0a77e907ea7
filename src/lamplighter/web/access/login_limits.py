"""Limits of failed logins: by name and address together, by name, by address, and by browser.

Behind a proxy that is not trusted all people have one address. So an address alone is limited only after many more
failures, and a browser in which somebody logged in before is counted by itself: others cannot shut it out.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.rules.access import login_backoff
from lamplighter.rules.access.login_backoff import FailedLogins
from lamplighter.web.access.client_address import counted_as

_MOST_KEYS = 10_000
#: so many times the limit of one name may fail from one address, under any names
_ADDRESS_FACTOR = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginTry:
    """Who tries to log in, as the limits count it."""

    name: str
    address: str
    #: the browser in which this user logged in before; None in any other
    browser: str | None
    #: whether the user logged in from this address lately; then failures from elsewhere do not count
    is_usual: bool = False

    @property
    def keys(self) -> Sequence[tuple[str, str]]:
        """Under which kind and key a failure counts."""
        if self.browser is not None:
            return [("browser", self.browser)]
        place = counted_as(self.address)
        by_name = [] if self.is_usual else [("name", self.name)]
        return [("address", place), ("name and address", f"{place} {self.name}"), *by_name]


class LoginLimits:
    """Counts the failures of one process, for a limited number of keys."""

    def __init__(self, free: int, *, most: int = _MOST_KEYS) -> None:
        self._free = free
        self._most = most
        self._failed: OrderedDict[tuple[str, str], FailedLogins] = OrderedDict()
        #: keys whose wait was told to somebody
        self._told: set[tuple[str, str]] = set()

    def is_name_limited(self, name: str, *, now: datetime) -> bool:
        """Whether a name failed too often, wherever from."""
        return self._wait(("name", name), now) is not None

    def wait(self, tried: LoginTry, *, now: datetime) -> timedelta | None:
        """How long this try has to wait; None if it may be made now."""
        return max((wait for key in tried.keys if (wait := self._wait(key, now))), default=None)

    def count(self, tried: LoginTry, *, now: datetime) -> None:
        """Counts a try, before it is known whether it fails."""
        for key in tried.keys:
            self._failed[key] = login_backoff.counted(self._failed.pop(key, None), now=now)
            if self._failed[key].count <= self._free_of(key):
                self._told.discard(key)
            if len(self._failed) > self._most:
                self._told.discard(self._failed.popitem(last=False)[0])

    def give_back(self, tried: LoginTry) -> None:
        """Uncounts a try that succeeded."""
        for key in tried.keys:
            if key in self._failed:
                self._failed[key] = login_backoff.given_back(self._failed[key])

    def is_first_refusal(self, tried: LoginTry, *, now: datetime) -> bool:
        """Whether a wait is told for the first time; the audit log has it once."""
        waiting = {key for key in tried.keys if self._wait(key, now)}
        is_first = not waiting <= self._told
        self._told |= waiting
        return is_first

    def _wait(self, key: tuple[str, str], now: datetime) -> timedelta | None:
        return login_backoff.wait(self._failed.get(key), free=self._free_of(key), now=now)

    def _free_of(self, key: tuple[str, str]) -> int:
        return self._free * _ADDRESS_FACTOR if key[0] == "address" else self._free
