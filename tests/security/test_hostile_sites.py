"""Ten sites do their worst while a hundred others are watched: these keep their turns, and the service answers."""

import asyncio
import resource
import shutil
import statistics
import time
from contextlib import ExitStack
from pathlib import Path

import aiohttp

from tests.fetch.test_hostile_origins import FLOODS
from tests.fleet.many_sites import Town
from tests.origin.hostile import Connection, HostileOrigin, Perform, endless
from tests.origin.loop_watch import watching_the_loop
from tests.service.installation import Installation, running, until

GOOD, POSTINGS = 100, 2
MEGABYTES_MORE = 250
_NO_RULES = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
#: half of them flood at robots.txt already
WORST = [*FLOODS[:1], *FLOODS[4:5], *FLOODS[7:14]]


def _after_robots(head: bytes, piece: bytes) -> Perform:
    """Has no robots.txt, and floods whoever asks for a page."""

    def perform(connection: Connection) -> None:
        if b" /robots.txt " in connection.read_request():
            connection.send(_NO_RULES)
            return
        connection.send(head)
        connection.repeat(piece)

    return perform


def _hostile() -> list[Perform]:
    floods = [(str(row.id), *map(bytes, row.values)) for row in WORST]  # type: ignore[arg-type]
    performs = [
        endless(head, piece) if number % 2 else _after_robots(head, piece)
        for number, (_, head, piece) in enumerate(floods)
    ]
    return [*performs, endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n")]


async def _health_seconds(installation: Installation, stop: asyncio.Event) -> list[float]:
    """How long each answer of /health took, asked ten times a second."""
    took = []
    async with aiohttp.ClientSession() as monitor:
        while not stop.is_set():
            began = time.monotonic()
            async with monitor.get(f"{installation.url}/health") as answer:
                assert answer.status == 200
            took.append(time.monotonic() - began)
            await asyncio.sleep(0.1)
    return took


async def test_ten_hostile_sites_cost_a_hundred_others_nothing(tmp_path: Path, migrated_file: Path) -> None:
    database = shutil.copyfile(migrated_file, tmp_path / "lamplighter.db")
    peak_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with ExitStack() as stack:
        hostile = [stack.enter_context(HostileOrigin(perform)) for perform in _hostile()]
        town = stack.enter_context(Town(GOOD, postings=POSTINGS))
        async with running(tmp_path, f"sqlite:///{database}", fetch_slots=32, min_delay_ms=50) as installation:
            stop = asyncio.Event()
            async with watching_the_loop() as watch, asyncio.TaskGroup() as group:
                asking = group.create_task(_health_seconds(installation, stop))
                # The hostile ones first, so that they are asked before all others.
                for url in [*(f"{origin.url}/jobs" for origin in hostile), *town.starts]:
                    await installation.add_source(url)

                async def all_read() -> bool:
                    return town.missing(postings=POSTINGS) == 0 and all(origin.connections for origin in hostile)

                await until(all_read)
                stop.set()
    peak_after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    assert len(hostile) == 10
    assert town.repeated() == []
    assert watch.longest_seconds < 0.25
    assert statistics.median(asking.result()) < 1
    assert (peak_after - peak_before) / 1024 < MEGABYTES_MORE
