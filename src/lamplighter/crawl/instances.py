"""Says to the other processes on this database that this one is there, and knows who else is."""

import os
import socket
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import timedelta

from lamplighter import __version__
from lamplighter.model.fleet import Duty, Instance
from lamplighter.ports import Clock
from lamplighter.rules import fleet
from lamplighter.store import instances
from lamplighter.store.database import Connection, Database

BEAT_SECONDS = 5.0
#: how long a process that was killed stays in the list, as lost
_REMEMBERED = timedelta(days=1)


class Membership:
    """This process among the others."""

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        name: str,
        kind: str,
        duties: Collection[Duty],
        figures: Callable[[], Mapping[str, float]],
    ) -> None:
        self._db = db
        self._clock = clock
        self._figures = figures
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
        self._fetchers = 1

    @property
    def fetchers(self) -> int:
        """How many processes ask sites for pages, as far as was heard."""
        return self._fetchers

    async def beat(self) -> None:
        """Says that we are there, and looks who else is."""
        await self._say(is_stopping=False)

    async def say_stopping(self) -> None:
        """Says that we take nothing on any more."""
        await self._say(is_stopping=True)

    async def leave(self) -> None:
        """Says good-bye: nobody will look for us."""
        await self._db.write(lambda db: instances.leave(db, self._me.id))

    def is_dead(self, other: Instance) -> bool:
        """Whether a process is certainly gone: those on one SQLite file are on one machine, and that knows."""
        if not self._db.is_sqlite or other.machine != self._me.machine:
            return False
        try:
            os.kill(other.pid, 0)  # asks whether it is there, and does nothing to it
        except ProcessLookupError:
            return True
        except PermissionError:  # somebody else's, and there
            return False
        return False

    async def _say(self, *, is_stopping: bool) -> None:
        now = self._clock.now()
        me = replace(self._me, heartbeat_at=now, figures=dict(self._figures()), is_stopping=is_stopping)

        async def work(db: Connection) -> list[Instance]:
            await instances.beat(db, me)
            await instances.forget(db, before=now - _REMEMBERED)
            return await instances.everyone(db)

        everyone = await self._db.keep(work)
        self._fetchers = fleet.at_work(everyone, Duty.FETCH, now=now)
