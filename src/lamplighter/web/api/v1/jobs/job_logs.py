"""Job logs: the log lines of a job's runs, to view, download and stream."""

from collections.abc import AsyncGenerator
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from fastapi import Header, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from lamplighter.model.crawl import CrawlRun
from lamplighter.model.run_log import LogLevel
from lamplighter.operations.runs import run_logs
from lamplighter.operations.runs.run_logs import CHUNK, Cursor, LogTail
from lamplighter.store.runs import run_log
from lamplighter.store.runs.run_log import LogFilter
from lamplighter.web.api import event_stream as sse
from lamplighter.web.api.envelope import listed
from lamplighter.web.api.v1.jobs import shapes_job_logs as shapes
from lamplighter.web.routes import Routes
from lamplighter.web.values import BIGGEST, Limit, Line, Offset
from lamplighter.web.view import ServiceView, View

ROUTES = Routes("/api/v1/jobs", tag="job logs")
Execution = Annotated[
    Annotated[Line, Field(max_length=40)] | None,
    Query(description="A run, by its id or its number; the latest when left out."),
]
AtLeast = Annotated[LogLevel | None, Query(description="Lines of this level, and those that matter more.")]
Category = Annotated[Annotated[Line, Field(max_length=20)] | None, Query(description="What lines are about.")]
Action = Annotated[Annotated[Line, Field(max_length=40)] | None, Query(description="What happened: page.failed …")]
Follow = Annotated[bool, Query(description="Goes on with the job's next runs instead of ending.")]
LineId = Annotated[int, Field(ge=0, le=BIGGEST)]
#: the last line that the client received; the stream continues after it
LastEventId = Annotated[LineId | None, Header(alias="Last-Event-ID")]


class LogFileFormat(StrEnum):
    """Formats of a downloaded log."""

    TEXT = "text"
    NDJSON = "ndjson"


_MEDIA_TYPES = {LogFileFormat.TEXT: "text/plain; charset=utf-8", LogFileFormat.NDJSON: "application/x-ndjson"}
_ENDINGS = {LogFileFormat.TEXT: "log", LogFileFormat.NDJSON: "ndjson"}
_WRITERS = {LogFileFormat.TEXT: shapes.as_text, LogFileFormat.NDJSON: shapes.as_ndjson}


@ROUTES.get("/{job_id}/logs", response_model=shapes.LogsOut)
async def logs(job_id: UUID, view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The runs of a job, the size of each log, and its URLs."""
    found, total = await view.read(lambda db: run_logs.overview(db, str(job_id), limit=limit, offset=offset))
    rows = [shapes.logged_run_out(job_id, each) for each in found]
    return {"job_id": job_id} | listed("executions", rows, total=total, limit=limit, offset=offset)


@ROUTES.get("/{job_id}/logs/view", response_model=shapes.LinesOut)
async def view_lines(
    job_id: UUID,
    view: View,
    execution: Execution = None,
    after: Annotated[LineId, Query(description="Only lines after the one with this id.")] = 0,
    level: AtLeast = None,
    category: Category = None,
    action: Action = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> Any:
    """The log of a run, oldest first."""
    async with view.db.read() as db:
        run = await run_logs.find_run(db, str(job_id), execution)
        lines, total = await run_logs.lines(db, run, after=after, which=LogFilter(level, category, action), limit=limit)
    return shapes.run_out(run) | {
        "lines": [shapes.line_out(line) for line in lines],
        "next_after": lines[-1].id if len(lines) == limit else None,
        "total": total,
        "limit": limit,
    }


@ROUTES.get("/{job_id}/logs/download", response_class=Response, success="The file.")
async def download(
    job_id: UUID,
    view: View,
    execution: Execution = None,
    form: Annotated[LogFileFormat, Query(alias="format")] = LogFileFormat.TEXT,
) -> Response:
    """The log of a run as a file: text, or one JSON object per line."""
    run = await view.read(lambda db: run_logs.find_run(db, str(job_id), execution))
    name = f"job-{job_id}-run-{run.number}.{_ENDINGS[form]}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(_whole(view, run, form), media_type=_MEDIA_TYPES[form], headers=headers)


@ROUTES.get("/{job_id}/logs/stream", response_class=Response, success="Server-sent events: one line each.")
async def stream(
    job_id: UUID, view: View, streams: sse.OpenStreams, execution: Execution = None, follow: Follow = False
) -> Response:
    """The latest log lines of a run, then new ones; ends with the run."""
    cursor = await view.read(lambda db: run_logs.begin(db, str(job_id), execution=execution, last_line=None))
    return sse.SseStream(streams, _plain(view, streams, cursor, follow=follow))


@ROUTES.get("/{job_id}/logs/stream/v2", response_class=Response, success="Server-sent events with ids and types.")
async def stream_v2(
    job_id: UUID,
    view: View,
    streams: sse.OpenStreams,
    execution: Execution = None,
    follow: Follow = False,
    last_event_id: LastEventId = None,
) -> Response:
    """Log lines (`log`), run status (`status`), heartbeats (`heartbeat`), and `end` when the run is over.

    Every line has an id; a client that sends its last id (`Last-Event-ID`) receives what followed.
    """
    cursor = await view.read(lambda db: run_logs.begin(db, str(job_id), execution=execution, last_line=last_event_id))
    return sse.SseStream(streams, _typed(view, streams, cursor, follow=follow))


async def _read_on(view: ServiceView, cursor: Cursor, *, follow: bool) -> LogTail:
    return await view.read(lambda db: run_logs.read_on(db, cursor, follow=follow))


async def _plain(view: ServiceView, streams: sse.Streams, cursor: Cursor, *, follow: bool) -> sse.Messages:
    heartbeat = sse.Heartbeat(view.clock.monotonic())
    while True:
        cursor, lines, is_over = await _read_on(view, cursor, follow=follow)
        for line in lines:
            yield sse.message(shapes.line_out(line))
        if is_over and not follow:
            return
        if heartbeat.is_due(view.clock.monotonic()):
            yield sse.comment("heartbeat")
        if len(lines) < CHUNK and await streams.wait(sse.POLL_SECONDS):
            return


async def _typed(view: ServiceView, streams: sse.Streams, cursor: Cursor, *, follow: bool) -> sse.Messages:
    heartbeat, last_sent = sse.Heartbeat(view.clock.monotonic()), None
    yield sse.RETRY
    if cursor.run is not None:
        last_sent = shapes.run_out(cursor.run)
        yield sse.message(last_sent, event="status")
    while True:
        cursor, lines, is_over = await _read_on(view, cursor, follow=follow)
        for line in lines:
            yield sse.message(shapes.line_out(line), event="log", last_id=line.id)
        status = shapes.run_out(cursor.run) if cursor.run is not None else None
        # The final status is sent after all lines of the run.
        if status != last_sent and (is_over or status is None or status["status"] == "running"):
            last_sent = status
            yield sse.message(status, event="status")
        if is_over and not follow:
            yield sse.message(status or {"status": None}, event="end")
            return
        if heartbeat.is_due(view.clock.monotonic()):
            yield sse.message({"timestamp": view.clock.now()}, event="heartbeat")
        if len(lines) < CHUNK and await streams.wait(sse.POLL_SECONDS):
            return


async def _whole(view: ServiceView, run: CrawlRun, form: LogFileFormat) -> AsyncGenerator[bytes, None]:
    """The log of a run until now, in chunks."""
    after, written = 0, _WRITERS[form]
    while True:
        async with view.db.read() as db:
            lines = await run_log.of_run(db, run.id, after=after, limit=CHUNK)
        if not lines:
            return
        yield b"".join(written(line) for line in lines)
        after = lines[-1].id
