"""Traces for OpenTelemetry, if somebody wants them: one trace per run, told when each step of it is over.

The trace of a run has the run's own public id, so that every process that works for a run adds to the same trace
without being told of it. While tracing is off, nothing of OpenTelemetry is imported.
"""

import asyncio
import hashlib
import logging
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from lamplighter import __version__
from lamplighter.errors import BadSetting

Attribute = str | int | float | bool
#: how long the last spans may take to be sent when the service stops
_LAST_WORDS_SECONDS = 5.0
#: that spans are lost is said at most so often
_SAID_EVERY_SECONDS = 60.0


class Tracer:
    """Sends spans; they wait in memory, up to a number, and are sent together."""

    def __init__(self, url: str, *, instance: str, say_lost: Callable[[], None]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadSetting("LAMPLIGHTER_TRACING_URL is no address: say http://collector.example:4318/v1/traces")
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError:
            raise BadSetting("LAMPLIGHTER_TRACING_URL needs the extra: pip install 'lamplighter[tracing]'") from None
        self._resource = Resource.create(
            {"service.name": "lamplighter", "service.version": __version__, "service.instance.id": instance}
        )
        _speak_for_exporter(say_lost)
        self._sending = BatchSpanProcessor(OTLPSpanExporter(url, timeout=_LAST_WORDS_SECONDS))

    def step(
        self,
        name: str,
        *,
        run: str,
        began_at: datetime,
        ended_at: datetime,
        ok: bool,
        is_run: bool = False,
        **attributes: Attribute | None,
    ) -> None:
        """A step of a run (its public id) that is over; the run itself is the one that all others are part of."""
        from opentelemetry.sdk.trace import ReadableSpan
        from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
        from opentelemetry.trace import SpanContext, Status, StatusCode, TraceFlags

        trace_id, root_id, sampled = UUID(run).int, _root_id(run), TraceFlags(TraceFlags.SAMPLED)
        span_id = root_id if is_run else RandomIdGenerator().generate_span_id()
        root = SpanContext(trace_id, root_id, is_remote=True, trace_flags=sampled)
        self._sending.on_end(
            ReadableSpan(
                name,
                context=SpanContext(trace_id, span_id, is_remote=False, trace_flags=sampled),
                parent=None if is_run else root,
                resource=self._resource,
                attributes=_known({"lamplighter__run": run, **attributes}),
                status=Status(StatusCode.OK if ok else StatusCode.ERROR),
                start_time=_nanoseconds(began_at),
                end_time=_nanoseconds(ended_at),
            )
        )

    def close(self) -> None:
        """Sends what waits, and ends; a collector that does not answer is not waited for any longer."""
        last_words = threading.Thread(target=self._sending.shutdown, name="last spans", daemon=True)
        last_words.start()
        last_words.join(_LAST_WORDS_SECONDS)


class _InOurWords(logging.Handler):
    """What the exporter says of its failures may hold the address and the key in it: so only that it failed is said."""

    def __init__(self, say: Callable[[], None]) -> None:
        super().__init__(logging.ERROR)
        self._say = say
        self._said_at = float("-inf")

    def emit(self, record: logging.LogRecord) -> None:
        """Says it, but not for every batch of spans."""
        if record.created - self._said_at >= _SAID_EVERY_SECONDS:
            self._said_at = record.created
            self._say()


def _speak_for_exporter(say: Callable[[], None]) -> None:
    """For good: a last batch may fail when everything else is over."""
    for name in ("opentelemetry", "urllib3"):
        theirs = logging.getLogger(name)
        theirs.handlers = [_InOurWords(say)]
        theirs.propagate = False


_current: Tracer | None = None


def current() -> Tracer | None:
    """Who takes spans; None while tracing is off."""
    return _current


@asynccontextmanager
async def traced(url: str | None, *, instance: str, say_lost: Callable[[], None]) -> AsyncIterator[None]:
    """Traces what happens while the block lasts, if there is somewhere to send it; `say_lost` tells that it failed."""
    global _current
    if url is None:
        yield
        return
    before, _current = _current, Tracer(url, instance=instance, say_lost=say_lost)
    tracer = _current
    try:
        yield
    finally:
        _current = before
        await asyncio.to_thread(tracer.close)


def address(url: str) -> str:
    """A URL as it may be shown to whoever reads traces: no credentials, no query."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _root_id(run: str) -> int:
    """The id of the span of the run itself, which every process can work out; never 0."""
    return int.from_bytes(hashlib.sha256(run.encode()).digest()[:8], "big") | 1


def _known(attributes: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    """Attributes that are there, by their names in OpenTelemetry, where dots stand for our double underscores."""
    return {name.replace("__", "."): value for name, value in attributes.items() if value is not None}


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000) * 1000
