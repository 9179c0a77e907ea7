"""The processes that share one database: their duties, leader-only work, and the crawl pause."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple


class Duty(StrEnum):
    """What a process does."""

    #: fetches pages
    FETCH = "fetch"
    #: parses fetched pages
    PARSE = "parse"
    #: decides what is fetched, and when
    SCHEDULE = "schedule"


class Lead(StrEnum):
    """Work that one process at a time does for all: the leader."""

    #: opens runs, keeps jobs and prices up to date
    SCHEDULE = "schedule"
    #: cleans up what other processes left behind
    SWEEP = "sweep"


class Server(StrEnum):
    """A server beside the database that an installation may use."""

    REDIS = "redis"
    RABBITMQ = "rabbitmq"
    ARCHIVE = "archive"
    SEARCH = "search"

    @property
    def figure(self) -> str:
        """The name of an instance's figure that is 1 while the server does not answer it."""
        return f"away_{self}"


#: how far back the lanes of hosts are drawn
LANE_SPAN = timedelta(minutes=2)


class PastRequest(NamedTuple):
    """A request that a process sent to a site, as it was."""

    host: str
    #: when it was sent, and when the response had come
    began_at: datetime
    ended_at: datetime
    #: the time that had to pass before the next request to the host
    delay: timedelta
    #: counted from when it was sent, because several may be in flight; otherwise from its response
    is_shared: bool
    #: fetched, unchanged, redirected or failed
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A process that works on the database."""

    #: the name under which it holds leases; a new one at every start
    id: str
    #: serve, worker or crawl
    kind: str
    machine: str
    pid: int
    duties: frozenset[Duty]
    version: str
    started_at: datetime
    heartbeat_at: datetime
    #: name -> value, as it last reported: hosts held, pages in progress, memory
    figures: Mapping[str, float]
    is_stopping: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPause:
    """All crawling is paused, in every process: no run is opened, and no page is fetched."""

    since: datetime
    paused_by: str
    #: as the operator gave it; may be empty
    reason: str

    @property
    def sentence(self) -> str:
        """Who paused it, when and why, in words."""
        why = f": {self.reason}" if self.reason else ""
        return f"all crawling is paused since {self.since:%Y-%m-%d %H:%M} UTC by {self.paused_by}{why}"
