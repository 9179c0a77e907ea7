"""A worker of a fleet, as tests vary it."""

from lamplighter.model.fleet import Duty, Instance
from tests.moments import NOON

WORKER = Instance(
    id="worker-1",
    kind="worker",
    machine="here",
    pid=1,
    duties=frozenset({Duty.FETCH}),
    version="1",
    started_at=NOON,
    heartbeat_at=NOON,
    figures={},
    is_stopping=False,
)
