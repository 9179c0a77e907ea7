"""The heartbeat of this process, and the list of other processes on the database."""

import os
import socket
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from lamplighter import __version__
from lamplighter.model.fleet import LANE_SPAN, Duty, Instance, PastRequest
from lamplighter.ports import Clock
from lamplighter.rules.fleet import fleet
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import instances

BEAT_SECONDS = 5.0
#: how long a process that was killed stays in the list, as lost
_REMEMBERED = timedelta(days=1)


class Membership:
    """This process in the fleet."""

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        name: str,
        kind: str,
        duties: Collection[Duty],
        figures: Callable[[], Mapping[str, float]],
        requests: Callable[[datetime], Sequence[PastRequest]],
    ) -> None:
        self._db = db
        self._clock = clock
        self._figures = figures
        self._requests = requests
        now = clock.now()
        self._me = Instance(
            id=name,
            kind=kind,
            machine=socket.gethostname(),
            pid=os.getpid(),
            duties=frozenset(duties),
            version=__version__,
            started_at=now,
            heartbeat_at=now,
            figures={},
            is_stopping=False,
        )
        #: how many processes fetch, by their last heartbeats
        self.fetchers = 1

    async def beat(self) -> None:
        """Writes a heartbeat and reads the others'."""
        await self._say(is_stopping=False)

    async def say_stopping(self) -> None:
        """Writes that this process is stopping."""
        await self._say(is_stopping=True)

    async def leave(self) -> None:
        """Removes this process from the list."""
        await self._db.write(lambda db: instances.leave(db, self._me.id))

    def is_dead(self, other: Instance) -> bool:
        """Whether a process is certainly gone: with SQLite all are on one machine, and its PID is checked."""
        if not self._db.is_sqlite or other.machine != self._me.machine:
            return False
        try:
            os.kill(other.pid, 0)  # only checks whether the process exists
        except ProcessLookupError:
            return True
        except PermissionError:  # it exists, and belongs to another user
            return False
        return False

    async def _say(self, *, is_stopping: bool) -> None:
        now = self._clock.now()
        me = replace(self._me, heartbeat_at=now, figures=dict(self._figures()), is_stopping=is_stopping)
        requests = self._requests(now - LANE_SPAN)

        async def work(db: Connection) -> list[Instance]:
            await instances.beat(db, me, requests)
            await instances.forget(db, before=now - _REMEMBERED)
            return await instances.everyone(db)

        everyone = await self._db.keep(work)
        self.fetchers = fleet.at_work(everyone, Duty.FETCH, now=now)
