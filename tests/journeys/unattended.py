"""A service that is left alone on virtual time: its sites, its loops and what may happen to them."""

import asyncio
import gc
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter import telemetry
from lamplighter.app import Service, open_service, opening
from lamplighter.crawl.digest import Digest, PageWork
from lamplighter.crawl.disk_watch import FreeBytes
from lamplighter.crawl.loops import Loop
from lamplighter.crawl.reader_pool import ReaderPool
from lamplighter.operations import sources as operations
from lamplighter.operations.sources import NewSource
from lamplighter.settings import load
from lamplighter.store import sources
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow
from lamplighter.telemetry import LogFormat
from tests.crawl.sites import posting_html
from tests.journeys.virtual_time import VirtualClock, VirtualTime
from tests.moments import NOON
from tests.origin import Answer, Origin, Request

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
#: what is looked for every second or so is looked for every two minutes, what comes to nothing that day more rarely
LOOK, RARELY = 2 * MINUTE, 10 * MINUTE
_OFTEN = {"alerts", "deliver", "disk", "hand out", "heartbeat", "leads", "notify", "scheduler", "standstill"}
#: waits in the order of seconds, in the places that have them
_SECONDS = (
    "lamplighter.crawl.fetch_phase._CLAIM_EVERY_SECONDS",
    "lamplighter.crawl.fetch_phase._POLICIES_SECONDS",
    "lamplighter.crawl.parse_phase._SWEEP_EVERY_SECONDS",
)
#: leases and heartbeats last so much longer than the looks at them
_LEASES = ("lamplighter.crawl.leadership.LEASE", "lamplighter.rules.fleet.LOST_AFTER")
LOST_AFTER = 3 * LOOK
SETTINGS: dict[str, Any] = {
    "allow_hosts": "127.0.0.0/8",
    "contact_email": "owner@lamplighter.example",
    "policy": "fixed",
    "max_pages": 5,
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
    """A posting on a host of its own, and perhaps links to more of them; until something happens to it."""

    def __init__(self, origin: Origin, number: int, *, links: int = 0) -> None:
        self.origin = origin
        self.name = f"Site {number:03}"
        #: what watches it; set when it does
        self.source: SourceRow
        #: answered instead of the page
        self.trouble: Answer | None = None
        #: answered instead of the robots.txt
        self.robots_trouble: Answer | None = None
        #: when it was asked for its page, and what it said
        self.visits: list[tuple[float, int]] = []
        anchors = "".join(f'<a href="/{link}">to {link}</a>' for link in range(1, links + 1))
        self._page = posting_html(number).replace('<a href="/jobs">All jobs</a>', anchors).encode()
        origin.otherwise(self._answer)

    @property
    def url(self) -> str:
        """Its page."""
        return f"{self.origin.url}/"

    @property
    def host_subject(self) -> str:
        """How alerts name its host."""
        return f"host:{self.origin.address}"

    @property
    def subject(self) -> str:
        """How alerts name its source."""
        return f"source:{self.source.public_id}"

    def _answer(self, request: Request) -> Answer:
        # What was asked a day ago is nobody's business, and would look like a leak.
        self.origin.log.clear()
        if request.path == "/robots.txt":
            return self.robots_trouble or Answer(status=404)
        answer = self._said(request)
        self.visits.append((asyncio.get_running_loop().time(), answer.status))
        return answer

    def _said(self, request: Request) -> Answer:
        if self.trouble is not None:
            return self.trouble
        if request.headers.get("if-none-match") == '"1"':
            return Answer(status=304)
        return Answer(headers={"Content-Type": "text/html", "ETag": '"1"'}, body=self._page)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """What the process takes up."""

    rss_mb: float
    objects: int
    open_files: int
    tasks: int


def weigh() -> Weight:
    """After a sweep: what is only waiting to be collected is no leak."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Weight(
        rss_mb=pages * os.sysconf("SC_PAGE_SIZE") / 1024**2,
        objects=len(gc.get_objects()),
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

    async def sleep_until(self, since_start: timedelta) -> None:
        """Waits until so long after the beginning."""
        await asyncio.sleep((NOON + since_start - self.now).total_seconds())

    async def watch(self, *sites: Site, interval: timedelta) -> None:
        """Has sites watched, each as a source of the same name."""

        async def work(db: Connection) -> None:
            for site in sites:
                new = NewSource(url=site.url, name=site.name, interval=interval)
                source_id = await operations.add(db, new, actor="test", now=self.now)
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
    patches.setattr(opening, "DatabaseClock", lambda _: VirtualClock(NOON, loop))
    patches.setattr("aiohttp.connector.monotonic", loop.time)
    read = ReaderPool.read

    async def read_really(pool: ReaderPool, batch: list[PageWork], *, now: datetime) -> list[Digest]:
        with loop.real_work():
            return await read(pool, batch, now=now)

    patches.setattr(ReaderPool, "read", read_really)
    for name in _SECONDS:
        patches.setattr(name, LOOK.total_seconds())
    for name in _LEASES:
        patches.setattr(name, LOST_AFTER)
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
