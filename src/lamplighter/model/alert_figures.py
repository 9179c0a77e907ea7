"""The alert snapshot: figures from the database that alert rules judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter.model.fleet import CrawlPause, Instance


class SilentSource(NamedTuple):
    """A source that has had no successful run for longer than it should."""

    public_id: str
    name: str
    #: None without any success
    last_success_at: datetime | None
    #: when the first run was due, or failed, that should have been the next success
    expected_at: datetime
    #: time between its runs
    pace: timedelta


class DriftingSource(NamedTuple):
    """A source whose latest run showed far less than usual."""

    public_id: str
    name: str
    last_run_at: datetime


class BrokenSource(NamedTuple):
    """A source paused by its breaker, while its host is not blocked."""

    public_id: str
    name: str
    #: in a row
    failures: int
    resume_at: datetime | None


class BrokenHost(NamedTuple):
    """A host that is blocked after failures in a row, and on which sources start."""

    key: str
    failures: int
    reason: str | None
    sources: int


class LostRobots(NamedTuple):
    """A robots.txt that could not be fetched, of a host on which sources start."""

    origin: str
    host: str
    detail: str | None
    fetched_at: datetime
    sources: int


#: the name of the default pool among the names of hosts
DEFAULT_POOL = "the default pool"


class HostProxies(NamedTuple):
    """The proxies of a host that has some, or that must be fetched through proxies."""

    host: str
    #: usable now, and in all
    working: int
    known: int


class ProxyTotals(NamedTuple):
    """All requests so far through the proxies of a host."""

    host: str
    succeeded: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetters:
    """Dead letters, by kind."""

    events: int
    #: False while the stream is unavailable: it may hold more
    events_are_known: bool = True
    #: messages of the queue between processes; None where the queue keeps none
    queue: int | None
    #: records that the search server refused repeatedly
    index: int
    notifications: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertFigures:
    """All figures at one moment. Lists end at a limit, which `alert_findings` names."""

    events_waiting: int
    #: events that could not be processed within `rules.alerts.alerts.EVENT_SPAN`
    event_errors: int
    jobs_failed: int
    runs_ended: int
    runs_failed: int
    silent: Sequence[SilentSource]
    drifting: Sequence[DriftingSource]
    broken_sources: Sequence[BrokenSource]
    broken_hosts: Sequence[BrokenHost]
    lost_robots: Sequence[LostRobots]
    proxies: Sequence[HostProxies]
    #: host -> requests through its proxies within `rules.alerts.alerts.EXIT_SPAN`, and how many of them failed
    proxy_requests: Mapping[str, tuple[int, int]]
    #: False while requests have not been counted for that long
    proxies_were_watched: bool
    dead_letters: DeadLetters
    crawl_pause: CrawlPause | None
    instances: Sequence[Instance]
