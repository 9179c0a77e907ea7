"""Traces for OpenTelemetry, if somebody wants them: one trace per run, told when each step of it is over.

The trace of a run has the run's own public id, so that every process that works for a run adds to the same trace
without being told of it. While tracing is off, nothing of OpenTelemetry is imported.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from lamplighter import __version__
from lamplighter.errors import BadSetting

Attribute = str | int | float | bool
#: how long the last spans may take to be sent when the service stops
_LAST_WORDS_SECONDS = 5.0


class Tracer:
    """Sends spans; they wait in memory, up to a number, and are sent together."""

    def __init__(self, url: str, *, instance: str) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError:
            raise BadSetting("LAMPLIGHTER_TRACING_URL needs the extra: pip install 'lamplighter[tracing]'") from None
        self._resource = Resource.create(
            {"service.name": "lamplighter", "service.version": __version__, "service.instance.id": instance}
        )
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
        """Sends what waits, and ends."""
        self._sending.shutdown()  # type: ignore[no-untyped-call]


_current: Tracer | None = None


def current() -> Tracer | None:
    """Who takes spans; None while tracing is off."""
    return _current


@asynccontextmanager
async def traced(url: str | None, *, instance: str) -> AsyncIterator[None]:
    """Traces what happens while the block lasts, if there is somewhere to send it."""
    global _current
    if url is None:
        yield
        return
    before, _current = _current, Tracer(url, instance=instance)
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
