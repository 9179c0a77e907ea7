"""Replays histories of change, real and made-up, and shows how fresh each policy would have kept our copies.

    python -m benchmarks.freshness [--sources 1000] [--days 90] [--seed 1] [--mix NAME…] [--trace FILE.csv]

On a mix all policies get the fetches that hash_backoff as written (30 min, doubled up to 24 h) spends on it; on a real
history, whose sources change every few weeks, one fetch a week for each source. The last lines say what learning saves:
staleness beside other policies, and the fetches with which it is just as fresh as they are. The real history is
histories/releases.csv: when 479 packages of a Linux distribution were released in one year, from their changelogs.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import fmean
from typing import Final

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measuring.findings import Findings, Part, Sheet, Size, Tell
from lamplighter.simulation.compare import compare, usual_budget
from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.mixes import Mix, made
from lamplighter.simulation.trace import Trace
from lamplighter.simulation.trace_csv import read

RELEASES: Final = Path(__file__).with_name("histories") / "releases.csv"
#: of a real history: fetches per day and source
_REAL_BUDGET: Final = 1 / 7
#: sources, days and mixes
_SIZES: Final[dict[Size, tuple[int, int, tuple[Mix, ...]]]] = {
    Size.FULL: (1_000, 90, tuple(Mix)),
    Size.QUICK: (200, 60, tuple(Mix)),
    Size.TINY: (20, 10, (Mix.POISSON,)),
}
#: of the sources, in the line with announcements
_ANNOUNCING: Final = 0.3
#: shares of the budget at which learning is tried, to find where it is as fresh as the others
_SHARES: Final = (0.4, 0.55, 0.75)
_BESIDE: Final = (Contender.HASH_BACKOFF, Contender.NUTCH, Contender.FIXED, Contender.YIELD_DAYS, Contender.ORACLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What was measured on one mix, or on a real history."""

    #: of the mix, or of the real history
    name: str
    budget: float
    staleness: dict[Contender, float]
    #: staleness of learned where many announce their changes; None where that is not known
    announced: float | None
    #: share of the budget: staleness of learned with it
    thriftier: dict[float, float]

    def ratio(self, other: Contender) -> float:
        """Staleness of learned over that of another."""
        return self.staleness[Contender.LEARNED] / self.staleness[other]

    def fetches_as_fresh_as(self, other: Contender) -> float:
        """The share of the budget with which learned is as fresh as another with all of it, between what was tried."""
        tried = {**self.thriftier, 1.0: self.staleness[Contender.LEARNED]}
        shares = sorted(tried, key=lambda share: tried[share])
        return exp(
            float(np.interp(log(self.staleness[other]), [log(tried[s]) for s in shares], [log(s) for s in shares]))
        )


def main() -> int:
    """Shows the table of the chosen mixes."""
    arguments = _arguments()
    console = Console()
    columns = [
        of_mix(mix, sources=arguments.sources, days=arguments.days, seed=arguments.seed)
        for mix in track(arguments.mix, description="Replaying", console=console, transient=True)
    ]
    columns += [of_history(path.stem, read(path.read_text().splitlines())) for path in arguments.trace]
    console.print(table(columns, title=f"freshness %, {arguments.sources:,} sources, {arguments.days} days"))
    return 0


def of_mix(mix: Mix, *, sources: int, days: int, seed: int) -> Column:
    """Replays one mix under all policies, and under learning with announcements and with fewer fetches."""
    trace = made(mix, sources=sources, days=days, seed=seed)
    talkative = made(mix, sources=sources, days=days, seed=seed, announcing=_ANNOUNCING)
    budget = usual_budget(trace)
    return _column(mix, trace, budget, announced=_learned(talkative, budget))


def of_history(name: str, trace: Trace) -> Column:
    """The same for a real history, of which nobody knows what was announced."""
    return _column(name, trace, _REAL_BUDGET, announced=None)


def _column(name: str, trace: Trace, budget: float, *, announced: float | None) -> Column:
    return Column(
        name=name,
        budget=budget,
        staleness={result.policy: result.staleness for result in compare(trace, [*Contender], budget=budget).results},
        announced=announced,
        thriftier={share: _learned(trace, budget * share) for share in _SHARES},
    )


def table(columns: Sequence[Column], *, title: str) -> Table:
    """One column per mix; ratios have their geometric mean beside them."""
    caption = f"* when {_ANNOUNCING:.0%} of the sources announce most changes"
    grid = Table(title=title, caption=caption, box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    grid.add_column("", no_wrap=True)
    for name in (*(column.name for column in columns), "all"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_row("fetches per day", *(f"{column.budget:.2f}" for column in columns), "")
    for policy in Contender:
        grid.add_row(policy, *(_fresh(column.staleness[policy]) for column in columns), "")
    grid.add_row("learned*", *(_fresh(column.announced) for column in columns), "")
    grid.add_section()
    grid.add_row("staleness of learned")
    for other in _BESIDE:
        _add_ratios(grid, f"  over {other}", [column.ratio(other) for column in columns])
    _add_ratios(grid, "  over hash_backoff*", [_told_ratio(column) for column in columns])
    grid.add_section()
    grid.add_row("fetches if as fresh as")
    for other in (Contender.HASH_BACKOFF, Contender.YIELD_DAYS):
        _add_ratios(grid, f"  {other}", [column.fetches_as_fresh_as(other) for column in columns])
    return grid


def _fresh(staleness: float | None) -> str:
    """Freshness in percent."""
    return "" if staleness is None else f"{100 - 100 * staleness:.2f}"


def _told_ratio(column: Column) -> float | None:
    return None if column.announced is None else column.announced / column.staleness[Contender.HASH_BACKOFF]


def _mean(ratios: Sequence[float | None]) -> float:
    """Geometric."""
    return exp(fmean(log(ratio) for ratio in ratios if ratio is not None))


def _ratios(ratios: Sequence[float | None]) -> tuple[str, ...]:
    return tuple("" if ratio is None else f"{ratio:.2f}" for ratio in (*ratios, _mean(ratios)))


def _add_ratios(grid: Table, name: str, ratios: Sequence[float | None]) -> None:
    grid.add_row(name, *_ratios(ratios))


def _learned(trace: Trace, budget: float) -> float:
    return compare(trace, [Contender.LEARNED], budget=budget).results[0].staleness


def measured(size: Size, tell: Tell) -> Findings:
    """All policies on all mixes and on the real history, and how far learning is from the optimum."""
    sources, days, mixes = _SIZES[size]
    columns = []
    for mix in mixes:
        tell(f"replaying {mix}")
        columns.append(of_mix(mix, sources=sources, days=days, seed=1))
    if size is not Size.TINY:
        tell("replaying the releases of packages")
        columns.append(of_history("releases (real)", read(RELEASES.read_text().splitlines())))
    return Findings(sheets=(_policies(columns, sources, days), _savings(columns)))


def _policies(columns: Sequence[Column], sources: int, days: int) -> Sheet:
    return Sheet(
        title=f"Freshness in percent with equal fetches; mixes of {sources:,} sources over {days} days",
        headings=("", *(column.name for column in columns)),
        rows=(
            ("fetches per day and source", *(f"{column.budget:.2f}" for column in columns)),
            *((f"{policy}", *(_fresh(column.staleness[policy]) for column in columns)) for policy in Contender),
            (f"learned, {_ANNOUNCING:.0%} announce", *(_fresh(column.announced) for column in columns)),
        ),
        note="The oracle knows from the future how often each source changes: the optimum to measure by.",
    )


def _savings(columns: Sequence[Column]) -> Sheet:
    beside = [(f"staleness over {other}", [column.ratio(other) for column in columns]) for other in _BESIDE]
    as_fresh = [
        (f"fetches if as fresh as {other}", [column.fetches_as_fresh_as(other) for column in columns])
        for other in (Contender.HASH_BACKOFF, Contender.YIELD_DAYS)
    ]
    return Sheet(
        title="What learning saves: ratios of `learned` to others (less is better)",
        headings=("", *(column.name for column in columns), "mean"),
        rows=tuple((name, *_ratios(ratios)) for name, ratios in (*beside, *as_fresh)),
    )


PART: Final = Part(
    name="freshness",
    title="Freshness per fetch",
    about=(
        "Every policy replays the same histories with the same number of fetches (`lamplighter simulate`): six "
        "made-up mixes, and the release dates of 479 packages of a Linux distribution in one year."
    ),
    run=measured,
)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.freshness", description=__doc__.partition("\n")[0])
    parser.add_argument("--sources", type=int, default=1_000, help="of each mix (1000)")
    parser.add_argument("--days", type=int, default=90, help="that they are watched (90)")
    parser.add_argument("--seed", type=int, default=1, help="another makes other histories (1)")
    parser.add_argument("--mix", type=Mix, nargs="+", default=list(Mix), choices=list(Mix), help="only these (all)")
    parser.add_argument("--trace", type=Path, nargs="+", default=[RELEASES], help="real histories as CSV files")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
