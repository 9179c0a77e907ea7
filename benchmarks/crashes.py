"""The long crash campaign: processes die at every named point again and again, and nothing may show it afterwards.

    python -m benchmarks.crashes [--repetitions 20] [--minutes 120] [--kinds sqlite,postgresql] [--points a,b]

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
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from lamplighter import crash_points, telemetry
from tests.crashes import campaign
from tests.crashes.campaign import Campaign, Repetition
from tests.crashes.installation import Places
from tests.servers import postgres

KINDS = ("sqlite", "postgresql")


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


async def carry_out(running: Campaign, tasks: Iterator[Task], results: Results, *, at_once: int, bar: Progress) -> None:
    """Makes all repetitions, some at a time."""
    shown = bar.tasks[0].id

    async def work() -> None:
        for task in tasks:
            done, was_redrawn = await make(running, task)
            results.add(task, done, was_redrawn=was_redrawn)
            if done.faults:
                bar.console.print(f"[red]{task.kind} {done.plan}[/]: {done.faults[0]}", highlight=False)
            bar.update(shown, advance=1, description=task.point)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(work())


def tasks_of(arguments: argparse.Namespace, points: Sequence[str]) -> Iterator[Task]:
    """Every repetition, until they are all made or the time is up."""
    ends_at = time.monotonic() + 60 * arguments.minutes
    for number in range(arguments.repetitions):
        for point in points:
            for kind in arguments.kinds:
                if time.monotonic() < ends_at:
                    yield Task(kind, point, number)


def table(results: Results) -> Table:
    """A line for each point."""
    shown = Table(title="Crash campaign")
    shown.add_column("point", no_wrap=True)
    for title in ("database", "made", "deaths", "redrawn", "faulty"):
        shown.add_column(title)
    for (point, kind), tally in sorted(results.tallies.items(), key=lambda each: _order(each[0])):
        figures = (tally.repetitions, tally.deaths, tally.redrawn, tally.faults)
        shown.add_row(point, kind, *map(str, figures), style="red" if tally.faults else None)
    total = Counter[str]()
    for tally in results.tallies.values():
        total.update(repetitions=tally.repetitions, deaths=tally.deaths, redrawn=tally.redrawn, faults=tally.faults)
    shown.add_section()
    shown.add_row("all", "", *(str(total[name]) for name in ("repetitions", "deaths", "redrawn", "faults")))
    return shown


def _order(key: tuple[str, str]) -> tuple[int, str]:
    return list(crash_points.POINTS).index(key[0]), key[1]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=20, help="of every point on every database")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no repetition after so many")
    parser.add_argument("--at-once", type=int, default=4, help="installations at the same time: most only wait")
    parser.add_argument("--lease-seconds", type=int, default=5, help="more where others use the machine as well")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS)
    parser.add_argument("--points", type=lambda text: text.split(","), default=list(crash_points.POINTS))
    return parser.parse_args()


def main() -> int:
    """Runs the campaign; 0 when nothing differed."""
    arguments = _arguments()
    telemetry.configure("error")
    # Whoever ends it leaves no servers behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    results = Results()
    columns = (TextColumn("{task.description:26}"), BarColumn(), MofNCompleteColumn())
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lamplighter-crashes-")))
        server = stack.enter_context(postgres.cluster(folder)) if "postgresql" in arguments.kinds else None
        bar = stack.enter_context(Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn()))
        bar.add_task("undisturbed", total=arguments.repetitions * len(arguments.points) * len(arguments.kinds))
        places = Places(folder, postgres_url=server, lease=arguments.lease_seconds)
        tasks = tasks_of(arguments, arguments.points)
        asyncio.run(carry_out(Campaign(folder, places=places), tasks, results, at_once=arguments.at_once, bar=bar))
    console = Console()
    console.print(table(results))
    for fault in results.faults:
        console.print(fault, style="red", highlight=False, markup=False)
    return 1 if results.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
