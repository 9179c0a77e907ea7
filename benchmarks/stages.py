"""Where do the CPU seconds of a crawled page go? By process, by thread, and in the event loop by module.

    python -m benchmarks.stages [--pages 5000] [--hosts 50]

Processes and threads are read from the kernel's clocks. Within the event loop's thread a timer of CPU time fires every
few milliseconds; what the thread has spent since is booked on the innermost of our modules that is at work. The timer
itself costs a few percent, which are in the figures.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any, Final

from benchmarks import ours
from benchmarks.measuring import counts
from benchmarks.measuring.findings import Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.measure import measure
from benchmarks.measuring.processes import cpu_seconds, tree
from benchmarks.measuring.showing import alone
from benchmarks.peers.contract import bases
from benchmarks.site.nginx import serve
from benchmarks.site.site import SitePlan, write_site
from lamplighter import telemetry
from lamplighter.cli.terminal import loop

_REPOSITORY: Final = Path(__file__).resolve().parent.parent
_PATIENCE: Final = timedelta(minutes=15)
_WORKSPACE: Final = _REPOSITORY / ".bench"
_TIMER_SECONDS: Final = 0.004
_LOOK_SECONDS: Final = 0.05
_SHOWN_MODULES: Final = 15
_COUNTED: Final = "--counted"
_OURS: Final = "lamplighter."
#: below which everything happens
_RUNS_THE_LOOP: Final = "lamplighter.cli.terminal.loop"
_SIZES: Final = {Size.FULL: (5_000, 50), Size.QUICK: (1_000, 50), Size.TINY: (20, 4)}
#: threads by how their names begin
_WRITER: Final = "sqlite-writer"
_THREADS: Final = {_WRITER: "database writer thread", "sqlite-reader": "database reader threads"}
#: packages that call our code, and what their own time is
_CALLED: Final = {
    "asyncio": "the loop itself and its sockets",
    "concurrent": "waiting, commits",
    "threading": "waiting",
}
_LOOP, _OTHER_THREADS, _READERS = "event loop thread", "other threads (archive, names)", "reader processes"
_START: Final = "starting the interpreter"


class Ledger:
    """What each thread and each process spent while the block lasts."""

    def __init__(self) -> None:
        self.by_module: defaultdict[str, float] = defaultdict(float)
        #: the same of the thread that writes to the database
        self.of_writer: defaultdict[str, float] = defaultdict(float)
        self._writer: threading.Thread | None = None
        self._written = 0.0
        self._threads: dict[int, tuple[str, float]] = {}
        self._readers: dict[int, float] = {}
        self._spent = 0.0
        self._over = threading.Event()
        self._looker = threading.Thread(target=self._look, name="ledger", daemon=True)

    def __enter__(self) -> "Ledger":
        self._spent = time.thread_time()
        signal.signal(signal.SIGPROF, self._book)
        signal.setitimer(signal.ITIMER_PROF, _TIMER_SECONDS, _TIMER_SECONDS)
        self._looker.start()
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        self._over.set()
        self._looker.join()

    def by_stage(self) -> dict[str, float]:
        """CPU seconds of threads and readers, as far as they were last seen."""
        spent: defaultdict[str, float] = defaultdict(float)
        for name, seconds in self._threads.values():
            spent[name] += seconds
        return {**spent, _READERS: sum(self._readers.values())}

    def _book(self, _: int, frame: FrameType | None) -> None:
        """In the main thread, which is the event loop's."""
        now = time.thread_time()
        self.by_module[_module_of(frame)] += now - self._spent
        self._spent = now
        if self._writer is not None and self._writer.ident and self._writer.native_id:
            written = _thread_seconds(self._writer.native_id)
            if written > self._written:  # it is 0 when the thread has ended
                self.of_writer[_module_of(sys._current_frames().get(self._writer.ident))] += written - self._written
                self._written = written

    def _look(self) -> None:
        """Threads and readers come and go: each is remembered as it was last seen."""
        me = threading.get_native_id()
        main = threading.main_thread().native_id
        began = {main: _thread_seconds(main)} if main else {}
        while not self._over.wait(_LOOK_SECONDS):
            for thread in threading.enumerate():
                if thread.native_id and thread.native_id != me:
                    seconds = _thread_seconds(thread.native_id) - began.get(thread.native_id, 0.0)
                    self._threads[thread.native_id] = (_name_of(thread), seconds)
                if thread.name.startswith(_WRITER):
                    self._writer = thread
            family = tuple(tree(os.getpid()))
            for pid in family[1:]:
                self._readers[pid] = cpu_seconds(pid) or self._readers.get(pid, 0.0)


def _name_of(thread: threading.Thread) -> str:
    if thread is threading.main_thread():
        return _LOOP
    return next((name for prefix, name in _THREADS.items() if thread.name.startswith(prefix)), _OTHER_THREADS)


def _thread_seconds(thread: int) -> float:
    """0 when it has ended."""
    try:
        return int(Path(f"/proc/self/task/{thread}/schedstat").read_text().split()[0]) / 1e9
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


def _module_of(frame: FrameType | None) -> str:
    """The innermost module of ours; for what others do by themselves, their package."""
    innermost = ""
    while frame is not None:
        name = str(frame.f_globals.get("__name__", "?"))
        if name.startswith(_OURS) and name != _RUNS_THE_LOOP:
            return name.removeprefix(_OURS)
        innermost = innermost or name.partition(".")[0]
        frame = frame.f_back
    return f"({_CALLED.get(innermost, innermost)})"


def main() -> int:
    """Measures what the command line asks for; with `--base` it is the crawler that is measured."""
    if _COUNTED in sys.argv:
        sys.argv.remove(_COUNTED)
        _count()
        return 0
    if "--base" in sys.argv:
        _crawl()
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5_000)
    parser.add_argument("--hosts", type=int, default=50)
    arguments = parser.parse_args()
    return alone(lambda tell: measured(arguments.pages, arguments.hosts, tell=tell))


def _count() -> None:
    telemetry.configure("error")
    with tempfile.TemporaryDirectory(prefix="lamplighter-counts-") as folder, counts.counted() as found:
        tally = loop.run(ours.crawl(bases(), Path(folder)))
    print(json.dumps(found))
    tally.report()


def _crawl() -> None:
    telemetry.configure("error")
    started = time.process_time()
    with tempfile.TemporaryDirectory(prefix="lamplighter-stages-") as folder, Ledger() as ledger:
        tally = loop.run(ours.crawl(bases(), Path(folder)))
    told = {"modules": dict(ledger.by_module), "writer": dict(ledger.of_writer)}
    print(json.dumps({"started": started, "stages": ledger.by_stage(), **told}))
    tally.report()


def measured(pages: int, hosts: int, *, tell: Tell) -> Findings:
    """Processes and threads; then, by module, the two threads of the service that have most to do."""
    plan = SitePlan.even(pages=pages, hosts=hosts)
    site = _WORKSPACE / "site" / f"{hosts}-hosts-{pages}-pages"
    site.mkdir(parents=True, exist_ok=True)
    (_WORKSPACE / ".gitignore").write_text("*\n")
    write_site(plan, site)
    command = [sys.executable, "-m", "benchmarks.stages", "--base"]
    with serve(site, plan.addresses) as origin:
        tell(f"crawling {pages:,} pages under a timer")
        told, total = _told([*command, *plan.bases(origin.port)])
        tell(f"crawling {pages:,} pages and counting")
        found, _ = _told([*command, *plan.bases(origin.port), _COUNTED])
    return Findings(sheets=(*_sheets(told, pages, total=total), _counts(found, pages)))


def _told(command: list[str]) -> tuple[dict[str, Any], float]:
    """What a crawl says of itself, and its CPU seconds."""
    measurement = measure(command, cwd=_REPOSITORY, timeout=_PATIENCE)
    if measurement.exit_code:
        raise RuntimeError(f"the crawl ended with {measurement.exit_code}: {measurement.stderr[-2000:]}")
    return json.loads(measurement.stdout.strip().splitlines()[-2]), measurement.cpu.total_seconds()


def _counts(found: dict[str, int], pages: int) -> Sheet:
    return Sheet(
        title=f"Counts, {pages:,} pages",
        headings=("", "a page"),
        rows=tuple((name, f"{found.get(name, 0) / pages:,.2f}") for name in counts.NAMES),
        note="Opening and closing the service is counted too.",
    )


def _sheets(told: dict[str, Any], pages: int, *, total: float) -> Iterator[Sheet]:
    stages = {_START: told["started"], **told["stages"]}
    stages["opening, closing and what was not seen"] = total - sum(stages.values())
    yield Sheet(
        title=f"CPU by process and thread, {pages:,} pages",
        headings=("", "CPU s / 1,000 pages", "share"),
        rows=tuple(_rows(stages, pages, total)),
    )
    yield _by_module("event loop's thread", told["modules"], pages)
    yield _by_module("database writer's thread", told["writer"], pages)


def _by_module(thread: str, modules: dict[str, float], pages: int) -> Sheet:
    total = sum(modules.values())
    shown = dict(sorted(modules.items(), key=lambda item: -item[1])[:_SHOWN_MODULES])
    shown["(all others)"] = total - sum(shown.values())
    return Sheet(
        title=f"CPU in the {thread}, by the innermost of our modules",
        headings=("", "CPU s / 1,000 pages", "share"),
        rows=tuple(_rows(shown, pages, total or 1.0)),
        note="In brackets: what libraries do by themselves.",
    )


def _rows(seconds: dict[str, float], pages: int, total: float) -> Iterator[tuple[str, ...]]:
    for name, spent in sorted(seconds.items(), key=lambda item: -item[1]):
        yield name, f"{1000 * spent / pages:.3f}", f"{spent / total:.0%}"


PART: Final = Part(
    name="stages",
    title="Cost per stage of a crawl",
    about=(
        "The same crawl once more, under a timer: processes and threads by the kernel's clocks, the event loop's "
        "thread by samples of its CPU time. The timer itself costs a few percent. The counts are of one more crawl."
    ),
    run=lambda size, tell: measured(*_SIZES[size], tell=tell),
)


if __name__ == "__main__":
    sys.exit(main())
