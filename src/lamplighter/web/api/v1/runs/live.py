"""Live event streams for dashboards."""

from typing import Any

from fastapi.responses import Response

from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.jobs import schedule
from lamplighter.operations.runs.live import LiveEvent, LiveWatch
from lamplighter.store.runs.live_changes import SeenRun
from lamplighter.web.api import event_stream as sse
from lamplighter.web.api.v1.jobs.scheduler import metrics_out
from lamplighter.web.api.v1.runs.executions import status_of
from lamplighter.web.monitoring import health
from lamplighter.web.routes import Routes
from lamplighter.web.view import ServiceView, View

ROUTES = Routes("", tag="live")


@ROUTES.get("/sse/crawler/events", response_class=Response, success="Server-sent events.")
@ROUTES.get("/api/crawler/events", response_class=Response, success="Server-sent events.")
async def crawler(view: View, streams: sse.OpenStreams) -> Response:
    """`execution_started`, `execution_finished` and `job_changed`, within a second or two of each."""
    # Begun before the response, so that the client misses nothing after it starts.
    watch = await view.read(lambda db: LiveWatch.begun(db))
    return sse.SseStream(streams, _crawler(view, streams, watch))


@ROUTES.get("/sse/health/events", response_class=Response, success="Server-sent events.")
@ROUTES.get("/api/health/events", response_class=Response, success="Server-sent events.")
async def health_events(view: View, streams: sse.OpenStreams) -> Response:
    """`health`: the body of /health, every 15 seconds, and when its status changes."""
    return sse.SseStream(streams, _health(view, streams))


@ROUTES.get("/sse/metrics/events", response_class=Response, success="Server-sent events.")
@ROUTES.get("/api/metrics/events", response_class=Response, success="Server-sent events.")
async def metrics(view: View, streams: sse.OpenStreams) -> Response:
    """`metrics`: the body of /api/v1/scheduler/metrics, at each update."""
    return sse.SseStream(streams, _metrics(view, streams))


async def _crawler(view: ServiceView, streams: sse.Streams, watch: LiveWatch) -> sse.Messages:
    yield sse.RETRY
    heartbeat = sse.Heartbeat(view.clock.monotonic())
    while not await streams.wait(sse.POLL_SECONDS):
        happened = await view.read(lambda db: watch.look(db, now=view.clock.now()))
        for each in happened:
            yield sse.message(_payload(each), event=each.kind)
        if heartbeat.is_due(view.clock.monotonic()):
            yield sse.message({"timestamp": view.clock.now()}, event="heartbeat")


async def _health(view: ServiceView, streams: sse.Streams) -> sse.Messages:
    yield sse.RETRY
    heartbeat, last_sent = sse.Heartbeat(view.clock.monotonic()), None
    while True:
        # The stream repeats what /health responds, good or bad.
        _, known = await health.look(view, with_parts=True)
        is_due = heartbeat.is_due(view.clock.monotonic())
        if known["status"] != last_sent or is_due:
            last_sent = known["status"]
            yield sse.message(known, event="health")
        if await streams.wait(sse.HEARTBEAT_SECONDS / 5):
            return


async def _metrics(view: ServiceView, streams: sse.Streams) -> sse.Messages:
    yield sse.RETRY
    while True:
        found = await view.read(lambda db: schedule.metrics(db, view.crawl.scheduling(), now=view.clock.now()))
        yield sse.message(metrics_out(found), event="metrics")
        if await streams.wait(view.settings.metrics_seconds):
            return


def _payload(event: LiveEvent) -> dict[str, Any]:
    about = event.about
    if isinstance(about, SeenRun):
        return {
            "execution_id": about.public_id,
            "job_id": about.job,
            "source_id": about.source,
            "source_name": about.source_name,
            "execution_number": about.number,
            "trigger": about.trigger,
            "status": status_of(RunOutcome(about.outcome) if about.outcome else None),
            "started_at": about.started_at,
            "completed_at": about.finished_at,
            "message": about.message,
        }
    return {
        "job_id": about.public_id,
        "source_id": about.source,
        "source_name": about.source_name,
        "status": about.state,
        "since": about.state_since,
        "pause_reason": about.pause_reason,
        "next_run_at": about.next_run_at,
    }
