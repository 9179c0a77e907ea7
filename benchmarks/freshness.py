"""Replays made-up histories of change and shows how fresh each scheduling policy would have kept our copies.

    python -m benchmarks.freshness [--sources 1000] [--days 90] [--seed 1] [--mix NAME…]

All policies get the fetches that hash_backoff as written (30 min, doubled up to 24 h) spends on the mix. The last lines
say what learning saves: staleness beside other policies, and the fetches with which it is just as fresh as they are.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean
from typing import Final

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table

from lamplighter.simulation.compare import compare, usual_budget
from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.mixes import Mix, made
from lamplighter.simulation.trace import Trace

#: of the sources, in the line with announcements
_ANNOUNCING: Final = 0.3
#: shares of the budget at which learning is tried, to find where it is as fresh as the others
_SHARES: Final = (0.4, 0.55, 0.75)
_BESIDE: Final = (Contender.HASH_BACKOFF, Contender.NUTCH, Contender.FIXED, Contender.YIELD_DAYS, Contender.ORACLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What was measured on one mix."""

    mix: Mix
    budget: float
    staleness: dict[Contender, float]
    announced: float
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
        measured(mix, sources=arguments.sources, days=arguments.days, seed=arguments.seed)
        for mix in track(arguments.mix, description="Replaying", console=console, transient=True)
    ]
    console.print(table(columns, title=f"freshness %, {arguments.sources:,} sources, {arguments.days} days"))
    return 0


def measured(mix: Mix, *, sources: int, days: int, seed: int) -> Column:
    """Replays one mix under all policies, and under learning with announcements and with fewer fetches."""
    trace = made(mix, sources=sources, days=days, seed=seed)
    talkative = made(mix, sources=sources, days=days, seed=seed, announcing=_ANNOUNCING)
    budget = usual_budget(trace)
    return Column(
        mix=mix,
        budget=budget,
        staleness={result.policy: result.staleness for result in compare(trace, [*Contender], budget=budget).results},
        announced=_learned(talkative, budget),
        thriftier={share: _learned(trace, budget * share) for share in _SHARES},
    )


def table(columns: Sequence[Column], *, title: str) -> Table:
    """One column per mix; ratios have their geometric mean beside them."""
    caption = f"* when {_ANNOUNCING:.0%} of the sources announce most changes"
    grid = Table(title=title, caption=caption, box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    grid.add_column("", no_wrap=True)
    for name in (*(column.mix for column in columns), "all"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_row("fetches per day", *(f"{column.budget:.2f}" for column in columns), "")
    for policy in Contender:
        grid.add_row(policy, *(f"{100 - 100 * column.staleness[policy]:.2f}" for column in columns), "")
    grid.add_row("learned*", *(f"{100 - 100 * column.announced:.2f}" for column in columns), "")
    grid.add_section()
    grid.add_row("staleness of learned")
    for other in _BESIDE:
        _add_ratios(grid, f"  over {other}", [column.ratio(other) for column in columns])
    told = [column.announced / column.staleness[Contender.HASH_BACKOFF] for column in columns]
    _add_ratios(grid, "  over hash_backoff*", told)
    grid.add_section()
    grid.add_row("fetches if as fresh as")
    for other in (Contender.HASH_BACKOFF, Contender.YIELD_DAYS):
        _add_ratios(grid, f"  {other}", [column.fetches_as_fresh_as(other) for column in columns])
    return grid


def _add_ratios(grid: Table, name: str, ratios: Sequence[float]) -> None:
    mean = exp(fmean(log(ratio) for ratio in ratios))
    grid.add_row(name, *(f"{ratio:.2f}" for ratio in ratios), f"{mean:.2f}")


def _learned(trace: Trace, budget: float) -> float:
    return compare(trace, [Contender.LEARNED], budget=budget).results[0].staleness


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.freshness", description=__doc__.partition("\n")[0])
    parser.add_argument("--sources", type=int, default=1_000, help="of each mix (1000)")
    parser.add_argument("--days", type=int, default=90, help="that they are watched (90)")
    parser.add_argument("--seed", type=int, default=1, help="another makes other histories (1)")
    parser.add_argument("--mix", type=Mix, nargs="+", default=list(Mix), choices=list(Mix), help="only these (all)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
