"""The processes that work on one database: what each does, and what only one of them does at a time."""

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
