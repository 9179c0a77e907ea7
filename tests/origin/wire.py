"""One connection as the misbehaving answers see it: bytes out, at any speed, and several ways to end it."""

import asyncio
import socket
import struct
from asyncio import StreamReader, StreamWriter


class Wire:
    """The way to the client."""

    def __init__(self, reader: StreamReader, writer: StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @property
    def alpn(self) -> str | None:
        """The protocol that the TLS handshake agreed on; None when it agreed on none."""
        name: str | None = self._writer.get_extra_info("ssl_object").selected_alpn_protocol()
        return name

    async def send(self, data: bytes) -> None:
        """Sends now; raises ConnectionError when the client has left."""
        self._writer.write(data)
        await self._writer.drain()
        # drain() returns at once while the kernel takes everything; an endless body must let others run.
        await asyncio.sleep(0)

    async def send_slowly(self, data: bytes, *, bytes_per_second: float) -> None:
        """Sends byte by byte."""
        for position in range(len(data)):
            await self.send(data[position : position + 1])
            await asyncio.sleep(1 / bytes_per_second)

    async def until_client_leaves(self) -> None:
        """Stays silent for as long as the client holds the connection."""
        await self._reader.read()

    def reset(self) -> None:
        """Ends the connection with an RST, as a crashed server would."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()
