"""Answers that go on: server-sent events, bounded in number, and ended when the service stops or the proof is void."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, cast

import orjson
from fastapi import Depends, HTTPException, Request
from fastapi.responses import StreamingResponse
from sqlalchemy.exc import SQLAlchemyError

from lamplighter import telemetry
from lamplighter.web.access.credentials import Unproven, prove
from lamplighter.web.access.desk import Desk
from lamplighter.web.rim import Receive, Scope, Send

log = telemetry.logger("streams")
#: at the same time, over all callers, and of one of them
MOST_STREAMS = 100
MOST_OF_ONE = 25
#: how often the database is looked at, and how often a quiet stream shows that it is alive
POLL_SECONDS = 1.0
HEARTBEAT_SECONDS = 15.0
#: how soon a client that lost its stream asks again
RETRY = b"retry: 3000\n\n"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

Messages = AsyncGenerator[bytes, None]


class Streams:
    """The streams that are open in this process."""

    def __init__(self, *, most: int = MOST_STREAMS, most_of_one: int = MOST_OF_ONE) -> None:
        self._most = most
        self._most_of_one = most_of_one
        #: caller -> how many are open
        self._open: Counter[str] = Counter()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Has every stream end, so that nobody waits for it."""
        self._stopping.set()

    async def wait(self, seconds: float) -> bool:
        """Sleeps for so long; True as soon as the streams are to end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        return self._stopping.is_set()

    def respond(self, messages: Messages) -> "EventStream":
        """The answer that sends these messages as they come."""
        return EventStream(self, messages)

    @contextmanager
    def counted(self, caller: str) -> Iterator[None]:
        """Counts one stream while it goes on; refused while too many do, of all or of this caller."""
        if self._open[caller] >= self._most_of_one:
            raise _too_many(429, f"{self._open[caller]} streams of yours are open")
        if self._open.total() >= self._most:
            raise _too_many(503, f"{self._open.total()} streams are open")
        self._open[caller] += 1
        try:
            yield
        finally:
            self._open[caller] -= 1
            # What nobody has open is forgotten, not counted as nothing.
            self._open += Counter()


def _too_many(status: int, found: str) -> HTTPException:
    detail = f"{found}, the most there may be; close one, or try again later"
    return HTTPException(status, detail=detail, headers={"Retry-After": "15"})


class EventStream(StreamingResponse):
    """One stream; when its client goes, what makes its messages ends with it."""

    media_type = "text/event-stream"

    def __init__(self, streams: Streams, messages: Messages) -> None:
        super().__init__(messages, headers=_HEADERS)
        self._streams = streams
        self._messages = messages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the messages until they or the client end, or whoever asked could not ask again."""
        self.body_iterator = _until_broken(_while_proven(self._messages, scope, scope["app"].state.desk))
        with self._streams.counted(scope["caller"].name):
            try:
                await super().__call__(scope, receive, send)
            finally:
                await self._messages.aclose()


async def _while_proven(messages: Messages, scope: Scope, desk: Desk) -> Messages:
    """Ends with the token or the session under which it was begun: the guard looked only once."""
    heartbeat = Heartbeat(desk.view.clock.monotonic())
    async for each in messages:
        if heartbeat.is_due(desk.view.clock.monotonic()):
            try:
                await prove(scope, desk)
            except Unproven:
                log.info("stream.unproven", path=scope["path"])
                return
        yield each


async def _until_broken(messages: Messages) -> Messages:
    """A database that does not answer ends the stream; the client asks again and goes on from where it was."""
    try:
        async for each in messages:
            yield each
    except (SQLAlchemyError, OSError) as error:
        log.warning("stream.broken", error=type(error).__name__)


def message(data: Any, *, event: str | None = None, last_id: int | None = None) -> bytes:
    """One message; its data is JSON on one line, so that no text in it can end it."""
    head = (f"id: {last_id}\n" if last_id is not None else "") + (f"event: {event}\n" if event is not None else "")
    return head.encode() + b"data: " + orjson.dumps(data, option=orjson.OPT_UTC_Z) + b"\n\n"


def comment(text: str) -> bytes:
    """A sign of life that no client takes for a message."""
    return f": {text}\n\n".encode()


class Heartbeat:
    """Says when a sign of life is due; `now` is monotonic."""

    def __init__(self, now: float, *, every: float = HEARTBEAT_SECONDS) -> None:
        self._every = every
        self._last = now

    def is_due(self, now: float) -> bool:
        """Whether it is time; then it is not for a while."""
        if now - self._last < self._every:
            return False
        self._last = now
        return True


def _streams_of(request: Request) -> Streams:
    return cast(Streams, request.app.state.streams)


OpenStreams = Annotated[Streams, Depends(_streams_of)]
