"""Repetitions of a situation in which processes die, each compared with one in which nobody did."""

import asyncio
import random
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.crashes.archive_sweep import ArchiveSweep
from tests.crashes.by_hand import ByHand
from tests.crashes.installation import Places, Unsettled
from tests.crashes.old_schema import OldSchema
from tests.crashes.pruned import Pruned
from tests.crashes.situations import FirstCrawl, OverdueRun, Situation
from tests.crashes.snapshot import Snapshot, differences
from tests.origin import Hit
from tests.witness import Policy, Span, report, violations

#: what a process did so much before it found out that it had lost a lease was in vain as well
_NOTICED_SECONDS = 3.0
#: the point before there are any tables
MIGRATING = "create.midway"
SITUATIONS: Sequence[type[Situation]] = (FirstCrawl, OverdueRun, ArchiveSweep, Pruned, ByHand, OldSchema)
#: points that are passed only after somebody died at another
_AFTER = {"parse.after_claim": "fetch.after_commit"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Workers that start together; when the first of them has died the others are killed, wherever they are."""

    #: `point` or `point:nth`, where the first dies
    dies_at: str
    #: the same for others, which may die there before; empty for one that would live
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "+".join([self.dies_at, *(other or "nowhere" for other in self.others)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Who dies where, one round after the other; then come those that live."""

    rounds: tuple[Round, ...]
    survivors: int = 1

    def __str__(self) -> str:
        return " > ".join([*map(str, self.rounds), f"{self.survivors} alive"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Undisturbed:
    """How a situation ends when nobody dies, and how often its one worker came by each point."""

    seen: Snapshot
    counts: Counter[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """What came of one plan."""

    plan: Plan
    deaths: int
    #: points at which somebody of the plan died
    died_at: frozenset[str]
    #: differences from the undisturbed run, violations of politeness, or what never happened
    faults: Sequence[str]


def situation_of(point: str) -> type[Situation]:
    """Where processes come by this point."""
    return next(each for each in SITUATIONS if point in each.points)


def name_of(armed: str) -> str:
    """`fetch.after_commit` of `fetch.after_commit:3`."""
    return armed.partition(":")[0]


def draw(point: str, counts: Counter[str], chance: random.Random) -> Plan:
    """A plan in which somebody dies at this point, and much else is left to chance."""
    known = sorted(counts.keys() - {MIGRATING})

    def armed(name: str) -> str:
        return f"{name}:{chance.randint(1, max(1, counts[name]))}"

    def other() -> str:
        return armed(chance.choice(known)) if chance.random() < 0.5 else ""

    together = chance.randint(0, situation_of(point).most_at_once - 1)
    # Whoever does not die there would migrate at once, and the other had nothing left to die at.
    others = (MIGRATING,) * together if point == MIGRATING else tuple(other() for _ in range(together))
    first = Round(dies_at=armed(point), others=others)
    before = [Round(dies_at=_AFTER[point])] if point in _AFTER else []
    after = [Round(dies_at=armed(chance.choice(known)))] if chance.random() < 0.5 else []
    survivors = chance.randint(1, min(2, situation_of(point).most_at_once))
    return Plan(rounds=(*before, first, *after), survivors=survivors)


def simplest(point: str) -> Plan:
    """One worker that dies the first time it comes by, and one that lives."""
    before = (Round(dies_at=_AFTER[point]),) if point in _AFTER else ()
    return Plan(rounds=(*before, Round(dies_at=point)))


class Campaign:
    """Carries plans out, each in an installation of its own."""

    def __init__(self, folder: Path, *, places: Places) -> None:
        self._folder = folder
        self._places = places
        self._undisturbed: dict[tuple[str, str], Undisturbed] = {}
        self._finding_out = asyncio.Lock()
        self._number = 0

    async def undisturbed(self, situation: type[Situation], kind: str) -> Undisturbed:
        """How it ends when nobody dies; found out once."""
        key = (situation.name, kind)
        async with self._finding_out:
            if key not in self._undisturbed:
                self._undisturbed[key] = await self._live(situation, kind)
            return self._undisturbed[key]

    async def _live(self, situation: type[Situation], kind: str) -> Undisturbed:
        folder = self._new_folder()
        counts = folder / "points.txt"
        async with situation.open(folder, kind, self._places, is_empty=False) as work:
            await self._begin(work)
            survivor = work.installation.start(counts=counts)
            await work.installation.until(work.is_settled, f"an undisturbed {situation.name}")
            await work.installation.stop([survivor])
            return Undisturbed(seen=await work.snapshot(), counts=Counter(counts.read_text().split()))

    async def repeat(self, situation: type[Situation], kind: str, plan: Plan) -> Repetition:
        """Carries out a plan and compares its end with that of an undisturbed run."""
        expected = await self.undisturbed(situation, kind)
        folder = self._new_folder()
        died_at: set[str] = set()
        faults: list[str] = []
        is_empty = any(name_of(each.dies_at) == MIGRATING for each in plan.rounds)
        async with situation.open(folder, kind, self._places, is_empty=is_empty) as work:
            try:
                await self._die(work, plan, died_at)
                await _recover(work, plan.survivors)
                faults += differences(expected.seen, await work.snapshot())
            except Unsettled as problem:
                faults.append(str(problem))
            deaths = len(work.installation.lives)
            faults += [report([each]) for each in violations(_log(work), _policies(work))]
            faults += _asked_too_often(work)
        if not faults:
            shutil.rmtree(folder)
        return Repetition(plan=plan, deaths=deaths, died_at=frozenset(died_at), faults=faults)

    async def _die(self, work: Situation, plan: Plan, died_at: set[str]) -> None:
        """Round after round, until all have died or nothing is left to do."""
        has_begun = False
        for each in plan.rounds:
            # Work is given to an installation that has tables: deaths on the way there come before.
            if not has_begun and name_of(each.dies_at) != MIGRATING:
                await self._begin(work)
                has_begun = True
            await _one_round(work, each, died_at)
        if not has_begun:
            await self._begin(work)

    async def _begin(self, work: Situation) -> None:
        async with self._places.migrating:
            await work.begin()

    def _new_folder(self) -> Path:
        self._number += 1
        folder = self._folder / f"{self._number:04}"
        folder.mkdir()
        return folder


async def _one_round(work: Situation, each: Round, died_at: set[str]) -> None:
    installation = work.installation
    armed = installation.start(crash_at=each.dies_at)
    others = [installation.start(crash_at=other or None) for other in each.others]
    is_over = work.is_migrated if name_of(each.dies_at) == MIGRATING else work.is_settled
    if await installation.died(armed, or_else=is_over):
        died_at.add(name_of(each.dies_at))
    died_at.update(
        name_of(point) for point, other in zip(each.others, others, strict=True) if point and other.exitcode is not None
    )
    installation.kill([armed, *others])


async def _recover(work: Situation, survivors: int) -> None:
    """Those that live do what is left, and stop when they are asked to."""
    living = [work.installation.start() for _ in range(survivors)]
    await work.installation.up(living)
    await work.installation.until(work.is_settled, "everything to be as if nobody had died")
    await work.installation.stop(living)


def _log(work: Situation) -> list[Hit]:
    return [hit for board in work.boards for hit in board.log]


def _asked_too_often(work: Situation) -> list[str]:
    """A death costs one more request for a page at most, and so does a lost lease."""
    most = 1 + len(work.installation.lives) + len(work.installation.starved_at())
    counts = Counter((hit.headers["host"], hit.path) for hit in _log(work))
    return [f"{host}{path} was asked for {count} times" for (host, path), count in counts.items() if count > most]


def _policies(work: Situation) -> dict[str, Policy]:
    installation = work.installation
    # What somebody was told who died may not have been saved: how often that was asked for is judged by itself.
    lost = [Span(born, dead) for born, dead in installation.lives]
    # A process that is kept from running for longer than a lease is as good as dead.
    asleep = installation.settings.lease_seconds + _NOTICED_SECONDS
    lost += [Span(at - asleep, at) for at in installation.starved_at()]
    delay = installation.settings.min_delay_ms / 1000
    return {board.address: Policy(delay=delay, lost=lost) for board in work.boards}
