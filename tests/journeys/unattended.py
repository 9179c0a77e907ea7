"""A service that is left alone on virtual time: its sites, its loops and what may happen to them."""

import asyncio
import ctypes
import gc
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import sqlalchemy as sa

from lamplighter import telemetry
from lamplighter.adapters.virtual_time import VirtualClock, VirtualTime
from lamplighter.app import Service, database, open_service
from lamplighter.crawl.fetching import fetch_phase
from lamplighter.crawl.fleet import leadership
from lamplighter.crawl.fleet.disk_watch import FreeBytes
from lamplighter.crawl.process.loops import Loop
from lamplighter.crawl.reading import parse_phase
from lamplighter.crawl.reading.reader_messages import Digest, PageWork
from lamplighter.crawl.reading.reader_pool import ReaderPool
from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.sources import sources as operations
from lamplighter.operations.sources.sources import NewSource
from lamplighter.rules.fleet import fleet
from lamplighter.settings import load
from lamplighter.store.engine import sqlite
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import sources
from lamplighter.telemetry import LogFormat
from tests.journeys.access_records import Records
from tests.moments import NOON
from tests.origin import Answer, Origin, Request
from tests.service.sites import posting_html

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
#: what is looked for every second or so is looked for every three minutes, what comes to nothing that day more rarely
LOOK, RARELY = 3 * MINUTE, 15 * MINUTE
_OFTEN = {"alerts", "deliver", "disk", "hand out", "heartbeat", "leads", "notify", "scheduler", "standstill"}
#: waits in the order of seconds, in the places that have them
_SECONDS = (
    (fetch_phase, "CLAIM_EVERY_SECONDS"),
    (fetch_phase, "POLICIES_SECONDS"),
    (fetch_phase, "STEP_SECONDS"),
    (parse_phase, "STEP_SECONDS"),
    (parse_phase, "SWEEP_EVERY_SECONDS"),
)
#: bounded caches, made so small that they are full within the first hour
_CACHES = ((sqlite, "WRITER_CACHE_KB"), (sqlite, "READER_CACHE_KB"))
_CACHE_KB = 512
#: leases and heartbeats last so much longer than the looks at them
_LEASES = ((leadership, "LEASE"), (fleet, "LOST_AFTER"))
LOST_AFTER = 3 * LOOK
SETTINGS: dict[str, Any] = {
    "allow_hosts": "127.0.0.0/8",
    "contact_url": "https://lamplighter.example/bot",
    "contact_email": "owner@lamplighter.example",
    "policy": "fixed",
    "fetch_slots": 32,
    "lease_seconds": 600,
    "request_retries": 0,
    "page_retries": 0,
    "poll_seconds": LOOK.total_seconds(),
    "metrics_seconds": LOOK.total_seconds(),
    "reconcile_minutes": 60,
    "run_log_days": 0.25,
}


class Site:
    """A page with a posting, until something happens to it."""

    def __init__(self, number: int, origin: Origin, path: str = "/", *, records: Records) -> None:
        self.name = f"Site {number:03}"
        self.origin = origin
        self._records = records
        self.url = origin.url + path
        #: what watches it; set when it does
        self.source: Source
        #: answered instead of the page
        self.trouble: Answer | None = None
        #: answered instead of the robots.txt
        self.robots_trouble: Answer | None = None
        self._page = posting_html(number).replace('<a href="/jobs">All jobs</a>', "").encode()
        origin.route(path, self._answer)
        origin.route("/robots.txt", lambda _: self.robots_trouble or Answer(status=404))

    @property
    def subject(self) -> str:
        """How alerts name its source."""
        return f"source:{self.source.public_id}"

    @property
    def host_subject(self) -> str:
        """How alerts name its host."""
        return f"host:{self.origin.address}"

    def _answer(self, request: Request) -> Answer:
        self._records.take_from(self.origin)
        if self.trouble is not None:
            return self.trouble
        if request.headers.get("if-none-match") == '"1"':
            return Answer(status=304)
        return Answer(headers={"Content-Type": "text/html", "ETag": '"1"'}, body=self._page)


class Told(NamedTuple):
    """What a receiver was told."""

    key: str
    event: str
    #: the alert or the source
    about: str


class Hook:
    """A receiver of webhooks that remembers what it answered 200."""

    def __init__(self, origin: Origin, *, status: int = 200) -> None:
        self.origin = origin
        self.url = f"{origin.url}/hook"
        self.told: list[Told] = []
        self.tries = 0
        self._status = status
        origin.route("/hook", self._hear)

    def _hear(self, request: Request) -> Answer:
        self.origin.log.clear()
        self.tries += 1
        if self._status == 200:
            said = json.loads(request.body)
            about = said["data"].get("alert") or said["data"]["source"]["id"]
            self.told.append(Told(request.headers["idempotency-key"], said["event"], about))
        return Answer(status=self._status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """What the process takes up at an hour of the day."""

    hour: int

    rss_mb: float
    #: pieces of memory that Python has given out, down to the last string
    blocks: int
    open_files: int
    tasks: int


def weigh(hour: int) -> Weight:
    """After a sweep: what only waits to be collected, or to be given back to the system, is no leak."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Weight(
        hour=hour,
        rss_mb=pages * os.sysconf("SC_PAGE_SIZE") / 1024**2,
        blocks=sys.getallocatedblocks(),
        open_files=len(os.listdir("/proc/self/fd")),
        tasks=len(asyncio.all_tasks()),
    )


class Household:
    """The service and what tests do to it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.db = service.db
        #: names of loops whose steps come to nothing
        self.stuck: set[str] = set()
        service.loops = [self._slowed(loop) for loop in service.loops]

    def _slowed(self, loop: Loop) -> Loop:
        async def step() -> None:
            if loop.name not in self.stuck:
                await loop.step()

        least = LOOK if loop.name in _OFTEN else RARELY
        return replace(loop, step=step, seconds=max(loop.seconds, least.total_seconds()))

    @property
    def now(self) -> datetime:
        """By the clock of the service."""
        return self.service.clock.now()

    async def sleep_until(self, hour: float) -> None:
        """Waits until so many hours after the beginning."""
        await asyncio.sleep(max(0.0, (NOON + hour * HOUR - self.now).total_seconds()))

    async def watch(self, *sites: Site, interval: timedelta) -> None:
        """Has sites watched, each as a source of the same name."""

        async def work(db: Connection) -> None:
            for site in sites:
                new = NewSource(url=site.url, name=site.name, interval=interval)
                source_id = await operations.add(db, new, stamp=Stamp("test", self.now))
                source = await sources.get(db, source_id)
                assert source is not None
                site.source = source

        await self.db.write(work)
        self.service.bells.events.ring()

    async def rows(self, table: sa.Table) -> list[Any]:
        """All rows of a table, in the order in which they came."""
        async with self.db.read() as db:
            return list((await db.execute(sa.select(table).order_by(*table.primary_key.columns))).all())


def virtual_loop(patches: pytest.MonkeyPatch) -> VirtualTime:
    """A loop on whose time all that follows goes by, where it would else go by real time."""
    telemetry.configure("error", LogFormat.JSON)
    loop = VirtualTime()
    patches.setattr(database, "DatabaseClock", lambda _: VirtualClock(NOON, loop))
    read = ReaderPool.read

    async def read_really(pool: ReaderPool, batch: list[PageWork], **how: Any) -> list[Digest]:
        with loop.real_work():
            return await read(pool, batch, **how)

    patches.setattr(ReaderPool, "read", read_really)
    for module, name in _SECONDS:
        patches.setattr(module, name, LOOK.total_seconds())
    for module, name in _LEASES:
        patches.setattr(module, name, LOST_AFTER)
    for module, name in _CACHES:
        patches.setattr(module, name, _CACHE_KB)
    return loop


@asynccontextmanager
async def left_alone(folder: Path, *, free_bytes: FreeBytes) -> AsyncIterator[Household]:
    """A service that makes its rounds while the block lasts."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTime)
    settings = load({}, data_dir=folder, **SETTINGS)
    async with open_service(settings, kind="serve", free_bytes=free_bytes) as service:
        household = Household(service)
        rounds = asyncio.create_task(service.run())
        yield household
        with loop.real_work():
            service.stopping.set()
            await rounds
