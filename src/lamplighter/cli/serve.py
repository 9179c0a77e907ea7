"""`lamplighter serve`: the web pages and the rounds, in one process."""

import asyncio
import socket
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from typing import Annotated

import typer

from lamplighter.app import Service, open_service, restoring, room_of
from lamplighter.cli import demo, loop
from lamplighter.cli.console import say
from lamplighter.cli.options import Data, NoScheduler, settings_of
from lamplighter.errors import BadSetting
from lamplighter.settings import Settings
from lamplighter.web.access.keys import keys_of
from lamplighter.web.names import is_loopback, netloc
from lamplighter.web.server import WebServer, make_app
from lamplighter.web.view import ServiceView

app = typer.Typer(add_completion=False)


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to bind to.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="Port to bind to.", show_default="8060")] = None,
    data: Data = None,
    no_scheduler: NoScheduler = False,
    with_demo: Annotated[
        bool,
        typer.Option("--demo", help="While nothing else is watched, watch fictional sites served on the next ports."),
    ] = False,
) -> None:
    """Start the service: dashboard, scheduler and workers in one process."""
    settings = settings_of(data, host=host, port=port, no_scheduler=no_scheduler)
    check_access(settings)
    loop.run(_serve(settings, with_demo=with_demo))


def check_access(settings: Settings) -> None:
    """Nothing is opened before it is known who may come in."""
    keys_of(settings)
    if settings.is_dev and not is_loopback(settings.host):
        raise BadSetting(
            f"host {settings.host!r} would let everybody in who can reach it; use 127.0.0.1, or set "
            "LAMPLIGHTER_AUTH_JWT_SECRET (and not LAMPLIGHTER_ENV=dev), so that people log in and programs send tokens"
        )


async def _serve(settings: Settings, *, with_demo: bool) -> None:
    async with AsyncExitStack() as stack:
        listening = stack.enter_context(listen(settings, settings.port, option="--port"))
        addresses = await stack.enter_async_context(demo.web(settings)) if with_demo else ()
        asked = stack.enter_context(_asked_to_stop())
        trouble = None
        while not asked.is_set():
            async with open_service(settings, kind="serve", also_allow=addresses) as service:
                service.restore_desk.trouble = trouble
                if addresses:
                    await _register_demo(service, addresses)
                # Of its own, for the server closes it: who comes between two services waits, and is not turned away.
                await _run(service, listening.dup(), asked)
            if (order := service.restore_desk.order) is None or asked.is_set():
                return
            say(f"Restoring {order.backup.name}.")
            trouble = await restoring.restore(settings, order)


async def _register_demo(service: Service, addresses: Sequence[str]) -> None:
    await demo.register(service.db, service.settings, now=service.clock.now())
    if not service.db.is_sqlite:
        # They are on loopback, which is nobody else's to ask unless somebody says so.
        say(f"Workers beside this one need LAMPLIGHTER_ALLOW_HOSTS={','.join(addresses)} for the demo's sites.")


def listen(settings: Settings, port: int, *, option: str) -> socket.socket:
    """The socket on which requests are heard; `option` is where another port could be chosen."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, port), family=family)
    except OSError as error:
        raise BadSetting(
            f"cannot listen on port {port} of {settings.host} ({error.strerror}); choose another with {option}"
        ) from None


@contextmanager
def _asked_to_stop() -> Iterator[asyncio.Event]:
    """Set when a signal comes, to this service or between it and the next."""
    asked = asyncio.Event()

    def stop() -> None:
        say("Stopping; what is under way is finished first. Ask again to quit at once.")
        asked.set()

    with loop.stopping_on_signals(stop):
        yield asked


async def _run(service: Service, listening: socket.socket, asked: asyncio.Event) -> None:
    server = WebServer(make_app(view_of(service)), grace_seconds=service.settings.grace_seconds)

    async def obey() -> None:
        await asked.wait()
        service.stopping.set()

    async with asyncio.TaskGroup() as group:
        group.create_task(service.run())
        web = group.create_task(server.serve(sockets=[listening]))
        web.add_done_callback(lambda _: service.stopping.set())
        obeying = group.create_task(obey())
        address = service.settings.public_url or f"http://{netloc(service.settings)}/"
        say(f"Lamplighter is making its rounds: {address}")
        await service.stopping.wait()
        server.should_exit = True
        obeying.cancel()


def view_of(service: Service) -> ServiceView:
    """What the web pages and the API may know and do of the service."""
    return ServiceView(
        db=service.db,
        clock=service.clock,
        settings=service.settings,
        norms=service.norms,
        door=service.door,
        archive=service.archive,
        simulator=service.simulator,
        first_looks=service.first_looks,
        proxy_trials=service.proxy_trials,
        proxy_rounds=service.proxy_rounds,
        backup_maker=service.backup_maker,
        restore_desk=service.restore_desk,
        finder=service.index.finder,
        search_server=service.index.server,
        events=service.events.carrier,
        queue=service.queue,
        vault=service.vault,
        secrets=service.secrets,
        mirror=service.mirroring.standing,
        room=lambda: room_of(service.disk, service.archiving, service.parse_phase),
        active_hosts=lambda: len(service.door.turns.held),
        scheduling=lambda: service.gauge.latest,
        watched=lambda: service.watch.latest,
        run_due=service.scheduler.open_due,
        standstill=lambda: service.standstill.current,
        standstill_changed=service.standstill.look,
        sweep_archive=service.retention.sweep,
        sources_changed=service.bells.events.ring,
        jobs_changed=service.bells.jobs.ring,
        hosts_changed=service.bells.hosts.ring,
        tasks_changed=service.bells.tasks.ring,
        messenger=service.messenger,
        notifications_changed=service.bells.notifications.ring,
    )
