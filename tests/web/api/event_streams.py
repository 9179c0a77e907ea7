"""Reads an answer that goes on, message by message, and leaves when it has seen enough."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import orjson
from fastapi import FastAPI


@dataclass(frozen=True)
class Message:
    """One server-sent event."""

    data: Any
    event: str | None = None
    id: str | None = None


class Stream:
    """An open stream."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self._chunks = asyncio.Queue[bytes | None]()
        self._left = b""
        #: the application knows from where on it tells
        self.begun = asyncio.Event()
        self.gone = asyncio.Event()

    async def send(self, message: dict[str, Any]) -> None:
        """What the application sends."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            self.begun.set()
            return
        await self._chunks.put(message.get("body", b""))
        if not message.get("more_body"):
            await self._chunks.put(None)

    async def receive(self) -> dict[str, Any]:
        """The client says nothing until it goes."""
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def next(self, *, patience: float = 300) -> Message | None:
        """The next message that has data; None when the stream has ended."""
        async with asyncio.timeout(patience):
            while True:
                while b"\n\n" not in self._left:
                    chunk = await self._chunks.get()
                    if chunk is None:
                        return None
                    self._left += chunk
                raw, _, self._left = self._left.partition(b"\n\n")
                found = dict(line.split(": ", 1) for line in raw.decode().split("\n") if not line.startswith(":"))
                if "data" in found:
                    return Message(orjson.loads(found["data"]), found.get("event"), found.get("id"))

    async def all(self) -> list[Message]:
        """Every message until the stream ends."""
        messages = []
        while (found := await self.next()) is not None:
            messages.append(found)
        return messages


@asynccontextmanager
async def streamed(app: FastAPI, path: str, query: str = "", **headers: str) -> AsyncIterator[Stream]:
    """A stream, left when the block ends; by then the application has let go of it."""
    stream = Stream()
    given = {"host": "127.0.0.1:8060", **headers}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()],
        "server": ("127.0.0.1", 8060),
        "client": ("127.0.0.1", 50000),
    }
    serving = asyncio.create_task(app(scope, stream.receive, stream.send))  # type: ignore[arg-type]
    try:
        async with asyncio.timeout(60):
            await stream.begun.wait()
        yield stream
    finally:
        stream.gone.set()
        async with asyncio.timeout(60):
            await serving
