"""What both kinds of proxy have in common: a port, a way out, and a way to die."""

import asyncio
import ssl
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from types import TracebackType
from typing import Self

from tests.proxies.mood import Mood


class Listener:
    """A proxy on a free loopback port while the context lasts."""

    scheme = ""

    def __init__(
        self,
        *,
        exit: str = "127.0.0.1",
        username: str | None = None,
        password: str | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        #: the address by which it leaves
        self.exit = exit
        self.username = username
        self.password = password
        self.mood = Mood.PASS_ON
        #: seconds that it takes to reach the site
        self.lag = 0.0
        #: what it was asked for, as host:port or URL
        self.asked: list[str] = []
        #: the port stays the same when it is opened again
        self.port = 0
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def open(self) -> None:
        """Starts listening."""
        self._server = await asyncio.start_server(self._converse, "127.0.0.1", self.port, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Dies: stops listening and drops every connection."""
        if self._server is None:
            return
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    @property
    def address(self) -> str:
        """host:port, as LAMPLIGHTER_ALLOW_HOSTS takes it."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Where it is, with the credentials it wants."""
        who = f"{self.username}:{self.password}@" if self.username else ""
        scheme = "https" if self._tls else self.scheme
        return f"{scheme}://{who}{self.address}"

    async def _converse(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, asyncio.CancelledError):
                await self.serve(reader, writer)
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Answers one connection."""
        raise NotImplementedError

    async def connect(self, host: str, port: int) -> tuple[StreamReader, StreamWriter]:
        """A connection to the site, from this proxy's own address."""
        await asyncio.sleep(self.lag)
        return await asyncio.open_connection(host, port, local_addr=(self.exit, 0))

    async def pass_on(self, client: tuple[StreamReader, StreamWriter], site: tuple[StreamReader, StreamWriter]) -> None:
        """Carries bytes both ways until one side has had enough."""
        try:
            ways = [
                asyncio.ensure_future(_carry(client[0], site[1])),
                asyncio.ensure_future(_carry(site[0], client[1])),
            ]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        finally:
            site[1].transport.abort()

    async def stall(self, reader: StreamReader) -> None:
        """Says nothing for as long as the client waits."""
        await reader.read()


async def _carry(source: StreamReader, target: StreamWriter) -> None:
    while data := await source.read(65536):
        target.write(data)
        await target.drain()
