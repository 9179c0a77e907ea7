"""A small HTTP server for a protocol whose own is not at hand: it can be stopped, slowed down, and it remembers."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any, Self

import orjson
from aiohttp import web

from tests.servers.sharing import free_port


class HttpStub:
    """One server on a loopback port, which it keeps when it is stopped and started again."""

    def __init__(self) -> None:
        self.port = free_port()
        #: method and path of every request
        self.seen: list[str] = []
        #: before each answer
        self.slow_seconds = 0.0
        #: answered with this status instead, whatever is asked
        self.broken: int | None = None
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Without the name of the protocol that stands before it in our settings."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listens."""
        app = web.Application(client_max_size=100 << 20)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True).start()

    async def stop(self) -> None:
        """Goes away; what it knows, it knows again after `start`."""
        if self._runner is not None:
            await self._runner.cleanup()
        self._runner = None

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(f"{request.method} {request.path}")
        if self.slow_seconds:
            await asyncio.sleep(self.slow_seconds)
        if self.broken is not None:
            return reply({"message": "unwell"}, self.broken)
        return await self.handle(request, await request.read())

    async def handle(self, request: web.Request, body: bytes) -> web.StreamResponse:
        """Answers a request."""
        raise NotImplementedError


@contextmanager
def in_a_thread(stub: HttpStub) -> Iterator[None]:
    """Runs it beside a test that has no loop of its own."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(stub.__aenter__(), loop).result(60)
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(stub.__aexit__(), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()


def reply(body: Any, status: int = 200) -> web.Response:
    """An answer in JSON."""
    return web.Response(body=orjson.dumps(body), status=status, content_type="application/json")
