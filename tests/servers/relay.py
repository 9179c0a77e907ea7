"""A wire that can be cut: passes bytes on to a server, until a test says that the server is away."""

import asyncio
from contextlib import suppress
from typing import Self


class Relay:
    """Listens on a free loopback port, and passes on to another."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listening: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        #: where to connect instead of to the server itself
        self.port = 0

    async def __aenter__(self) -> Self:
        await self.mend()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.cut()

    async def mend(self) -> None:
        """The server is there (again), on the same port."""
        self._listening = await asyncio.start_server(self._pass_on, "127.0.0.1", self.port)
        self.port = self._listening.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """The server is away: open connections break, new ones are refused."""
        if self._listening is None:
            return
        self._listening.close()
        self._listening = None
        for writer in self._writers:
            writer.transport.abort()
        while self._writers:  # noqa: ASYNC110 - others take them out
            await asyncio.sleep(0.01)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, to_server}
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_copy(reader, to_server))
                group.create_task(_copy(there, writer))
        finally:
            for each in (writer, to_server):
                each.close()
            self._writers -= {writer, to_server}


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
