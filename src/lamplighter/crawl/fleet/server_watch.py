"""Checks every few seconds whether the servers that this process uses answer: Redis, RabbitMQ, S3, search."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from lamplighter.model.fleet import Server
from lamplighter.ports import Archive, Clock, IndexAway, SearchServer

#: how long one check may take
_PATIENCE_SECONDS = 5.0
#: where no capture is: an archive that answers says so
_NOWHERE = f"{'0' * 32}:0:1:p"

#: whether the server answers; an error means that it does not
Check = Callable[[], Awaitable[bool]]


class ServerWatch:
    """Watches the servers that the settings name."""

    def __init__(self, checks: Mapping[Server, Check], *, clock: Clock) -> None:
        self._checks = checks
        self._clock = clock
        #: the servers that do not answer, and since when
        self.away: Mapping[Server, datetime] = {}

    async def look(self) -> None:
        """Checks all of them. Their clients log what they find."""
        answers = await asyncio.gather(*(_answers(check) for check in self._checks.values()))
        now = self._clock.now()
        missing = [server for server, is_there in zip(self._checks, answers, strict=True) if not is_there]
        self.away = {server: self.away.get(server, now) for server in missing}

    def figures(self) -> dict[str, float]:
        """This process's heartbeat figures: 1 for each server that does not answer it, 0 for the others."""
        return {server.figure: float(server in self.away) for server in self._checks}


def archive_check(archive: Archive) -> Check:
    """Looks for what is not there."""

    async def check() -> bool:
        return await archive.get(_NOWHERE) is None

    return check


def search_check(server: SearchServer) -> Check:
    """Has the records counted."""

    async def check() -> bool:
        return await server.count() >= 0

    return check


async def _answers(check: Check) -> bool:
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            return await check()
    except (IndexAway, OSError, TimeoutError):
        return False
