"""Hosts as lanes: the latest requests to each, the delay after each, and the next planned turn."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from operator import attrgetter

from lamplighter.model.fleet import PastRequest

_MOST_LANES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A host with its latest requests."""

    host: str
    #: the oldest first
    requests: Sequence[PastRequest]
    #: the next planned turn, not before now; None when none is planned, or when it is not known
    next_at: datetime | None

    @property
    def delay(self) -> timedelta | None:
        """The time that has to pass after the last request; None without one."""
        return self.requests[-1].delay if self.requests else None

    @property
    def shortest_gap(self) -> timedelta | None:
        """The shortest time between two requests, counted as the delay is; None with fewer than two."""
        gaps = (later.began_at - _counted_from(earlier) for earlier, later in pairwise(self.requests))
        return min(gaps, default=None)


def free_at(past: PastRequest) -> datetime:
    """When the next request to the host may be sent."""
    return _counted_from(past) + past.delay


def lanes(requests: Iterable[PastRequest], *, turns: Mapping[str, datetime | None], now: datetime) -> list[Lane]:
    """The lanes of the hosts that are fetched or were requested lately, by name.

    `turns` has the hosts that are fetched, or that wait for their next turn: when it comes, None if the host's last
    request tells. Of many hosts those that are fetched, then those requested last, are shown.
    """
    of: dict[str, list[PastRequest]] = defaultdict(list)
    for past in sorted(requests, key=attrgetter("began_at")):
        of[past.host].append(past)
    never = datetime.min.replace(tzinfo=now.tzinfo)
    hosts = sorted({*of, *turns}, key=lambda host: (host in turns, of[host][-1].ended_at if of[host] else never))
    return [_lane(host, of[host], turns=turns, now=now) for host in sorted(hosts[-_MOST_LANES:])]


def _lane(host: str, requests: Sequence[PastRequest], *, turns: Mapping[str, datetime | None], now: datetime) -> Lane:
    next_at = turns.get(host)
    if next_at is None and host in turns and requests:
        next_at = free_at(requests[-1])
    next_at = max(now, next_at) if next_at is not None else None
    return Lane(host=host, requests=requests, next_at=next_at)


def _counted_from(past: PastRequest) -> datetime:
    return past.began_at if past.is_shared else past.ended_at
