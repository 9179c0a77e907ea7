"""`/metrics`: the counters and gauges of this process, for Prometheus."""

import asyncio
from collections.abc import Callable

from prometheus_client import CollectorRegistry, exposition
from prometheus_client.openmetrics import exposition as openmetrics
from starlette.requests import Request
from starlette.responses import Response

from lamplighter.metrics import REGISTRY

PATH = "/metrics"


async def metrics(request: Request) -> Response:
    """All metrics, as OpenMetrics if the client accepts it, else in the Prometheus text format."""
    write: Callable[[CollectorRegistry], bytes]
    if "application/openmetrics-text" in request.headers.get("accept", ""):
        write, media_type = openmetrics.generate_latest, openmetrics.CONTENT_TYPE_LATEST
    else:
        write, media_type = exposition.generate_latest, exposition.CONTENT_TYPE_PLAIN_0_0_4
    # With hundreds of sources this is half a megabyte of text; a thread keeps the event loop free.
    return Response(await asyncio.to_thread(write, REGISTRY), media_type=media_type)
