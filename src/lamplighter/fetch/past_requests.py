"""The latest requests of this process by host, in memory and bounded: the lanes of the crawl page are drawn from it."""

from collections import deque
from datetime import datetime, timedelta
from typing import Final

from lamplighter.fetch.held_host import HeldHost
from lamplighter.model.fleet import PastRequest
from lamplighter.model.visit import Failed, NotModified, Redirected, Refused, ResponseHead, Visit
from lamplighter.rules.hosts import politeness

#: hosts remembered, the latest; and requests of each
_HOSTS = 16
_OF_HOST = 60
_OUTCOMES: Final[dict[type, str]] = {Failed: "failed", Redirected: "redirected", NotModified: "unchanged"}


class PastRequests:
    """Remembers requests that were sent."""

    def __init__(self) -> None:
        #: the host that was requested last comes last
        self._of: dict[str, deque[PastRequest]] = {}

    def note(
        self,
        held: HeldHost,
        visit: Visit | ResponseHead,
        *,
        began_at: datetime,
        extra_delay: timedelta,
    ) -> None:
        """Remembers a request of a host, from its turn until its response; one that was refused was not sent."""
        if isinstance(visit, Refused):
            return
        host = held.host
        past = PastRequest(
            host=host.key,
            began_at=began_at,
            ended_at=visit.at,
            delay=max(extra_delay, politeness.effective_delay(host)),
            is_shared=host.policy.max_concurrency > 1,
            outcome=_OUTCOMES.get(type(visit), "fetched"),
        )
        lane = self._of.pop(host.key, None) or deque(maxlen=_OF_HOST)
        lane.append(past)
        self._of[host.key] = lane
        if len(self._of) > _HOSTS:
            del self._of[next(iter(self._of))]

    def since(self, moment: datetime) -> list[PastRequest]:
        """Those that ended since then, by host, each the oldest first."""
        return [past for lane in self._of.values() for past in lane if past.ended_at >= moment]
