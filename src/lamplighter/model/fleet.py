"""The processes that work on one database: what each does, what only one does at a time, and when none asks anybody."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Duty(StrEnum):
    """What a process may be there for."""

    #: asks sites for pages
    FETCH = "fetch"
    #: reads what was got
    PARSE = "parse"
    #: decides what is to be asked for, and when
    SCHEDULE = "schedule"


class Lead(StrEnum):
    """Work that one process at a time does for all: whoever holds the lead in it."""

    #: opens runs, keeps jobs and prices as they should be
    SCHEDULE = "schedule"
    #: sweeps up what others left
    SWEEP = "sweep"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A process that works on the database."""

    #: the name under which it holds leases; another one at every start
    id: str
    #: serve, worker or crawl
    kind: str
    machine: str
    pid: int
    duties: frozenset[Duty]
    version: str
    started_at: datetime
    heartbeat_at: datetime
    #: name -> how much, as it said last: hosts held, pages in hand, memory
    figures: Mapping[str, float]
    is_stopping: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Standstill:
    """All crawling is paused, in every process: no run is opened, and no page is asked for."""

    since: datetime
    paused_by: str
    #: as the person gave it; empty when they gave none
    reason: str

    @property
    def sentence(self) -> str:
        """Who paused it, when and why, in words."""
        why = f": {self.reason}" if self.reason else ""
        return f"all crawling is paused since {self.since:%Y-%m-%d %H:%M} UTC by {self.paused_by}{why}"
