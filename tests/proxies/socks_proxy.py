"""A SOCKS5 proxy (RFC 1928) with user name and password (RFC 1929)."""

import ipaddress
from asyncio import StreamReader, StreamWriter

from tests.proxies.listener import Listener
from tests.proxies.mood import Mood

_NO_AUTH, _BY_PASSWORD, _NONE_OF_THEM = 0, 2, 0xFF
_GENERAL_FAILURE, _REFUSED_BY_SITE = 1, 5


class SocksProxy(Listener):
    """Connects to whatever it is asked to."""

    scheme = "socks5"

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """One tunnel."""
        if self.mood is Mood.STALL:
            await self.stall(reader)
        if self.mood is Mood.GARBAGE:
            writer.write(b"220 mail.example ESMTP\r\n")
            await reader.read(1)
        if self.mood in (Mood.STALL, Mood.HANG_UP, Mood.CLOSE, Mood.GARBAGE) or not await self._knows(reader, writer):
            return
        host, port = await _read_target(reader)
        self.asked.append(f"{host}:{port}")
        if self.mood in (Mood.REFUSE, Mood.UNREACHABLE):
            await _reply(writer, _GENERAL_FAILURE if self.mood is Mood.REFUSE else _REFUSED_BY_SITE)
            return
        if self.mood is Mood.HALF:
            writer.write(bytes([5, 0, 0]))
            await writer.drain()
            return
        if self.mood is Mood.CUT:
            await _reply(writer, 0)
            await reader.read(1)
            return
        try:
            site = await self.connect(host, port)
        except OSError:
            await _reply(writer, _REFUSED_BY_SITE)
            return
        await _reply(writer, 0)
        await self.pass_on((reader, writer), site)

    async def _knows(self, reader: StreamReader, writer: StreamWriter) -> bool:
        _, number = await reader.readexactly(2)
        offered = await reader.readexactly(number)
        wanted = _NO_AUTH if self.username is None else _BY_PASSWORD
        if wanted not in offered:
            writer.write(bytes([5, _NONE_OF_THEM]))
            await writer.drain()
            return False
        writer.write(bytes([5, wanted]))
        if wanted == _NO_AUTH:
            return True
        await reader.readexactly(1)
        given = [(await reader.readexactly((await reader.readexactly(1))[0])).decode() for _ in range(2)]
        is_known = given == [self.username, self.password]
        writer.write(bytes([1, 0 if is_known else 1]))
        await writer.drain()
        return is_known


async def _read_target(reader: StreamReader) -> tuple[str, int]:
    kind = (await reader.readexactly(4))[3]
    if kind == 3:
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
    else:
        host = str(ipaddress.ip_address(await reader.readexactly(4 if kind == 1 else 16)))
    return host, int.from_bytes(await reader.readexactly(2), "big")


async def _reply(writer: StreamWriter, code: int) -> None:
    writer.write(bytes([5, code, 0, 1, 0, 0, 0, 0, 0, 0]))
    await writer.drain()
