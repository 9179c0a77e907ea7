"""Thirty real minutes: `lamplighter serve` in a process of its own, its sites in another, and somebody who looks."""

import asyncio
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from benchmarks.measuring.processes import cpu_seconds, tree
from benchmarks.site.served import served, status_of
from benchmarks.soak import origins, witnessing
from benchmarks.soak.log_lines import counts
from benchmarks.soak.samples import Sample, folder_sizes, needed_mb, process_sizes, resident_mb, staleness
from lamplighter import app, settings
from lamplighter.model.access import Stamp
from lamplighter.model.schedule import PolicyName
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection

_PATIENCE_SECONDS: Final = 120.0
_LOG: Final = "service.log"
_SAMPLE_SECONDS: Final = 60.0
_VISIT_SECONDS: Final = 3.0
#: what somebody looks at, in turn
_VISITED: Final = (
    "/", "/runs", "/metrics", "/health", "/records", "/hosts", "/api/v1/sources", "/api/v1/jobs",
)  # fmt: skip
#: sources are asked every so many minutes, in turn; every third is left to the learned policy
_INTERVALS: Final = (1.0, 2.0, 3.0)
_CHANGE_SECONDS: Final = 90.0
SETTINGS: Final[dict[str, Any]] = {
    "allow_hosts": "127.0.0.0/8",
    "contact_url": "https://lamplighter.example/bot",
    "contact_email": "owner@lamplighter.example",
    "min_delay_ms": 500,
    "fetch_slots": 32,
    "read_timeout_seconds": 5,
    "robots_ttl_hours": 0.1,
    "poll_seconds": 2,
    "archive_keep_versions": 2,
    "keep_change_days": 0.01,
    "run_log_days": 0.005,
    "log_format": "json",
    "log_level": "warning",
}


def run(folder: Path, *, minutes: float, sites: int, on_sample: Callable[[Sample], None]) -> dict[str, Any]:
    """Soaks in an empty folder; the samples and what was found at the end, as JSON."""
    data = folder / "data"
    data.mkdir(parents=True)
    chosen = {"data_dir": str(data), **{name: str(value) for name, value in SETTINGS.items()}}
    with _sites(folder, sites, seconds=60 * minutes) as origin_port:
        asyncio.run(_add_sources(chosen, sites, origin_port))
        with served(folder / _LOG, chosen) as (process, url), _visits(url) as visited:
            samples = list(_samples(process.pid, data, folder, minutes=minutes, on_sample=on_sample))
            exit_code = process.poll()
    hits = list(witnessing.hits_in(folder / origins.ACCESS_LOG))
    judge = witnessing.witness(delay_seconds=SETTINGS["min_delay_ms"] / 1000)
    for hit in hits:
        judge.see(hit)
    return {
        "minutes": minutes,
        "sources": sites,
        "died": exit_code is not None,
        "samples": [asdict(sample) for sample in samples],
        "requests": len(hits),
        "statuses": dict(Counter(str(hit.status) for hit in hits)),
        "politeness": witnessing.as_json(judge.found),
        "log": dict(_complaints(folder)),
        "visits": dict(visited),
        "runs": _run_counts(data),
        "staleness": staleness(data),
    }


@contextmanager
def _sites(folder: Path, count: int, *, seconds: float) -> Iterator[int]:
    """The port of the sites, whose access log is in the folder afterwards."""
    command = [sys.executable, "-m", "benchmarks.soak.origins", str(folder), "--sites", str(count)]
    command += ["--seconds", str(seconds), "--change-seconds", str(_CHANGE_SECONDS)]
    process = subprocess.Popen(command)
    ready = folder / origins.READY
    try:
        _wait_until(lambda: ready.exists() and ready.read_text() != "", process)
        yield int(ready.read_text())
    finally:
        process.terminate()
        process.wait(_PATIENCE_SECONDS)


async def _add_sources(chosen: dict[str, str], count: int, port: int) -> None:
    async with app.open_store(settings.load({}, **chosen)) as store:

        async def work(db: Connection) -> None:
            for number in range(count):
                await sources.add(db, _source(number, port), stamp=Stamp("soak", store.clock.now()))

        await store.db.write(work)


def _source(number: int, port: int) -> NewSource:
    return NewSource(
        url=f"http://{origins.address(number)}:{port}/",
        name=f"Site {number:03}",
        interval=timedelta(minutes=_INTERVALS[number % len(_INTERVALS)]),
        policy=PolicyName.LEARNED if number % 3 == 1 else PolicyName.FIXED,
    )


def _wait_until(is_so: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while not is_so():
        if process.poll() is not None or time.monotonic() > give_up:
            raise RuntimeError(f"{process.args!r} did not get ready (exit code {process.poll()})")
        time.sleep(0.2)


@contextmanager
def _visits(url: str) -> Iterator[Counter[str]]:
    """Somebody who looks at the dashboard and the API while the block lasts; how often each status was answered."""
    answered: Counter[str] = Counter()
    is_over = threading.Event()

    def visit() -> None:
        for path in cycle(_VISITED):
            if is_over.wait(_VISIT_SECONDS):
                return
            answered[str(status_of(url + path))] += 1

    visitor = threading.Thread(target=visit, name="visitor")
    visitor.start()
    try:
        yield answered
    finally:
        is_over.set()
        visitor.join()


def _samples(
    pid: int, data: Path, folder: Path, *, minutes: float, on_sample: Callable[[Sample], None]
) -> Iterator[Sample]:
    began = time.monotonic()
    for number in range(int(60 * minutes / _SAMPLE_SECONDS) + 1):
        time.sleep(max(0.0, began + number * _SAMPLE_SECONDS - time.monotonic()))
        if not Path(f"/proc/{pid}/statm").exists():
            return
        sample = _sample((time.monotonic() - began) / 60, pid, data, folder)
        on_sample(sample)
        yield sample


def _sample(at: float, pid: int, data: Path, folder: Path) -> Sample:
    family = tuple(tree(pid))
    log = _complaints(folder)
    return Sample(
        at=round(at, 2),
        **process_sizes(pid),
        **folder_sizes(data),
        needed_mb=needed_mb(data),
        readers_rss_mb=sum(resident_mb(child) for child in family[1:]),
        errors=sum(count for name, count in log.items() if name.startswith("error")),
        warnings=sum(count for name, count in log.items() if name.startswith("warning")),
        requests=int((folder / origins.REQUESTS).read_text() or 0),
        cpu_seconds=round(sum(map(cpu_seconds, family)), 2),
    )


def _complaints(folder: Path) -> Counter[str]:
    return counts((folder / _LOG).read_text(errors="replace").splitlines())


def _run_counts(data: Path) -> dict[str, Any]:
    """How the runs ended, and the fewest that a source had."""
    with closing(sqlite3.connect(f"file:{data / 'lamplighter.db'}?mode=ro", uri=True)) as db:
        outcomes = dict(db.execute("SELECT coalesce(outcome, 'open'), count(*) FROM crawl_runs GROUP BY 1"))
        fewest = db.execute("SELECT min(n) FROM (SELECT count(*) n FROM crawl_runs GROUP BY source_id)").fetchone()[0]
        (crawled,) = db.execute("SELECT count(DISTINCT source_id) FROM crawl_runs").fetchone()
    return {"outcomes": outcomes, "fewest_of_a_source": fewest, "sources_crawled": crawled}
