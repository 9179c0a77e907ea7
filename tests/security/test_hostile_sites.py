"""Ten sites do their worst while a hundred others are watched: these keep their turns, and the service answers."""

import asyncio
import resource
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, NamedTuple

import aiohttp
import pytest

from tests.fetch.stored_proxies import a_host, add_proxies
from tests.origin.loop_watch import LoopWatch, watching_the_loop
from tests.security.hostile_town import HostileTown, Told
from tests.service.installation import Installation, running, until

GOOD, POSTINGS = 100, 2
MEGABYTES_MORE = 250
DELAY_MS = 50
#: nobody listens there; asked through the proxy that floods
BEHIND_PROXY = "127.0.0.250:9"
_IN_MEMORY = Path("/dev/shm")


class Round(NamedTuple):
    """A round of the town."""

    told: Told
    watch: LoopWatch
    #: seconds that each answer of /health took, without waits for a processor
    health: list[float]
    #: seconds between the end of an answer of a good site and its next request, likewise
    turns: list[float]

    @property
    def slow_turn(self) -> float:
        """So long took a turn, or less, of nineteen in twenty."""
        return sorted(self.turns)[int(len(self.turns) * 0.95)]


async def _ask_health(installation: Installation, watch: LoopWatch, stop: asyncio.Event) -> list[float]:
    """Ten times a second."""
    took = []
    async with aiohttp.ClientSession() as monitor:
        while not stop.is_set():
            began = time.monotonic()
            async with monitor.get(f"{installation.url}/health") as answer:
                assert answer.status == 200
            await asyncio.sleep(0)  # the watch looks
            took.append(watch.unhindered(began, time.monotonic()))
            await asyncio.sleep(0.1)
    return took


async def _round(folder: Path, migrated: Path, *, good: int, is_hostile: bool) -> Round:
    database = shutil.copyfile(migrated, folder / f"{good}.db")
    with HostileTown(good, postings=POSTINGS, is_hostile=is_hostile) as town:
        async with running(folder, f"sqlite:///{database}", fetch_slots=32, min_delay_ms=DELAY_MS) as installation:
            stop = asyncio.Event()
            async with watching_the_loop() as watch, asyncio.TaskGroup() as group:
                asking = group.create_task(_ask_health(installation, watch, stop))
                # The hostile ones first, so that they are asked before all others.
                starts = [*town.start.hostile, *town.start.good]
                if is_hostile:
                    await _give_proxy(installation, town.start.proxy)
                    starts.insert(0, f"http://{BEHIND_PROXY}/jobs")
                for url in starts:
                    await installation.add_source(url)

                async def all_read() -> bool:
                    told = await asyncio.to_thread(town.told)
                    return told.missing == 0 and all(told.connections)

                await until(all_read)
                stop.set()
                told = town.told()
            turns = [watch.unhindered(*turn) for turn in told.turns]
    return Round(told, watch, asking.result(), turns)


async def _give_proxy(installation: Installation, port: int) -> None:
    """Has one host be asked through the proxy that floods."""
    service = installation.service
    host = await a_host(service.db, BEHIND_PROXY, proxy_mode="only")
    proxy: Any = SimpleNamespace(url="http://127.0.0.1", port=port, username=None, password=None)
    await add_proxies(service.db, proxy, host=host, vault=service.vault)


@pytest.fixture
def folder_in_memory(tmp_path: Path) -> Iterator[Path]:
    """Where nobody waits for a disk that others use; an ordinary folder on systems without one."""
    if not _IN_MEMORY.is_dir():
        yield tmp_path
        return
    with TemporaryDirectory(dir=_IN_MEMORY) as folder:
        yield Path(folder)


async def test_ten_hostile_sites_cost_a_hundred_others_nothing(folder_in_memory: Path, migrated_file: Path) -> None:
    peace = await _round(folder_in_memory, migrated_file, good=GOOD // 4, is_hostile=False)
    peak_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    siege = await _round(folder_in_memory, migrated_file, good=GOOD, is_hostile=True)
    peak_after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    assert len(siege.told.connections) == 10
    assert siege.told.repeated == 0
    assert siege.watch.longest_seconds < 0.25
    # That waits for other threads too, which a busy machine keeps from their processor.
    assert siege.watch.longest_blocked_seconds < 0.25 + peace.watch.longest_blocked_seconds
    assert max(siege.health) < 1
    assert siege.slow_turn < peace.slow_turn + 1
    assert (peak_after - peak_before) / 1024 < MEGABYTES_MORE
