"""Job logs: what the runs of a job wrote down, to read, to keep, and to watch."""

from collections.abc import AsyncGenerator
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from fastapi import Header, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from lamplighter.model.crawl import CrawlRun
from lamplighter.model.run_log import Level
from lamplighter.operations import run_logs
from lamplighter.operations.run_logs import CHUNK, Cursor, Reading
from lamplighter.store import run_log
from lamplighter.store.run_log import Which
from lamplighter.web.api.event_stream import (
    POLL_SECONDS,
    RETRY,
    Heartbeat,
    Messages,
    OpenStreams,
    Streams,
    comment,
    message,
)
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.v1 import shapes_job_logs as shapes
from lamplighter.web.api.values import BIGGEST, Line
from lamplighter.web.view import ServiceView, View

ROUTES = Routes("/api/v1/jobs", tag="job logs")

Execution = Annotated[
    Annotated[Line, Field(max_length=40)] | None,
    Query(description="A run, by its id or its number; the latest when left out."),
]
AtLeast = Annotated[Level | None, Query(description="Lines of this level, and those that matter more.")]
Category = Annotated[Annotated[Line, Field(max_length=20)] | None, Query(description="What lines are about.")]
Action = Annotated[Annotated[Line, Field(max_length=40)] | None, Query(description="What happened: page.failed …")]
Follow = Annotated[bool, Query(description="Goes on with the job's next runs instead of ending.")]
LineId = Annotated[int, Field(ge=0, le=BIGGEST)]
#: the line that the client had last; where it goes on
LastEventId = Annotated[LineId | None, Header(alias="Last-Event-ID")]


class Form(StrEnum):
    """The forms of a downloaded log."""

    TEXT = "text"
    NDJSON = "ndjson"


_MEDIA_TYPES = {Form.TEXT: "text/plain; charset=utf-8", Form.NDJSON: "application/x-ndjson"}
_ENDINGS = {Form.TEXT: "log", Form.NDJSON: "ndjson"}
_WRITERS = {Form.TEXT: shapes.as_text, Form.NDJSON: shapes.as_ndjson}


@ROUTES.get("/{job_id}/logs", response_model=shapes.LogsOut, example=shapes.LOGS)
async def logs(job_id: UUID, view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The runs of a job, how much each wrote, and where that can be read."""
    async with view.db.read() as db:
        found = await run_logs.overview(db, str(job_id), limit=limit, offset=offset)
    rows = [shapes.logged_run_out(job_id, each) for each in found.runs]
    return {"job_id": job_id} | listed("executions", rows, total=found.total, limit=limit, offset=offset)


@ROUTES.get("/{job_id}/logs/view", response_model=shapes.LinesOut, example=shapes.LINES)
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
    """What a run wrote, oldest first."""
    async with view.db.read() as db:
        run = await run_logs.find_run(db, str(job_id), execution)
        page = await run_logs.lines(db, run, after=after, which=Which(level, category, action), limit=limit)
    return shapes.run_out(run) | {
        "lines": [shapes.line_out(line) for line in page.lines],
        "next_after": page.lines[-1].id if len(page.lines) == limit else None,
        "total": page.total,
        "limit": limit,
    }


@ROUTES.get("/{job_id}/logs/download", response_class=Response, success="The file.")
async def download(
    job_id: UUID,
    view: View,
    execution: Execution = None,
    form: Annotated[Form, Query(alias="format")] = Form.TEXT,
) -> Response:
    """All that a run wrote, as a file: text, or one JSON object per line."""
    async with view.db.read() as db:
        run = await run_logs.find_run(db, str(job_id), execution)
    name = f"job-{job_id}-run-{run.number}.{_ENDINGS[form]}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(_whole(view, run, form), media_type=_MEDIA_TYPES[form], headers=headers)


@ROUTES.get("/{job_id}/logs/stream", response_class=Response, success="Server-sent events: one line each.")
async def stream(
    job_id: UUID, view: View, streams: OpenStreams, execution: Execution = None, follow: Follow = False
) -> Response:
    """The latest lines of a run, and what it writes from now on; ends with the run."""
    cursor = await _begin(view, job_id, execution, None)
    return streams.respond(_plain(view, streams, cursor, follow=follow))


@ROUTES.get("/{job_id}/logs/stream/v2", response_class=Response, success="Server-sent events with ids and types.")
async def stream_v2(
    job_id: UUID,
    view: View,
    streams: OpenStreams,
    execution: Execution = None,
    follow: Follow = False,
    last_event_id: LastEventId = None,
) -> Response:
    """Lines (`log`), how the run stands (`status`), signs of life (`heartbeat`), and `end` when the run is over.

    Every line has an id; a client that names the last it had (`Last-Event-ID`) is told exactly what followed.
    """
    cursor = await _begin(view, job_id, execution, last_event_id)
    return streams.respond(_typed(view, streams, cursor, follow=follow))


async def _begin(view: ServiceView, job_id: UUID, execution: str | None, last_line: int | None) -> Cursor:
    async with view.db.read() as db:
        return await run_logs.begin(db, str(job_id), execution=execution, last_line=last_line)


async def _read_on(view: ServiceView, cursor: Cursor, *, follow: bool) -> Reading:
    async with view.db.read() as db:
        return await run_logs.read_on(db, cursor, follow=follow)


async def _plain(view: ServiceView, streams: Streams, cursor: Cursor, *, follow: bool) -> Messages:
    heartbeat = Heartbeat(view.clock.monotonic())
    while True:
        cursor, lines, is_over = await _read_on(view, cursor, follow=follow)
        for line in lines:
            yield message(shapes.line_out(line))
        if is_over and not follow:
            return
        if heartbeat.is_due(view.clock.monotonic()):
            yield comment("heartbeat")
        if len(lines) < CHUNK and await streams.wait(POLL_SECONDS):
            return


async def _typed(view: ServiceView, streams: Streams, cursor: Cursor, *, follow: bool) -> Messages:
    heartbeat, told = Heartbeat(view.clock.monotonic()), None
    yield RETRY
    if cursor.run is not None:
        told = shapes.run_out(cursor.run)
        yield message(told, event="status")
    while True:
        cursor, lines, is_over = await _read_on(view, cursor, follow=follow)
        for line in lines:
            yield message(shapes.line_out(line), event="log", last_id=line.id)
        standing = shapes.run_out(cursor.run) if cursor.run is not None else None
        # A run that is over is said to be so when all its lines are told.
        if standing != told and (is_over or standing is None or standing["status"] == "running"):
            told = standing
            yield message(standing, event="status")
        if is_over and not follow:
            yield message(standing or {"status": None}, event="end")
            return
        if heartbeat.is_due(view.clock.monotonic()):
            yield message({"timestamp": view.clock.now()}, event="heartbeat")
        if len(lines) < CHUNK and await streams.wait(POLL_SECONDS):
            return


async def _whole(view: ServiceView, run: CrawlRun, form: Form) -> AsyncGenerator[bytes, None]:
    """Everything a run has written until now, a chunk at a time."""
    after, written = 0, _WRITERS[form]
    while True:
        async with view.db.read() as db:
            lines = await run_log.of_run(db, run.id, after=after, limit=CHUNK)
        if not lines:
            return
        yield b"".join(written(line) for line in lines)
        after = lines[-1].id
