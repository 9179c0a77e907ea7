"""Seven virtual days: the whole service and its sites in one process, on a clock that skips what is only waited for.

Everything that is kept for a time is kept for a day, so that from the third day on nothing has a reason to grow.
"""

import asyncio
import contextlib
import io
import os
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy as sa

from benchmarks.measuring.processes import cpu_seconds, tree
from benchmarks.soak import witnessing
from benchmarks.soak.log_lines import counts
from benchmarks.soak.samples import Sample, folder_sizes, needed_mb, process_sizes, resident_mb, staleness
from benchmarks.soak.sites import Rhythm, SoakSite
from lamplighter import telemetry
from lamplighter.adapters.virtual_time import VirtualTime
from lamplighter.app import open_service
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.settings import load
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_runs
from lamplighter.telemetry import LogFormat
from tests.journeys import unattended
from tests.journeys.unattended import Household, virtual_loop, weigh
from tests.origin import Origin

_HOUR: Final = 3600.0
_CHANGE_SECONDS: Final = 6 * _HOUR
_DELAY_SECONDS: Final = 3.0
#: sources are asked every so many hours, in turn
_INTERVALS: Final = (6, 8, 12)
SETTINGS: Final[dict[str, Any]] = {
    **unattended.SETTINGS,
    "min_delay_ms": int(1000 * _DELAY_SECONDS),
    "read_timeout_seconds": 5,
    "archive_keep_versions": 2,
    "keep_runs": 3,
    "keep_run_days": 1,
    "run_log_days": 1,
    "keep_change_days": 1,
}


def run(folder: Path, *, days: float, sites: int, on_sample: Callable[[Sample], None]) -> dict[str, Any]:
    """Soaks in an empty folder; the samples, one an hour, and what was found at the end, as JSON."""
    log = io.StringIO()
    with pytest.MonkeyPatch.context() as patches, contextlib.redirect_stderr(log):
        loop = virtual_loop(patches)
        telemetry.configure("warning", LogFormat.JSON)
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            soak = _Soak(folder, loop, hours=24 * days, log=log)
            return runner.run(soak.run(sites, on_sample))


class _Soak:
    def __init__(self, folder: Path, loop: VirtualTime, *, hours: float, log: io.StringIO) -> None:
        self._data = folder / "data"
        self._loop = loop
        self._hours = hours
        self._log = log
        self._witness = witnessing.witness(delay_seconds=_DELAY_SECONDS)
        self._statuses: Counter[str] = Counter()
        self._sites: list[SoakSite] = []

    async def run(self, count: int, on_sample: Callable[[Sample], None]) -> dict[str, Any]:
        async with AsyncExitStack() as stack:
            await self._build(stack, count)
            chosen = load({}, data_dir=self._data, **SETTINGS)
            service = await stack.enter_async_context(
                open_service(chosen, kind="serve", free_bytes=lambda _: shutil.disk_usage(self._data).free)
            )
            household = Household(service)
            await household.db.write(lambda db: self._add_all(db, household))
            rounds = asyncio.create_task(service.run())
            service.bells.events.ring()
            samples = [sample async for sample in self._samples(on_sample)]
            found = await self._findings(household, samples)
            with self._loop.real_work():
                service.stopping.set()
                await rounds
        return found

    async def _build(self, stack: AsyncExitStack, count: int) -> None:
        rhythm = Rhythm(change_seconds=_CHANGE_SECONDS, total_seconds=self._hours * _HOUR)
        for number in range(count):
            origin = await stack.enter_async_context(Origin(clock=self._loop.time))
            self._sites.append(SoakSite(number, origin, rhythm=rhythm, seconds=self._loop.time))

    async def _add_all(self, db: Connection, household: Household) -> None:
        for site in self._sites:
            interval = timedelta(hours=_INTERVALS[site.number % len(_INTERVALS)])
            new = NewSource(url=site.url, name=f"Site {site.number:03}", interval=interval)
            await sources.add(db, new, stamp=Stamp("soak", household.now))

    async def _samples(self, on_sample: Callable[[Sample], None]) -> AsyncIterator[Sample]:
        for hour in range(int(self._hours) + 1):
            await asyncio.sleep(max(0.0, hour * _HOUR - self._loop.time()))
            self._judge()
            sample = self._sample(hour)
            on_sample(sample)
            yield sample

    def _judge(self) -> None:
        """Shows the witness what is over, and forgets it: a log that is kept would look like a leak."""
        for site in self._sites:
            hits = site.origin.log
            while hits and hits[0].finished is not None:
                hit = hits.pop(0)
                self._witness.see(hit)
                self._statuses[str(hit.status)] += 1

    def _sample(self, hour: int) -> Sample:
        weight = weigh(hour)
        family = tuple(tree(os.getpid()))
        sizes = process_sizes(os.getpid()) | {"open_files": weight.open_files}
        lines = counts(self._log.getvalue().splitlines())
        return Sample(
            at=hour,
            **sizes,
            **folder_sizes(self._data),
            needed_mb=needed_mb(self._data),
            readers_rss_mb=sum(resident_mb(child) for child in family[1:]),
            errors=sum(count for name, count in lines.items() if name.startswith("error")),
            warnings=sum(count for name, count in lines.items() if name.startswith("warning")),
            requests=self._statuses.total(),
            cpu_seconds=round(sum(map(cpu_seconds, family)), 2),
        )

    async def _findings(self, household: Household, samples: Sequence[Sample]) -> dict[str, Any]:
        async with household.db.read() as db:
            ended = await db.execute(
                sa.select(
                    sa.func.coalesce(crawl_runs.c.outcome, "open").label("outcome"), sa.func.count().label("runs")
                ).group_by(sa.text("1"))
            )
            outcomes = {row.outcome: row.runs for row in ended}
            crawled = await db.scalar(sa.select(sa.func.count(sa.distinct(crawl_runs.c.source_id))))
        return {
            "days": self._hours / 24,
            "sources": len(self._sites),
            "samples": [asdict(sample) for sample in samples],
            "requests": self._statuses.total(),
            "statuses": dict(self._statuses),
            "politeness": witnessing.as_json(self._witness.found),
            "log": dict(counts(self._log.getvalue().splitlines())),
            "runs": {"outcomes": outcomes, "sources_crawled": crawled},
            "staleness": staleness(self._data),
        }
