"""Makes the past of the demo, in a process of its own: its service lives through days that are over.

The sites answer in this process, at the time of its clock; nothing else is asked. The rest is the service that runs
every day: scheduler, fetch phase, readers, sinks, alerts.
"""

import os
import threading
from datetime import timedelta

from lamplighter.app import Service
from lamplighter.app.past import Act, live
from lamplighter.cli.sources.demo import ACTOR, set_pace
from lamplighter.cli.terminal.options import load_settings
from lamplighter.demo.past import PastEvents, PastWeb
from lamplighter.demo.registration import demo_sources as planned_for
from lamplighter.model.access import Stamp
from lamplighter.operations.jobs import jobs
from lamplighter.operations.sources import demo_sources
from lamplighter.operations.sources.demo_sources import DemoPast
from lamplighter.rules.urls import urls
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.sources import sources as stored_sources

#: so long before the present the sources begin to run as often as they change
_ARRIVAL = timedelta(minutes=90)
#: of the runs that they begin with
_DEADLINE = timedelta(hours=1)
#: the page that the service shows meanwhile comes first
_NICE = 5
#: what other processes and servers must not hear of
_ALONE = {
    "events_url": None,
    "queue_url": None,
    "tracing_url": None,
    "redis_storage_enabled": False,
    "proxies_enabled": False,
    "contact_url": None,
    "contact_email": None,
}


def make(settings: Settings, past: DemoPast) -> None:
    """Makes it, for the registered sources; it ends early when somebody removes them, or adds another."""
    first_port = settings.port + 1
    hosts = [urls.parse(source.url).host_key for source in planned_for(first_port)]

    async def is_alone(db: Connection) -> bool:
        watched = await demo_sources.registered(db)
        return bool(watched) and len(watched) == await stored_sources.count(db)

    async def arrive(service: Service) -> None:
        async def work(db: Connection) -> None:
            stamp = Stamp(ACTOR, service.clock.now())
            await set_pace(db, settings, source_defaults=service.source_defaults, stamp=stamp)
            for source in await demo_sources.registered(db) if await is_alone(db) else ():
                if (job := await crawl_jobs.of_source(db, source.id)) is not None:
                    await jobs.force_run(
                        db, job, stamp=stamp, deadline=_DEADLINE, source_defaults=service.source_defaults
                    )

        await service.db.write(work)
        service.bells.hosts.ring()

    async def finish(service: Service) -> None:
        made = past._replace(until=service.clock.now())

        async def work(db: Connection) -> None:
            if await demo_sources.registered(db):
                await demo_sources.end_past(db, made, stamp=Stamp(ACTOR, made.until))

        await service.db.write(work)

    live(
        settings.model_copy(update=_ALONE),
        lambda now: PastWeb(first_port, PastEvents.before(past.until), clock=now),
        since=past.since,
        acts=[Act(past.until - _ARRIVAL, arrive), Act(past.until, finish)],
        hosts=hosts,
        may_go_on=is_alone,
    )


def _end_with_parent() -> None:
    # Not sys.stdin, which the interpreter could not close while it is read.
    while os.read(0, 1):
        pass
    os._exit(1)


def main() -> None:
    """The past that the database says is to be made; the process that started us holds our standard input."""
    import asyncio

    from lamplighter.app import open_store

    os.nice(_NICE)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    settings = load_settings()

    async def wanted() -> DemoPast | None:
        async with open_store(settings) as store, store.db.read() as db:
            return await demo_sources.past_of(db, await demo_sources.registered(db))

    if (past := asyncio.run(wanted())) is not None and not past.is_made:
        make(settings, past)


if __name__ == "__main__":
    main()
