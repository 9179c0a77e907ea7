"""`/metrics`: what this process counted and the gauges it keeps, for Prometheus."""

import asyncio
from collections.abc import Callable

from fastapi import Request, Response
from prometheus_client import CollectorRegistry, exposition
from prometheus_client.openmetrics import exposition as openmetrics

from lamplighter.metrics import REGISTRY
from lamplighter.web.api.routes import Routes

PATH = "/metrics"
ROUTES = Routes("", tag="system")


@ROUTES.get(PATH, include_in_schema=False)
async def metrics(request: Request) -> Response:
    """All metrics, as OpenMetrics for those who ask for that, else in Prometheus' own text format."""
    write: Callable[[CollectorRegistry], bytes]
    if "application/openmetrics-text" in request.headers.get("accept", ""):
        write, media_type = openmetrics.generate_latest, openmetrics.CONTENT_TYPE_LATEST
    else:
        write, media_type = exposition.generate_latest, exposition.CONTENT_TYPE_PLAIN_0_0_4
    # With hundreds of sources this is half a megabyte of text; nobody else waits for it.
    return Response(await asyncio.to_thread(write, REGISTRY), media_type=media_type)
