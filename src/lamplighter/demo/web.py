"""Serves the demo sites on loopback, one port each, inside the running event loop."""

import asyncio
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lamplighter.demo.page import TEXT, DemoPage, DemoRequest, Site
from lamplighter.demo.sites import SITES
from lamplighter.demo.timeline import EPOCH
from lamplighter.errors import BadSetting

Now = Callable[[], datetime]

_MAX_AGE_SECONDS = 60
_COMPRESSED_FROM_BYTES = 1000


def _now() -> datetime:
    return datetime.now(UTC)


class DemoWeb:
    """All demo sites, from `first_port` upwards, while the context lasts."""

    def __init__(self, first_port: int, host: str = "127.0.0.1", clock: Now = _now) -> None:
        self._addresses = [(host, first_port + offset) for offset in range(len(SITES))]
        self._clock = clock
        self._servers: list[_QuietServer] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> "DemoWeb":
        sockets = _bind_all(self._addresses)
        for site, sock in zip(SITES, sockets, strict=True):
            server = _QuietServer(_config(site, self._clock))
            self._servers.append(server)
            self._tasks.append(asyncio.create_task(server.serve(sockets=[sock]), name=f"demo site {site.name}"))
        try:
            while not all(server.started for server in self._servers):
                await self._raise_if_one_ended()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop()

    async def _stop(self) -> None:
        for server in self._servers:
            server.should_exit = True
        await asyncio.gather(*self._tasks)

    async def _raise_if_one_ended(self) -> None:
        done, _ = await asyncio.wait(self._tasks, timeout=0.01, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()


class _QuietServer(uvicorn.Server):
    """A server that leaves the signals to the service it is part of."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(site: Site, clock: Now) -> uvicorn.Config:
    return uvicorn.Config(
        _application(site, clock),
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )


def _bind_all(addresses: list[tuple[str, int]]) -> list[socket.socket]:
    """Binds every port before any server starts, so that a port in use leaves nothing half open."""
    bound: list[socket.socket] = []
    for host, port in addresses:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        bound.append(sock)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, port))
        except (OSError, OverflowError) as error:
            for opened in bound:
                opened.close()
            raise BadSetting(
                f"The demo web cannot use port {port} on {host} ({error}). It needs {len(addresses)} free ports in a "
                f"row from {addresses[0][1]}; choose another --port, or leave the demo out with DEMO=0."
            ) from error
    return bound


def _application(site: Site, clock: Now) -> Starlette:
    async def answer(request: Request) -> Response:
        ask = DemoRequest(
            base=f"http://{request.url.netloc}", path=request.url.path, query=request.query_params, now=clock()
        )
        return answer_of(site, ask, request.headers)

    return Starlette(
        routes=[Route("/{path:path}", answer)],
        middleware=[Middleware(GZipMiddleware, minimum_size=_COMPRESSED_FROM_BYTES)],
    )


def answer_of(site: Site, ask: DemoRequest, headers: Mapping[str, str]) -> Response:
    """A site's response to a request with these headers, whose names are in lower case."""
    return _response(_page_of(site, ask), headers)


def _page_of(site: Site, ask: DemoRequest) -> DemoPage:
    if ask.path == "/robots.txt":
        # A Sitemap line needs a full address (sitemaps.org), and only the request tells our port.
        robots = site.robots.replace("Sitemap: /", f"Sitemap: {ask.base}/")
        return DemoPage(body=robots, changed_at=EPOCH, media_type=TEXT)
    missing = DemoPage(body="There is no such page here.\n", changed_at=EPOCH, media_type=TEXT, status=404)
    return site.page(ask) or missing


def _response(page: DemoPage, headers: Mapping[str, str]) -> Response:
    if page.status != 200:
        return Response(page.body, page.status, media_type=page.media_type)
    validators = {
        "ETag": page.etag,
        "Last-Modified": format_datetime(page.changed_at, usegmt=True),
        "Cache-Control": f"max-age={_MAX_AGE_SECONDS}",
    }
    if is_not_modified(page, headers):
        return Response(status_code=304, headers=validators)
    return Response(page.body, headers=validators, media_type=page.media_type)


def is_not_modified(page: DemoPage, headers: Mapping[str, str]) -> bool:
    """Does the client already have this page? (RFC 9110, section 13.2.2: the ETag decides when both are sent.)"""
    if (tags := headers.get("if-none-match")) is not None:
        known = {tag.strip().removeprefix("W/") for tag in tags.split(",")}
        return "*" in known or page.etag.removeprefix("W/") in known
    if (since := headers.get("if-modified-since")) is not None:
        return _is_before_or_at(page.changed_at, since)
    return False


def _is_before_or_at(moment: datetime, http_date: str) -> bool:
    try:
        parsed = parsedate_to_datetime(http_date)
    except ValueError:
        return False
    # "-0000" parses without a zone; HTTP dates are always GMT.
    return moment <= (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC))
