"""Which processes count as alive, and how many hosts may each take?"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from lamplighter.model.fleet import Duty, Instance

#: without a heartbeat for this long a process counts as lost
LOST_AFTER = timedelta(minutes=1)


def is_lost(instance: Instance, *, now: datetime) -> bool:
    """Whether a process has sent no heartbeat for too long: it was killed, or cannot reach the database."""
    return now - instance.heartbeat_at > LOST_AFTER


def at_work(instances: Iterable[Instance], duty: Duty, *, now: datetime) -> int:
    """How many live processes have this duty."""
    return sum(duty in each.duties and not each.is_stopping and not is_lost(each, now=now) for each in instances)


def share(*, waiting: int, overdue: int, leased: int, held: int, workers: int) -> int:
    """How many more hosts this worker may take, so that the other workers get their share.

    `waiting` hosts are due, `overdue` of them for so long that the worker whose share they are did not take them: any
    worker may. `leased` are held by all workers, `held` of them by this one.
    """
    fair = -(-(waiting + leased) // max(workers, 1))
    return min(waiting, max(overdue, fair - held))
