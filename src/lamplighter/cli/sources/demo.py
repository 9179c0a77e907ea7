"""The demo: fictional sites on loopback, crawled while there are no other sources."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from lamplighter.app import open_store
from lamplighter.cli.terminal.console import say
from lamplighter.crawl.planning.source_defaults import SourceDefaults
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

#: the intervals of the demo are learned; none is shorter
_LEAST = timedelta(minutes=5)
#: in a past that is made in advance, so that six weeks take seconds
_LEAST_IN_PAST, _MOST_IN_PAST = timedelta(hours=36), timedelta(days=2)
_PAGES_IN_PAST = 14
ACTOR = "demo"


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


async def register(db: Database, settings: Settings, *, now: datetime) -> bool:
    """Adds the demo's sites as sources once, and updates their ports; returns whether their past is to be made.

    A past that was not finished is begun anew.
    """
    days = 0.0 if settings.disable_scheduler or not db.is_sqlite else settings.demo_past_days
    wanted = planned_for(settings.port + 1, has_past=days > 0)

    async def work(connection: Connection) -> bool:
        watched = await demo_sources.registered(connection)
        past = await demo_sources.past_of(connection, watched)
        is_whole = past is None or past.is_made
        if watched and is_whole and {source.url for source in watched} <= {source.url for source in wanted}:
            return False
        await demo_sources.remove(connection, stamp=Stamp(ACTOR, now))
        since = now - timedelta(days=days)
        for source in wanted:
            await _add(connection, source, has_past=days > 0, now=since)
        if days > 0:
            await demo_sources.begin_past(connection, since=since, stamp=Stamp(ACTOR, now))
        return days > 0

    return await db.write(work)


async def make_past(settings: Settings, *, stopping: asyncio.Event) -> None:
    """Has another process make the past of the registered sources; returns when it has ended, or when we stop."""
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "LAMPLIGHTER_DATA_DIR": str(settings.data_dir),
        "LAMPLIGHTER_PORT": str(settings.port),
    }
    command = (sys.executable, "-m", "lamplighter.cli.sources.demo_past")
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, env=env)
    ended, stopped = asyncio.create_task(process.wait()), asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait((ended, stopped), return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped.cancel()
        if process.returncode is None:
            process.kill()
        await ended
    if process.returncode and not stopping.is_set():
        say(f"The demo's past was not made (exit code {process.returncode}); the next start tries again.")


async def set_pace(db: Connection, settings: Settings, *, source_defaults: SourceDefaults, stamp: Stamp) -> None:
    """Has them run as often, follow as many links and fetch as many pages as in a demo without a past."""
    for planned in planned_for(settings.port + 1, has_past=True):
        watched = await stored_sources.by_url(db, planned.url)
        if watched is not None:
            becomes = partial(
                replace, min_interval=_LEAST, max_interval=planned.max_interval, max_depth=planned.max_depth
            )
            await sources.change(db, watched, becomes, source_defaults=source_defaults, stamp=stamp)
            key = urls.parse(planned.url).host_key
            await hosts.set_policy(db, key, HostChange(max_pages=planned.max_pages), stamp=stamp)


def say_addresses(settings: Settings) -> None:
    """Names the sites with their addresses, for whoever wants to look at what is crawled."""
    planned = planned_for(settings.port + 1)
    longest = max(len(source.name) for source in planned)
    say("The demo's sites, which are crawled:")
    for source in planned:
        say(f"  {source.name:{longest}}  {source.url}")


async def opened(db: Database) -> tuple[str, ...]:
    """The demo's sites as host:port, which `serve --demo` may fetch although they are on loopback."""
    async with db.read() as connection:
        watched = await demo_sources.registered(connection)
    return tuple(urls.parse(source.url).host_key for source in watched)


async def _is_wanted(settings: Settings) -> bool:
    async with open_store(settings) as store, store.db.read() as db:
        return not await stored_sources.count(db) or bool(await demo_sources.registered(db))


async def _add(db: Connection, source: DemoSource, *, has_past: bool, now: datetime) -> None:
    new = sources.NewSource(
        url=source.url,
        name=source.name,
        kind=source.kind,
        recipe=source.recipe or {},
        max_depth=source.past_depth if has_past else source.max_depth,
        # The intervals are learned: set ones would be kept.
        min_interval=_LEAST_IN_PAST if has_past else _LEAST,
        max_interval=_MOST_IN_PAST if has_past else source.max_interval,
        tags=source.tags,
    )
    await sources.add(db, new, stamp=Stamp(ACTOR, now))
    delay_ms = round(source.min_delay.total_seconds() * 1000)
    max_pages = min(_PAGES_IN_PAST, source.max_pages) if has_past else source.max_pages
    policy = HostChange(min_delay_ms=delay_ms, max_pages=max_pages)
    await hosts.set_policy(db, urls.parse(source.url).host_key, policy, stamp=Stamp(ACTOR, now))
