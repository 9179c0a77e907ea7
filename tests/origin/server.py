"""The origin's server: raw asyncio streams, because a proper HTTP server would refuse to misbehave."""

import asyncio
import ssl
import time
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader, StreamWriter
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from tests.origin.answers import Answer, Request, Script, conditional
from tests.origin.certificate import self_signed
from tests.origin.log import AccessLog, Hit
from tests.origin.wire import Wire

_LARGEST_HEAD = 256 * 1024
_NOT_FOUND = Answer(status=404, headers={"Content-Type": "text/plain"}, body=b"no such page\n")


class Origin:
    """A scripted site on a free loopback port while the context lasts; without a script it answers 404."""

    def __init__(
        self,
        host: str = "127.0.0.1",
        *,
        port: int = 0,
        tls: bool | ssl.SSLContext = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.host = host
        #: 0 until the origin is open, unless it was given
        self.port = port
        self._tls = tls
        self._scripts: dict[str, Callable[[Request], Answer]] = {}
        self._otherwise: Callable[[Request], Answer] = lambda _: _NOT_FOUND
        self._log = AccessLog(clock)
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
        context = self._tls if isinstance(self._tls, ssl.SSLContext) else self_signed().server if self._tls else None
        self._server = await asyncio.start_server(
            self._converse, self.host, self.port, ssl=context, limit=_LARGEST_HEAD
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stops listening and drops every connection. The log and the scripts stay; `open` takes the same port."""
        if self._server is None:
            return
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections)
        await self._server.wait_closed()
        self._server = None

    @property
    def connections(self) -> frozenset[object]:
        """The connections that are open."""
        return frozenset(self._connections)

    # What it answers

    def page(
        self,
        path: str,
        html: str,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """An HTML page that answers 304 when the request carries its validators."""
        validators = {"ETag": etag, "Last-Modified": last_modified}
        sent = {"Content-Type": "text/html; charset=utf-8", **(headers or {})}
        sent.update({name: value for name, value in validators.items() if value is not None})
        self.route(path, conditional(Answer(headers=sent, body=html.encode())))

    def robots(self, text: str | bytes = b"", *, status: int = 200) -> None:
        """The robots.txt; without this call it is a 404. For anything odder use `route("/robots.txt", …)`."""
        self.route("/robots.txt", status=status, headers={"Content-Type": "text/plain"}, body=text)

    def route(
        self,
        path: str,
        *scripts: Script,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        body: str | bytes = b"",
    ) -> None:
        """Answers this path, with its query or with any: one script per visit, the last one for all further visits."""
        plain = Answer(status=status, headers=headers or {}, body=body.encode() if isinstance(body, str) else body)
        self._scripts[path] = _in_turn(scripts or (plain,))

    def otherwise(self, script: Script) -> None:
        """Answers every path that has no route; good for tarpits."""
        self._otherwise = _in_turn((script,))

    # What it saw

    @property
    def url(self) -> str:
        """Scheme, host and port, without a slash at the end."""
        return f"{'https' if self._tls else 'http'}://{self.address}"

    @property
    def address(self) -> str:
        """host:port, as LAMPLIGHTER_ALLOW_HOSTS takes it."""
        return f"{self.host}:{self.port}"

    @property
    def log(self) -> list[Hit]:
        """Every request so far, in order of arrival."""
        return self._log.hits

    def hits(self, path: str) -> list[Hit]:
        """The requests for one path, query included."""
        return [hit for hit in self.log if hit.path == path]

    def gaps(self) -> list[float]:
        """Seconds between consecutive arrivals, robots.txt included."""
        return self._log.gaps()

    @property
    def max_in_flight(self) -> int:
        """The most requests that were being answered at once."""
        return max((hit.in_flight for hit in self.log), default=0)

    def dump(self) -> str:
        """The log as JSON."""
        return self._log.dump()

    # How it converses

    async def _converse(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._answer_one(reader, writer):
                pass
        except asyncio.CancelledError:
            # The origin is closing; what was not sent is not worth waiting for.
            writer.transport.abort()
        except (ConnectionError, IncompleteReadError, LimitOverrunError, ssl.SSLError):
            # The client left or talked nonsense: that ends this connection and nothing else.
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer_one(self, reader: StreamReader, writer: StreamWriter) -> bool:
        """Answers the next request; False when the connection ends with it."""
        head = await reader.readuntil(b"\r\n\r\n")
        arrived = self._log.clock()
        request = await _read_request(head, reader)
        with self._log.recording(request, arrived, peer=writer.get_extra_info("peername")[0]) as hit:
            answer = self._script(request)(request)
            hit.status = answer.status
            if answer.perform is not None:
                await answer.perform(Wire(reader, writer))
                return False
            has_body = request.method != "HEAD" and answer.status not in (204, 304)
            length = len(answer.body) if answer.status not in (204, 304) else None
            self._log.answers(hit, answer)
            writer.write(answer.head(length=length) + (answer.body if has_body else b""))
            await writer.drain()
        return request.headers.get("connection", "").lower() != "close"

    def _script(self, request: Request) -> Callable[[Request], Answer]:
        return self._scripts.get(request.target) or self._scripts.get(request.path) or self._otherwise


async def _read_request(head: bytes, reader: StreamReader) -> Request:
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _version = first.split(" ", 2)
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method=method, target=target, headers=headers, body=body)


def _in_turn(scripts: tuple[Script, ...]) -> Callable[[Request], Answer]:
    visits = 0

    def answer(request: Request) -> Answer:
        nonlocal visits
        script = scripts[min(visits, len(scripts) - 1)]
        visits += 1
        return script if isinstance(script, Answer) else script(request)

    return answer
