"""What is looked at to find out whether something is wrong: figures of the database, not judged yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter.model.fleet import Instance, Standstill


class SilentSource(NamedTuple):
    """A source without a successful run for longer than it should be."""

    public_id: str
    name: str
    #: None when there never was one
    last_success_at: datetime | None
    #: when the first run was due, or made in vain, that should have brought the next
    expected_at: datetime
    #: between its runs
    pace: timedelta


class DriftingSource(NamedTuple):
    """A source whose latest run showed far less than usual."""

    public_id: str
    name: str
    last_run_at: datetime


class BrokenSource(NamedTuple):
    """A source that its breaker paused, while its host is not left alone."""

    public_id: str
    name: str
    #: in a row
    failures: int
    resume_at: datetime | None


class BrokenHost(NamedTuple):
    """A host that is left alone after failures in a row, and on which sources start."""

    key: str
    failures: int
    reason: str | None
    sources: int


class LostRobots(NamedTuple):
    """A robots.txt that could not be had, of a host on which sources start."""

    origin: str
    host: str
    detail: str | None
    fetched_at: datetime
    sources: int


#: as what the proxies for hosts without any of their own stand among those of hosts
DEFAULT_POOL = "the default pool"


class HostExits(NamedTuple):
    """The proxies of a host that has some, or is meant to be asked through them."""

    host: str
    #: that could be used now, and in all
    working: int
    known: int


class ExitTotals(NamedTuple):
    """Requests through the proxies of a host, ever: they only grow."""

    host: str
    succeeded: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetters:
    """What was given up, by where it lies."""

    events: int
    #: False while their stream is away: it may hold more
    events_are_known: bool = True
    #: messages of the queue between processes; None where nobody keeps them
    queue: int | None
    #: records that the search server refused again and again
    index: int
    notifications: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchFigures:
    """All of it, at one moment. Lists end at a bound, which the look names."""

    events_waiting: int
    #: events that could not be settled within `rules.alerts.EVENT_SPAN`
    event_errors: int
    jobs_failed: int
    runs_ended: int
    runs_failed: int
    silent: Sequence[SilentSource]
    drifting: Sequence[DriftingSource]
    broken_sources: Sequence[BrokenSource]
    broken_hosts: Sequence[BrokenHost]
    lost_robots: Sequence[LostRobots]
    exits: Sequence[HostExits]
    #: host -> requests through its proxies within `rules.alerts.EXIT_SPAN`, and how many of them failed
    exit_requests: Mapping[str, tuple[int, int]]
    #: False while nobody has counted for that long
    exits_were_watched: bool
    dead_letters: DeadLetters
    standstill: Standstill | None
    instances: Sequence[Instance]
