"""Server-sent events: streams are limited in number, and end on shutdown or when credentials expire."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any, cast

import orjson
from fastapi import Depends, Request
from fastapi.responses import StreamingResponse
from sqlalchemy.exc import SQLAlchemyError

from lamplighter import telemetry
from lamplighter.web.access.auth_state import AuthState
from lamplighter.web.access.credentials import UnprovenCaller, prove
from lamplighter.web.api.streams import Streams as Streams
from lamplighter.web.security_headers import Receive, Scope, Send

log = telemetry.logger("streams")
#: how often the database is polled, and how often a quiet stream sends a heartbeat
POLL_SECONDS = 1.0
HEARTBEAT_SECONDS = 15.0
#: how soon a disconnected client reconnects
RETRY = b"retry: 3000\n\n"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

Messages = AsyncGenerator[bytes, None]


class SseStream(StreamingResponse):
    """One stream; its message generator is closed when the client leaves."""

    media_type = "text/event-stream"

    def __init__(self, streams: Streams, messages: Messages) -> None:
        super().__init__(messages, headers=_HEADERS)
        self._streams = streams
        self._messages = messages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the messages until they, the client or the caller's access end."""
        self.body_iterator = _until_broken(_while_proven(self._messages, scope, scope["app"].state.auth))
        with self._streams.counted(scope["caller"].name):
            try:
                await super().__call__(scope, receive, send)
            finally:
                await self._messages.aclose()


async def _while_proven(messages: Messages, scope: Scope, auth: AuthState) -> Messages:
    """Ends when the token or session is not valid any more: the guard checks only once."""
    heartbeat = Heartbeat(auth.view.clock.monotonic())
    async for each in messages:
        if heartbeat.is_due(auth.view.clock.monotonic()):
            try:
                await prove(scope, auth)
            except UnprovenCaller:
                log.info("stream.unproven", path=scope["path"])
                return
        yield each


async def _until_broken(messages: Messages) -> Messages:
    """Ends the stream when the database fails; the client reconnects and continues."""
    try:
        async for each in messages:
            yield each
    except (SQLAlchemyError, OSError) as error:
        log.warning("stream.broken", error=type(error).__name__)


def message(data: Any, *, event: str | None = None, last_id: int | None = None) -> bytes:
    """One message; its data is JSON on one line, so that no text can end it."""
    head = (f"id: {last_id}\n" if last_id is not None else "") + (f"event: {event}\n" if event is not None else "")
    return head.encode() + b"data: " + orjson.dumps(data, option=orjson.OPT_UTC_Z) + b"\n\n"


def comment(text: str) -> bytes:
    """A comment line, which clients ignore."""
    return f": {text}\n\n".encode()


class Heartbeat:
    """Says when a heartbeat is due; `now` is monotonic."""

    def __init__(self, now: float, *, every: float = HEARTBEAT_SECONDS) -> None:
        self._every = every
        self._last = now

    def is_due(self, now: float) -> bool:
        """Whether it is due; starts the next wait."""
        if now - self._last < self._every:
            return False
        self._last = now
        return True


def _streams_of(request: Request) -> Streams:
    return cast(Streams, request.app.state.streams)


OpenStreams = Annotated[Streams, Depends(_streams_of)]
