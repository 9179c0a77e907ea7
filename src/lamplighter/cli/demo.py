"""The demo: fictional sites on loopback, watched when there is nothing else to watch."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

from lamplighter.app import open_store
from lamplighter.cli.console import say
from lamplighter.demo.registration import DemoSource
from lamplighter.demo.registration import demo_sources as planned_for
from lamplighter.demo.web import DemoWeb
from lamplighter.operations import demo_sources, hosts, sources
from lamplighter.rules import urls
from lamplighter.settings import Settings
from lamplighter.store import sources as stored_sources
from lamplighter.store.database import Connection, Database

_ACTOR = "demo"


@asynccontextmanager
async def web(settings: Settings) -> AsyncIterator[tuple[str, ...]]:
    """The demo's sites while the context lasts, as host:port; none when the database watches only other things."""
    if not await _is_wanted(settings):
        say(
            f"The demo's sites are not served: {settings.data_dir} watches others. Another folder brings them: "
            "make run DATA=data/demo, or lamplighter serve --demo --data data/demo."
        )
        yield ()
        return
    first_port = settings.port + 1
    async with DemoWeb(first_port):
        yield tuple(urls.parse(source.url).host_key for source in planned_for(first_port))


async def register(db: Database, settings: Settings, *, now: datetime) -> None:
    """Watches the demo's sites, once; a demo that was registered for other ports moves to these."""
    wanted = planned_for(settings.port + 1)

    async def work(connection: Connection) -> None:
        known = {source.url for source in await demo_sources.registered(connection)}
        if known and known <= {source.url for source in wanted}:
            return
        await demo_sources.remove(connection, actor=_ACTOR, now=now)
        for source in wanted:
            await _add(connection, source, now=now)

    await db.write(work)


async def opened(db: Database) -> tuple[str, ...]:
    """The demo's sites that are watched, as host:port: `serve --demo` may ask them though they are on loopback."""
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
        recipe=source.recipe,
        interval=source.interval,
        tags=source.tags,
    )
    await sources.add(db, new, actor=_ACTOR, now=now)
    delay_ms = round(source.min_delay.total_seconds() * 1000)
    key = urls.parse(source.url).host_key
    await hosts.set_policy(db, key, actor=_ACTOR, now=now, min_delay_ms=delay_ms, max_pages=source.max_pages)
