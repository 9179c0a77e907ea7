"""An HTTP proxy: CONNECT and the absolute form, with Basic authentication."""

from asyncio import StreamReader, StreamWriter
from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import urlsplit

from tests.proxies.listener import Listener
from tests.proxies.mood import Mood

_PAGE = b"<html><title>Welcome</title><p>This is the proxy's own page.</p></html>"


class HttpProxy(Listener):
    """Tunnels what it is asked to, and forwards the rest."""

    scheme = "http"
    #: what it says in its own name, by default what no site would
    refusal: tuple[int, Mapping[str, str]] = (407, {"Proxy-Authenticate": 'Basic realm="proxy"'})
    unreachable: tuple[int, Mapping[str, str]] = (503, {"X-Squid-Error": "ERR_CONNECT_FAIL 111"})

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """One request; forwarded ones may be followed by others."""
        if self.mood is Mood.CLOSE:
            return
        while True:
            first, headers = await _read_head(reader)
            method, target, _ = first.split(" ", 2)
            self.asked.append(target)
            if not self._knows(headers):
                await _say(writer, 407, {"Proxy-Authenticate": 'Basic realm="proxy"'})
                return
            if await self._is_moody(reader, writer, method):
                return
            if method == "CONNECT":
                host, _, port = target.rpartition(":")
                site = await self.connect(host, int(port))
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await self.pass_on((reader, writer), site)
                return
            await self._forward(writer, method, target, headers)

    def _knows(self, headers: Mapping[str, str]) -> bool:
        if self.username is None:
            return True
        token = b64encode(f"{self.username}:{self.password}".encode()).decode()
        return headers.get("proxy-authorization") == f"Basic {token}"

    async def _is_moody(self, reader: StreamReader, writer: StreamWriter, method: str) -> bool:
        match self.mood:
            case Mood.PASS_ON:
                return False
            case Mood.REFUSE:
                await _say(writer, *self.refusal)
            case Mood.UNREACHABLE:
                await _say(writer, *self.unreachable)
            case Mood.STALL:
                await self.stall(reader)
            case Mood.HALF:
                writer.write(b"HTTP/1.1 20")
                await writer.drain()
            case Mood.GARBAGE:
                writer.write(b"\x16\x03\x01 220 mail.example ESMTP\r\n\r\n")
                await writer.drain()
            case Mood.CUT if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await reader.read(1)
            case Mood.LIE if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await reader.read(1)
                await _say(writer, 200, {"Content-Type": "text/html"}, _PAGE)
            case Mood.LIE:
                await _say(writer, 200, {"Content-Type": "text/html"}, _PAGE)
        return True

    async def _forward(self, writer: StreamWriter, method: str, target: str, headers: Mapping[str, str]) -> None:
        address = urlsplit(target)
        site = await self.connect(address.hostname or "", address.port or 80)
        path = (address.path or "/") + (f"?{address.query}" if address.query else "")
        kept = {name: value for name, value in headers.items() if not name.startswith("proxy-")}
        lines = [
            f"{method} {path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in kept.items()),
            "Connection: close",
        ]
        try:
            site[1].write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
            writer.write(await site[0].read())
            await writer.drain()
        finally:
            site[1].transport.abort()


async def _read_head(reader: StreamReader) -> tuple[str, dict[str, str]]:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return first, {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _say(writer: StreamWriter, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
    lines = [f"HTTP/1.1 {status} Whatever", *(f"{name}: {value}" for name, value in headers.items())]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "Connection: close"]) + "\r\n\r\n"
    writer.write(head.encode("latin-1") + body)
    await writer.drain()
    writer.close()
    await writer.wait_closed()
