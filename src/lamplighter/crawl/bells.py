"""Bells wake those who wait for work. The work is found in the database, so a bell that nobody hears loses nothing."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field


class Bell:
    """Rung when there may be something to do."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wakes whoever waits, now or next."""
        self._rung.set()

    async def wait(self, seconds: float) -> None:
        """Sleeps until the bell is rung, but no longer than this."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        self._rung.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bells:
    """One bell for each kind of work."""

    #: an event waits in the outbox
    events: Bell = field(default_factory=Bell)
    #: a crawl job may be due
    jobs: Bell = field(default_factory=Bell)
    #: a submitted page may be due, or a run have lost its last page
    tasks: Bell = field(default_factory=Bell)
    #: a host has pages to ask for
    hosts: Bell = field(default_factory=Bell)
    #: a body waits to be read
    downloads: Bell = field(default_factory=Bell)
    #: a notification may be due
    notifications: Bell = field(default_factory=Bell)
    #: a run has ended
    finished: Bell = field(default_factory=Bell)
