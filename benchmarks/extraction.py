"""Reads the corpus of pages without recipes and shows how well: titles with links, dates, other fields, running text.

    python -m benchmarks.extraction [--case NAME] [--verbose]

A score is F1, counted over all records of a class of pages; text is the mean of its pages. CPU is per page, in the
second of two readings: the first warms caches that a running service has warm.
"""

import argparse
import sys
from collections.abc import Sequence
from statistics import fmean
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks.corpus import Case, cases, read_case
from benchmarks.measuring.findings import Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.scoring import Score, score, total

#: a case below this is named even without --verbose
_POOR: Final = 0.9
_NOTHING: Final = "-"
#: how many cases are read
_SIZES: Final = {Size.FULL: None, Size.QUICK: None, Size.TINY: 4}
#: what a line of the table is called -> the record's field
_FIELDS: Final = {
    "organisation": "organisation",
    "location": "location_raw",
    "country": "country_iso",
    "price": "price",
    "currency": "currency",
    "author": "author",
    "level": "level",
}


def main() -> int:
    """Shows the scores of the chosen cases; 2 when there are none."""
    arguments = _arguments()
    console = Console()
    chosen = [case for case in cases() if arguments.case is None or arguments.case in case.name]
    if not chosen:
        console.print(f"No case is called {arguments.case}.", style="red", highlight=False)
        return 2
    scores = scores_of(chosen)
    console.print(table(scores))
    for one in scores:
        if arguments.verbose or _is_poor(one):
            _show(one, console, verbose=arguments.verbose)
    return 0


def scores_of(chosen: Sequence[Case]) -> list[Score]:
    """How well each of the cases is read."""
    for case in chosen:
        read_case(case)
    return [score(read_case(case)) for case in chosen]


def measured(size: Size, tell: Tell) -> Findings:
    """Time and accuracy on the corpus."""
    chosen = cases()[: _SIZES[size]]
    tell(f"reading {len(chosen)} pages")
    scores = scores_of(chosen)
    classes, columns = _columns(scores)
    sheet = Sheet(
        title=f"Extraction without recipes (F1), {len(scores)} pages",
        headings=("", *classes),
        rows=tuple((measure, *(column[measure] for column in columns)) for measure in columns[0]),
    )
    return Findings(sheets=(sheet,))


def _columns(scores: Sequence[Score]) -> tuple[list[str], list[dict[str, str]]]:
    """The classes of pages, and `all`; the cells of each."""
    classes = sorted({one.case.page_class for one in scores})
    columns = [_cells([one for one in scores if one.case.page_class == name]) for name in classes]
    return [*classes, "all"], [*columns, _cells(scores)]


def table(scores: Sequence[Score]) -> Table:
    """One column per class of pages, and one for all."""
    grid = Table(title="extraction without recipes (F1)", box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    grid.add_column("", no_wrap=True)
    classes, columns = _columns(scores)
    for name in classes:
        grid.add_column(name, justify="right")
    for measure in columns[0]:
        grid.add_row(measure, *(column[measure] for column in columns))
    return grid


def _cells(scores: Sequence[Score]) -> dict[str, str]:
    """By the name of each measure."""
    dates = total(one.dates for one in scores)
    return {
        "cases": str(len(scores)),
        "title+link": f"{_listed_f1(scores):.3f}",
        "dates": f"{dates.f1:.3f}" if dates.wanted else _NOTHING,
        **{name: _f1(scores, field) for name, field in _FIELDS.items()},
        "text": _mean([one.text_f1 for one in scores]),
        "kind": _mean([one.kind_right for one in scores]),
        "next page": _mean([one.next_right for one in scores]),
        "CPU ms": f"{fmean(one.outcome.cpu.total_seconds() for one in scores) * 1000:.1f}",
    }


def _listed_f1(scores: Sequence[Score]) -> float:
    """Over the records; a sitemap's links stand for them."""
    return total(one.links or one.listed for one in scores).f1


def _f1(scores: Sequence[Score], name: str) -> str:
    tally = total(one.fields[name] for one in scores)
    return f"{tally.f1:.3f}" if tally.wanted else _NOTHING


def _mean(values: Sequence[float | None]) -> str:
    judged = [value for value in values if value is not None]
    return f"{fmean(judged):.3f}" if judged else _NOTHING


def _is_poor(one: Score) -> bool:
    return (one.links or one.listed).f1 < _POOR or (one.text_f1 is not None and one.text_f1 < _POOR)


def _show(one: Score, console: Console, *, verbose: bool) -> None:
    listed = one.links or one.listed
    console.print(
        f"{one.case.name}: title+link {listed.f1:.2f}"
        f" ({listed.right} right, {listed.found} found, {listed.wanted} wanted), dates {one.dates.f1:.2f}"
        + (f", text {one.text_f1:.2f}" if one.text_f1 is not None else "")
        + (", wrong kind" if one.kind_right is False else "")
        + (f", next page {one.outcome.reading.next_page}" if one.next_right is False else "")
        + f", {one.outcome.cpu.total_seconds() * 1000:.1f} ms",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    for fault in one.faults if verbose else ():
        console.print(f"    {fault}", highlight=False, markup=False, soft_wrap=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__.partition("\n")[0])
    parser.add_argument("--case", metavar="NAME", help="only the cases whose names contain this")
    parser.add_argument("--verbose", action="store_true", help="every case, and what is amiss in it")
    return parser.parse_args()


PART: Final = Part(
    name="extraction",
    title="Extraction",
    about=(
        "The corpus in `tests/corpus`, read without recipes. A score is F1 over all records of a class of pages; "
        "CPU is per page, in the second of two readings."
    ),
    run=measured,
)


if __name__ == "__main__":
    sys.exit(main())
