"""The demo: fictional sites on loopback, crawled while there are no other sources."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from lamplighter.app import open_store
from lamplighter.cli.terminal.console import say
from lamplighter.demo.registration import DemoSource
from lamplighter.demo.registration import demo_sources as planned_for
from lamplighter.demo.web import DemoWeb
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.operations.hosts import hosts
from lamplighter.operations.sources import demo_sources, sources
from lamplighter.rules.urls import urls
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.sources import sources as stored_sources

#: between these the intervals of the demo are learned
_LEAST, _MOST = timedelta(minutes=5), timedelta(days=1)
_ACTOR = "demo"


@asynccontextmanager
async def web(settings: Settings) -> AsyncIterator[tuple[str, ...]]:
    """Serves the demo's sites while the context lasts, as host:port; none if the database has other sources."""
    if not await _is_wanted(settings):
        say(
            f"The demo's sites are not served: {settings.data_dir} has other sources. Use another folder for the demo: "
            "make run DATA=data/demo, or lamplighter serve --demo --data data/demo."
        )
        yield ()
        return
    first_port = settings.port + 1
    async with DemoWeb(first_port):
        yield tuple(urls.parse(source.url).host_key for source in planned_for(first_port))


async def register(db: Database, settings: Settings, *, now: datetime) -> None:
    """Adds the demo's sites as sources once, and updates their ports."""
    wanted = planned_for(settings.port + 1)

    async def work(connection: Connection) -> None:
        known = {source.url for source in await demo_sources.registered(connection)}
        if known and known <= {source.url for source in wanted}:
            return
        await demo_sources.remove(connection, stamp=Stamp(_ACTOR, now))
        for source in wanted:
            await _add(connection, source, now=now)

    await db.write(work)


async def opened(db: Database) -> tuple[str, ...]:
    """The demo's sites as host:port, which `serve --demo` may fetch although they are on loopback."""
    async with db.read() as connection:
        watched = await demo_sources.registered(connection)
    return tuple(urls.parse(source.url).host_key for source in watched)


async def _is_wanted(settings: Settings) -> bool:
    async with open_store(settings) as store, store.db.read() as db:
        return not await stored_sources.count(db) or bool(await demo_sources.registered(db))


async def _add(db: Connection, source: DemoSource, *, now: datetime) -> None:
    new = sources.NewSource(
        url=source.url,
        name=source.name,
        kind=source.kind,
        recipe=source.recipe or {},
        # The intervals are learned: set ones would be kept.
        min_interval=_LEAST,
        max_interval=_MOST,
        tags=source.tags,
    )
    await sources.add(db, new, stamp=Stamp(_ACTOR, now))
    delay_ms = round(source.min_delay.total_seconds() * 1000)
    key = urls.parse(source.url).host_key
    policy = HostChange(min_delay_ms=delay_ms, max_pages=source.max_pages)
    await hosts.set_policy(db, key, policy, stamp=Stamp(_ACTOR, now))
