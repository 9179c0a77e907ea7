"""Optional traces for OpenTelemetry: one trace per run, each step sent when it is over.

The trace of a run has the run's own public id, so that every process that works for a run adds to the same trace
without any coordination. While tracing is off, nothing of OpenTelemetry is imported.
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
#: longest time to send the last spans when the service stops
LAST_WORDS_SECONDS = 5.0
#: lost spans are logged at most this often
_SAID_EVERY_SECONDS = 60.0


class Tracer:
    """Sends spans; they wait in memory, up to a number, and are sent together."""

    def __init__(self, url: str, *, instance: str, say_lost: Callable[[], None]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadSetting("LAMPLIGHTER_TRACING_URL is not a URL; use http://collector.example:4318/v1/traces")
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
        self._sending = BatchSpanProcessor(OTLPSpanExporter(url, timeout=LAST_WORDS_SECONDS))

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
        """Records a finished step of a run (its public id); the run itself is the root span."""
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
        """Sends waiting spans and stops; a collector that does not respond is not waited for."""
        last_words = threading.Thread(target=self._sending.shutdown, name="last spans", daemon=True)
        last_words.start()
        last_words.join(LAST_WORDS_SECONDS)


class _InOurWords(logging.Handler):
    """Replaces the exporter's error logs, which may contain the URL and the key: only that it failed is logged."""

    def __init__(self, say: Callable[[], None]) -> None:
        super().__init__(logging.ERROR)
        self._say = say
        self._said_at = float("-inf")

    def emit(self, record: logging.LogRecord) -> None:
        """Logs the failure, but not for every batch of spans."""
        if record.created - self._said_at >= _SAID_EVERY_SECONDS:
            self._said_at = record.created
            self._say()


def _speak_for_exporter(say: Callable[[], None]) -> None:
    """Stays installed: a last batch may fail when everything else is over."""
    for name in ("opentelemetry", "urllib3"):
        theirs = logging.getLogger(name)
        theirs.handlers = [_InOurWords(say)]
        theirs.propagate = False


_current: Tracer | None = None


def current() -> Tracer | None:
    """The active tracer; None while tracing is off."""
    return _current


@asynccontextmanager
async def traced(url: str | None, *, instance: str, say_lost: Callable[[], None]) -> AsyncIterator[None]:
    """Traces what happens in the block, if a URL is set; `say_lost` is called when sending failed."""
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
    """A URL as it may be shown in traces: no credentials, no query."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _root_id(run: str) -> int:
    """The id of the run's own span, which every process can compute; never 0."""
    return int.from_bytes(hashlib.sha256(run.encode()).digest()[:8], "big") | 1


def _known(attributes: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    """The attributes that have a value, by their OpenTelemetry names: our double underscores become dots."""
    return {name.replace("__", "."): value for name, value in attributes.items() if value is not None}


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000) * 1000
