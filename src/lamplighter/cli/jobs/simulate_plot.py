"""Draws a policy comparison: staleness of each policy, and the effect of more or fewer fetches."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from lamplighter.errors import BadInput
from lamplighter.simulation.compare import Comparison, Progress, compare, few_of
from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.trace import Trace

#: budgets of the curves, as shares of the one compared at
_SHARES: Final = (0.25, 0.5, 1.0, 2.0)
#: sources that the curves are drawn from: they show a shape, the bars show the figures
_CURVE_SOURCES: Final = 500
#: a palette that people with colour blindness can distinguish
_COLOURS: Final = {
    Contender.FIXED: "#999999",
    Contender.YIELD_DAYS: "#e69f00",
    Contender.HASH_BACKOFF: "#d55e00",
    Contender.NUTCH: "#cc79a7",
    Contender.LEARNED: "#0072b2",
    Contender.ORACLE: "#009e73",
}
_MARKS: Final = dict(zip(Contender, "osv^Dx", strict=True))


def check(file: Path) -> None:
    """Refuses a plot file that cannot be written, before any work is done."""
    if file.suffix not in (".png", ".svg"):
        raise BadInput(f"cannot tell the format of {str(file)!r}; use a name that ends in .png or .svg")
    if not file.parent.is_dir():
        raise BadInput(f"there is no folder {str(file.parent)!r} to write {file.name!r} into; create it first")
    if find_spec("matplotlib") is None:
        raise BadInput("--plot needs matplotlib, which is not installed; run pip install 'lamplighter[plot]'")


def draw(file: Path, trace: Trace, compared: Comparison, *, on_progress: Progress) -> None:
    """Writes the plot atomically."""
    figure = import_module("matplotlib.figure").Figure(figsize=(11, 4.6), layout="constrained")
    bars, curves = figure.subplots(1, 2)
    figure.suptitle(f"{len(trace):,} sources, {len(trace.changes):,} changes in {trace.days:.4g} days", fontsize=11)
    _draw_bars(bars, compared)
    _draw_curves(curves, _at_other_budgets(trace, compared, on_progress))
    unfinished = file.with_name(f".{file.name}.part")
    figure.savefig(unfinished, format=file.suffix[1:], dpi=150)
    unfinished.replace(file)


def _at_other_budgets(trace: Trace, compared: Comparison, on_progress: Progress) -> list[Comparison]:
    few = few_of(trace, _CURVE_SOURCES)
    policies = [result.policy for result in compared.results]
    # A budget must at least pay for the first copy of each source, and somewhat more to mean anything.
    budgets = [compared.budget * share for share in _SHARES if compared.budget * share * trace.days > 2]
    return [compare(few, policies, budget=budget, on_progress=on_progress) for budget in budgets]


def _draw_bars(axes: Any, compared: Comparison) -> None:
    """Draws one bar per policy with its interval, the freshest on top."""
    ranked = sorted(compared.results, key=lambda result: -result.staleness)
    for place, result in enumerate(ranked):
        below = max(0.0, result.staleness - result.staleness_interval.low)
        above = max(0.0, result.staleness_interval.high - result.staleness)
        axes.barh(
            place,
            result.staleness * 100,
            xerr=[[below * 100], [above * 100]],
            color=_COLOURS[result.policy],
            ecolor="#333333",
            capsize=3,
        )
    axes.set_yticks(range(len(ranked)), [str(result.policy) for result in ranked])
    axes.set_xlabel(f"stale, % of the time, with {compared.budget:.3g} fetches per day and source")
    axes.spines[["top", "right"]].set_visible(False)


def _draw_curves(axes: Any, compared: list[Comparison]) -> None:
    for place, result in enumerate(compared[0].results if compared else ()):
        axes.plot(
            [each.budget for each in compared],
            [each.results[place].staleness * 100 for each in compared],
            marker=_MARKS[result.policy],
            color=_COLOURS[result.policy],
            label=str(result.policy),
        )
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("fetches per day and source")
    axes.set_ylabel("stale, % of the time")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if compared:
        axes.legend(frameon=False, fontsize=9)
