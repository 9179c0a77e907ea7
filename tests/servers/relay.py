"""A wire that can be cut, hushed and slowed: passes bytes on to a server, until a test says otherwise."""

import asyncio
from contextlib import suppress
from typing import Self


class Relay:
    """Listens on a free loopback port, and passes on to another."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listening: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._speaking = asyncio.Event()
        self._speaking.set()
        #: seconds by which the server's answers come late
        self.late_by = 0.0
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
        self.speak()
        while self._writers:  # noqa: ASYNC110 - others take them out
            await asyncio.sleep(0.01)

    def hush(self) -> None:
        """Nothing passes any more and nothing is closed, as where packets are dropped."""
        self._speaking.clear()

    def speak(self) -> None:
        """Everything passes again, what was sent meanwhile first."""
        self._speaking.set()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, to_server}
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._copy(reader, to_server, is_answer=False))
                group.create_task(self._copy(there, writer, is_answer=True))
        finally:
            for each in (writer, to_server):
                each.close()
            self._writers -= {writer, to_server}

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_answer: bool) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._speaking.wait()
                if is_answer and self.late_by:
                    await asyncio.sleep(self.late_by)
                writer.write(data)
                await writer.drain()
        await self._speaking.wait()
        writer.close()
