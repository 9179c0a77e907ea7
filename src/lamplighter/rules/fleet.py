"""Which processes count as there, and how many hosts are one's fair share?"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from lamplighter.model.fleet import Duty, Instance

#: without a heartbeat for this long a process counts as lost
LOST_AFTER = timedelta(minutes=1)


def is_lost(instance: Instance, *, now: datetime) -> bool:
    """Whether nothing was heard of a process for too long: it was killed, or cannot reach the database."""
    return now - instance.heartbeat_at > LOST_AFTER


def at_work(instances: Iterable[Instance], duty: Duty, *, now: datetime) -> int:
    """How many processes do this at present."""
    return sum(duty in each.duties and not each.is_stopping and not is_lost(each, now=now) for each in instances)


def share(*, waiting: int, overdue: int, leased: int, held: int, workers: int) -> int:
    """How many more hosts one of several workers may take, so that the others get theirs.

    `waiting` hosts are due, `overdue` of them for so long that whoever should have taken them did not: those are
    anybody's. `leased` are held by all workers, `held` of them by this one.
    """
    fair = -(-(waiting + leased) // max(workers, 1))
    return min(waiting, max(overdue, fair - held))
