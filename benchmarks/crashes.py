"""The long crash campaign: processes die at every named point again and again, and nothing may show it afterwards.

    python -m benchmarks.crashes [--repetitions 50] [--minutes 120] [--kinds sqlite,postgresql] [--points a,b]

Every repetition is drawn: the how-manieth time at the point, how many workers there are, where others die meanwhile and
afterwards. How an installation ends is compared with one in which nobody died, and the sites' access logs are given to
the politeness witness. It exits with 1 when anything differs. Repetitions go round by round over all points, so that a
campaign that is cut short by `--minutes` has visited all of them about equally often.
"""

import argparse
import asyncio
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size, Tell
from lamplighter import crash_points, telemetry
from tests.crashes import campaign
from tests.crashes.campaign import Campaign, Repetition
from tests.crashes.installation import Places
from tests.servers import postgres

KINDS = ("sqlite", "postgresql")
_HEADINGS: Final = ("point", "database", "made", "deaths", "redrawn", "faulty")


@dataclass(frozen=True, slots=True)
class Task:
    """One repetition that is to be made."""

    kind: str
    point: str
    number: int


@dataclass(slots=True)
class Tally:
    """What came of a point's repetitions so far."""

    repetitions: int = 0
    #: deaths over all of its repetitions, wherever
    deaths: int = 0
    #: repetitions in which the work was done before anybody came by the point, so that the simplest plan was taken
    redrawn: int = 0
    faults: int = 0


@dataclass(slots=True)
class Results:
    """What came of everything so far."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def add(self, task: Task, done: Repetition, *, was_redrawn: bool) -> None:
        """Counts one more repetition."""
        tally = self.tallies.setdefault((task.point, task.kind), Tally())
        tally.repetitions += 1
        tally.deaths += done.deaths
        tally.redrawn += was_redrawn
        tally.faults += bool(done.faults)
        self.faults += [f"{task.kind}, repetition {task.number}, {done.plan}: {fault}" for fault in done.faults]


async def make(running: Campaign, task: Task) -> tuple[Repetition, bool]:
    """One repetition in which somebody died at the point, and whether it took a second plan for that."""
    situation = campaign.situation_of(task.point)
    counts = (await running.undisturbed(situation, task.kind)).counts
    plan = campaign.draw(task.point, counts, random.Random(f"{task.kind} {task.point} {task.number}"))
    done = await running.repeat(situation, task.kind, plan)
    if task.point in done.died_at or done.faults:
        return done, False
    done = await running.repeat(situation, task.kind, campaign.simplest(task.point))
    if task.point not in done.died_at and not done.faults:
        never = f"nobody ever came by {task.point}"
        done = Repetition(plan=done.plan, deaths=done.deaths, died_at=done.died_at, faults=[never])
    return done, True


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much of a campaign is made."""

    #: of every point on every database
    repetitions: int
    points: Sequence[str] = tuple(crash_points.POINTS)
    kinds: Sequence[str] = KINDS
    #: no repetition begins after so many
    minutes: float = float("inf")
    #: installations at the same time: most only wait
    at_once: int = 6
    lease_seconds: int = 5

    @property
    def total(self) -> int:
        """Repetitions, if the time is enough for all."""
        return self.repetitions * len(self.points) * len(self.kinds)

    def tasks(self) -> Iterator[Task]:
        """Every repetition, until they are all made or the time is up."""
        ends_at = time.monotonic() + 60 * self.minutes
        for number in range(self.repetitions):
            for point in self.points:
                for kind in self.kinds:
                    if time.monotonic() < ends_at:
                        yield Task(kind, point, number)


_SIZES: Final = {
    Size.FULL: Extent(repetitions=50),
    Size.QUICK: Extent(repetitions=1),
    Size.TINY: Extent(repetitions=1, points=("store.after_commit",), kinds=("sqlite",), at_once=1),
}


def carry_out(extent: Extent, tell: Callable[[Task, Repetition], None]) -> Results:
    """Makes all repetitions, some at a time, and tells of each."""
    telemetry.configure("error")
    results = Results()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lamplighter-crashes-")))
        server = stack.enter_context(postgres.cluster(folder)) if "postgresql" in extent.kinds else None
        running = Campaign(folder, places=Places(folder, postgres_url=server, lease=extent.lease_seconds))
        asyncio.run(_make_all(running, extent, results, tell))
    return results


async def _make_all(
    running: Campaign, extent: Extent, results: Results, tell: Callable[[Task, Repetition], None]
) -> None:
    tasks = extent.tasks()

    async def work() -> None:
        for task in tasks:
            done, was_redrawn = await make(running, task)
            results.add(task, done, was_redrawn=was_redrawn)
            tell(task, done)

    async with asyncio.TaskGroup() as group:
        for _ in range(extent.at_once):
            group.create_task(work())


def measured(size: Size, tell: Tell) -> Findings:
    """How many repetitions ended otherwise than if nobody had died, and how often somebody died at each point."""
    extent = _SIZES[size]
    made = Counter[str]()

    def count(task: Task, _: Repetition) -> None:
        made[task.kind] += 1
        tell(f"{made.total()} of {extent.total} repetitions, {task.point}")

    results = carry_out(extent, count)
    fewest = min((tally.repetitions for tally in results.tallies.values()), default=0)
    faulty = sum(tally.faults for tally in results.tallies.values())
    return Findings(
        figures=(
            Figure(name="repetitions that show that somebody died, or were impolite", value=faulty, at_most=0),
            Figure(name="repetitions of each point on each database", value=fewest, at_least=extent.repetitions),
        ),
        sheets=(_sheet(results),),
        texts=(("What was wrong", "\n".join(results.faults)),) if results.faults else (),
    )


def _sheet(results: Results) -> Sheet:
    return Sheet(
        title="Somebody dies at each of these points",
        headings=_HEADINGS,
        rows=tuple(
            (point, kind, *map(str, (tally.repetitions, tally.deaths, tally.redrawn, tally.faults)))
            for (point, kind), tally in _in_order(results)
        ),
        note="Redrawn: the work was done before anybody came by the point, and the simplest plan was taken instead.",
    )


def table(results: Results) -> Table:
    """A line for each point."""
    shown = Table(title="Crash campaign")
    for title in _HEADINGS:
        shown.add_column(title, no_wrap=True)
    for (point, kind), tally in _in_order(results):
        figures = (tally.repetitions, tally.deaths, tally.redrawn, tally.faults)
        shown.add_row(point, kind, *map(str, figures), style="red" if tally.faults else None)
    total = Counter[str]()
    for tally in results.tallies.values():
        total.update(repetitions=tally.repetitions, deaths=tally.deaths, redrawn=tally.redrawn, faults=tally.faults)
    shown.add_section()
    shown.add_row("all", "", *(str(total[name]) for name in ("repetitions", "deaths", "redrawn", "faults")))
    return shown


def _in_order(results: Results) -> list[tuple[tuple[str, str], Tally]]:
    """Along the flow, the databases of a point together."""
    along = list(crash_points.POINTS)
    return sorted(results.tallies.items(), key=lambda each: (along.index(each[0][0]), each[0][1]))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=50, help="of every point on every database")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no repetition after so many")
    parser.add_argument("--at-once", type=int, default=6, help="installations at the same time: most only wait")
    parser.add_argument("--lease-seconds", type=int, default=5, help="more where others use the machine as well")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS)
    parser.add_argument("--points", type=lambda text: text.split(","), default=list(crash_points.POINTS))
    return parser.parse_args()


def main() -> int:
    """Runs the campaign; 0 when nothing differed."""
    arguments = _arguments()
    # Whoever ends it leaves no servers behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    extent = Extent(**vars(arguments))
    columns = (TextColumn("{task.description:26}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn()) as bar:
        shown = bar.add_task("undisturbed", total=extent.total)

        def tell(task: Task, done: Repetition) -> None:
            if done.faults:
                bar.console.print(f"[red]{task.kind} {done.plan}[/]: {done.faults[0]}", highlight=False)
            bar.update(shown, advance=1, description=task.point)

        results = carry_out(extent, tell)
    console = Console()
    console.print(table(results))
    for fault in results.faults:
        console.print(fault, style="red", highlight=False, markup=False)
    return 1 if results.faults else 0


PART: Final = Part(
    name="crashes",
    title="Crashes",
    about=(
        "Processes are killed at every named point, again and again: the how-manieth time, how many workers there are "
        "and where others die meanwhile are drawn. How each installation ends (records, pages, versions, runs, jobs, "
        "events, notifications) is compared with one in which nobody died, and the sites' access logs are given to the "
        "politeness witness."
    ),
    run=measured,
)


if __name__ == "__main__":
    raise SystemExit(main())
