"""Speaks Chromium's DevTools protocol over two pipes: JSON messages, each ended by a NUL.

A pipe, unlike a debugging port, cannot be reached by other programs on the machine, and breaks when either side dies.
"""

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

#: a rendered page is one message, escaped
_LONGEST_MESSAGE = 64 * 1024 * 1024

Event = Callable[[str, dict[str, Any]], None]


class BrowserGone(Exception):
    """The browser died, hung up, or refused."""


class DevToolsPipe:
    """One connection to one browser."""

    def __init__(self) -> None:
        self._number = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._listeners: dict[str, Event] = {}
        self._is_closed = False
        self._to_browser, self._we_write = os.pipe()
        self._we_read, self._from_browser = os.pipe()

    @property
    def browser_ends(self) -> tuple[int, int]:
        """The file descriptors that the browser reads from and writes to."""
        return self._to_browser, self._from_browser

    async def open(self) -> None:
        """Starts listening, when the browser has its ends."""
        for end in self.browser_ends:
            os.close(end)
        loop = asyncio.get_running_loop()
        self._reader = asyncio.StreamReader(limit=_LONGEST_MESSAGE)
        self._incoming, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self._reader), os.fdopen(self._we_read, "rb", 0)
        )
        self._outgoing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(self._we_write, "wb", 0))
        self._listening = asyncio.create_task(self._listen())

    def listen(self, session: str, on_event: Event | None) -> None:
        """Sends the events of a session to `on_event`; None stops it."""
        if on_event is None:
            self._listeners.pop(session, None)
        else:
            self._listeners[session] = on_event

    async def call(self, method: str, params: dict[str, Any] | None = None, *, session: str | None = None) -> Any:
        """The result of a command; BrowserGone when there is none."""
        answer = self.send(method, params, session=session)
        message = await answer
        if "error" in message:
            raise BrowserGone(f"{method}: {message['error'].get('message', 'refused')}")
        return message.get("result", {})

    def send(
        self, method: str, params: dict[str, Any] | None = None, *, session: str | None = None
    ) -> "asyncio.Future[dict[str, Any]]":
        """Sends a command; the result is its future response."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if self._is_closed:
            answer.set_exception(BrowserGone("the browser is gone"))
            return answer
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params or {}}
        if session is not None:
            message["sessionId"] = session
        self._waiting[self._number] = answer
        self._outgoing.write(json.dumps(message).encode() + b"\0")
        return answer

    async def close(self) -> None:
        """Closes the pipe; callers that still wait get BrowserGone."""
        self._listening.cancel()
        self._end()
        for transport in (self._outgoing, self._incoming):
            if not transport.is_closing():
                transport.close()

    async def _listen(self) -> None:
        try:
            while message := (await self._reader.readuntil(b"\0"))[:-1]:
                self._take(json.loads(message))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, ValueError):
            pass
        finally:
            self._end()

    def _take(self, message: dict[str, Any]) -> None:
        answer = self._waiting.pop(message.get("id", 0), None)
        if answer is not None:
            if not answer.done():
                answer.set_result(message)
        elif (listener := self._listeners.get(message.get("sessionId", ""))) is not None:
            listener(message.get("method", ""), message.get("params", {}))

    def _end(self) -> None:
        self._is_closed = True
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(BrowserGone("the browser is gone"))
                answer.exception()  # a future that is not awaited must not warn
        self._waiting.clear()
