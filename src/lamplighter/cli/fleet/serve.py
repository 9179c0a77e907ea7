"""`lamplighter serve`: the web server, the scheduler and the workers in one process."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import Annotated
from urllib.parse import urlsplit

import typer

from lamplighter.app import Service, open_service, restoring
from lamplighter.app.sole_service import sole_service
from lamplighter.app.web_view import view_of
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import say
from lamplighter.cli.terminal.options import Data, NoScheduler, settings_of
from lamplighter.errors import BadSetting
from lamplighter.settings import Settings
from lamplighter.web.access.host_names import is_loopback, netloc
from lamplighter.web.access.sessions import keys_of
from lamplighter.web.monitoring.monitors import monitors_of
from lamplighter.web.server import AppOnDemand, WebServer

app = typer.Typer(add_completion=False)
Work = Callable[[], Awaitable[None]]


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to bind to.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="Port to bind to.", show_default="8060")] = None,
    data: Data = None,
    no_scheduler: NoScheduler = False,
    with_demo: Annotated[
        bool,
        typer.Option("--demo", help="Crawl fictional sites on the next ports while there are no other sources."),
    ] = False,
) -> None:
    """Start the service: dashboard, scheduler and workers in one process."""
    settings = settings_of(data, host=host, port=port, no_scheduler=no_scheduler)
    check_access(settings)
    loop.run(_serve(settings, with_demo=with_demo))


def check_access(settings: Settings) -> None:
    """Refuses a public address without authentication, before anything is opened."""
    keys_of(settings)
    if not settings.is_dev:
        return
    remedy = (
        "set LAMPLIGHTER_AUTH_JWT_SECRET (and not LAMPLIGHTER_ENV=dev), so that people log in and programs send tokens"
    )
    if not is_loopback(settings.host):
        raise BadSetting(
            f"host {settings.host!r} would give access to everyone who can reach it; use 127.0.0.1, or {remedy}"
        )
    if settings.public_url is not None and not is_loopback(urlsplit(settings.public_url).hostname or ""):
        raise BadSetting(
            f"{settings.variable_of('public_url')}={settings.public_url} says that others reach this service, and "
            f"without a login all of them would be admin; {remedy}, or unset it"
        )


async def _serve(settings: Settings, *, with_demo: bool) -> None:
    async with AsyncExitStack() as stack:
        stack.enter_context(sole_service(settings))
        listening = stack.enter_context(listen(settings, settings.port, option="--port"))
        addresses = await stack.enter_async_context(_demo_web(settings)) if with_demo else ()
        stop_requested = stack.enter_context(_stop_requested())
        trouble = None
        while not stop_requested.is_set():
            async with open_service(settings, kind="serve", also_allow=addresses) as service:
                service.storing.restore_orders.trouble = trouble
                before = await _register_demo(service, addresses) if addresses else None
                # A duplicate, because the server closes it: a client that connects between two services waits.
                await _run(service, listening.dup(), stop_requested, before=before)
            if (order := service.storing.restore_orders.order) is None or stop_requested.is_set():
                return
            say(f"Restoring {order.backup.name}.")
            trouble = await restoring.restore(settings, order)


def _demo_web(settings: Settings) -> AbstractAsyncContextManager[Sequence[str]]:
    from lamplighter.cli.sources import demo  # most services have none

    return demo.web(settings)


async def _register_demo(service: Service, addresses: Sequence[str]) -> Work | None:
    """Registers the demo's sources; returns what makes their past, if they are to have one."""
    from lamplighter.cli.sources import demo

    has_past = await demo.register(service.db, service.settings, now=service.clock.now())
    if not service.db.is_sqlite:
        # The sites are on loopback, which other processes do not fetch unless a setting allows it.
        say(f"Additional workers need LAMPLIGHTER_ALLOW_HOSTS={','.join(addresses)} for the demo's sites.")
    demo.say_addresses(service.settings)
    return partial(demo.make_past, service.settings, stopping=service.stopping) if has_past else None


def listen(settings: Settings, port: int, *, option: str) -> socket.socket:
    """Opens the listening socket; `option` is the option that sets another port."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, port), family=family)
    except OSError as error:
        raise BadSetting(
            f"cannot listen on port {port} of {settings.host} ({error.strerror}); choose another with {option}"
        ) from None


@contextmanager
def _stop_requested() -> Iterator[asyncio.Event]:
    """An event that a signal sets, also between a service and the next one."""
    stop_requested = asyncio.Event()

    def stop() -> None:
        say("Stopping after the work in progress. Interrupt again to quit at once.")
        stop_requested.set()

    with loop.stopping_on_signals(stop):
        yield stop_requested


async def _run(
    service: Service, listening: socket.socket, stop_requested: asyncio.Event, *, before: Work | None
) -> None:
    """Serves the pages at once, and crawls as soon as `before` is done."""
    server = WebServer(AppOnDemand(view_of(service)), grace_seconds=service.settings.grace_seconds)

    async def obey() -> None:
        await stop_requested.wait()
        service.stopping.set()

    async def crawl() -> None:
        if before is not None:
            await before()
        await service.run()

    async with asyncio.TaskGroup() as group:
        group.create_task(crawl())
        web = group.create_task(server.serve(sockets=[listening]))
        web.add_done_callback(lambda _: service.stopping.set())
        obeying = group.create_task(obey())
        address = service.settings.public_url or f"http://{netloc(service.settings)}/"
        say(f"Lamplighter is running: {address}")
        await service.stopping.wait()
        server.should_exit = True
        obeying.cancel()


@asynccontextmanager
async def answering_monitors(service: Service, *, port: int) -> AsyncIterator[None]:
    """Serves /metrics and /health of a worker on this port within the context, with the access rules of `serve`."""
    settings = service.settings
    check_access(settings)
    with listen(settings, port, option="LAMPLIGHTER_METRICS_PORT") as listening:
        server = WebServer(monitors_of(view_of(service)), grace_seconds=settings.grace_seconds)
        async with asyncio.TaskGroup() as group:
            group.create_task(server.serve(sockets=[listening]))
            try:
                yield
            finally:
                server.should_exit = True
