"""Bells wake loops that wait for work. The work is in the database, so a missed bell loses nothing."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from lamplighter.store.engine.after_commit import Signal


class Bell:
    """Wakes a loop when there may be work."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wakes the loop, now or next."""
        self._rung.set()

    async def wait(self, seconds: float) -> None:
        """Waits until the bell is rung, or for this long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        self._rung.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bells:
    """One bell for each kind of work, as `Signal` defines them. Subscribe `hear` to the database."""

    events: Bell = field(default_factory=Bell)
    jobs: Bell = field(default_factory=Bell)
    tasks: Bell = field(default_factory=Bell)
    hosts: Bell = field(default_factory=Bell)
    downloads: Bell = field(default_factory=Bell)
    notifications: Bell = field(default_factory=Bell)
    finished: Bell = field(default_factory=Bell)

    def hear(self, signal: Signal) -> None:
        """Rings the bell of a signal from a committed transaction."""
        {
            Signal.EVENTS: self.events,
            Signal.JOBS: self.jobs,
            Signal.TASKS: self.tasks,
            Signal.HOSTS: self.hosts,
            Signal.DOWNLOADS: self.downloads,
            Signal.NOTIFICATIONS: self.notifications,
            Signal.FINISHED: self.finished,
        }[signal].ring()
