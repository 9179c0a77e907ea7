"""Measures this machine and writes one page of results.

    python -m benchmarks.run [--only crawl,claims] [--quick] [--page docs/benchmarks.md]

Parts that are left out keep the figures of their last run. Each part is a program of its own with more options; to
crawl with other numbers of pages or fewer peers, for one: `python -m benchmarks.crawl --pages 5000 --peers none`.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.measuring import results_page
from benchmarks.measuring.findings import Part, Size, Tell
from benchmarks.measuring.results_page import Outcome
from benchmarks.measuring.showing import show
from benchmarks.parts import PARTS

_REPOSITORY: Final = Path(__file__).resolve().parent.parent
_WORKSPACE: Final = _REPOSITORY / ".bench"
_COLUMNS: Final = (
    BarColumn(bar_width=24),
    MofNCompleteColumn(),
    TimeElapsedColumn(),
    TextColumn("{task.description}"),
)


def main() -> int:
    """0 when every promise is kept, 1 when one is not or a part could not be measured."""
    arguments = _arguments()
    size = Size.QUICK if arguments.quick else Size.FULL
    results = _WORKSPACE / "results" / size
    results.mkdir(parents=True, exist_ok=True)
    (_WORKSPACE / ".gitignore").write_text("*\n")
    target = arguments.page or (results / "benchmarks.md" if arguments.quick else _REPOSITORY / "docs/benchmarks.md")
    console = Console()
    fresh = measured(arguments.only, size, results=results, console=console)
    write_page(target, results)
    console.print(f"{target} is written.", highlight=False)
    return exit_code(fresh)


def measured(parts: Sequence[Part], size: Size, *, results: Path, console: Console) -> list[Outcome]:
    """Runs the parts one after the other; one that fails does not keep the others from it."""
    outcomes = []
    with Progress(*_COLUMNS, console=console) as progress:
        task = progress.add_task("", total=len(parts))
        for part in parts:
            if reason := part.missing():
                progress.advance(task)
                console.print(f"\n{part.title}: left out, for {reason}", markup=False)
                continue

            def tell(text: str, name: str = part.name) -> None:
                progress.update(task, description=f"{name}: {text}")

            outcome = _run(part, size, tell)
            outcome.write(results)
            outcomes.append(outcome)
            progress.advance(task)
            console.print(f"\n{part.title} ({outcome.seconds:.0f} s)", style="bold")
            if outcome.findings is None:
                console.print(outcome.problem, style="red", markup=False)
            else:
                show(outcome.findings, console)
    return outcomes


def _run(part: Part, size: Size, tell: Tell) -> Outcome:
    tell("")
    at, began = datetime.now(UTC), time.monotonic()
    findings, problem = None, ""
    try:
        findings = part.run(size, tell)
    except Exception as error:  # a server is missing, a crawler broke: the page says so
        cause = _cause(error)
        problem = f"could not be measured: {type(cause).__name__}: {cause}"
    return Outcome(
        part=part.name, size=size, at=at, seconds=time.monotonic() - began, findings=findings, problem=problem
    )


def _cause(error: BaseException) -> BaseException:
    """The first of several errors that came together, or the one."""
    return _cause(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def write_page(target: Path, results: Path) -> None:
    """The page of all parts, of each what it found when it was last run: here, or where the page was written last."""
    outcomes = {part.name: outcome for part in PARTS if (outcome := results_page.kept(results, part.name))}
    before = target.read_text() if target.exists() else ""
    target.write_text(results_page.text(PARTS, outcomes, before=before))


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """0 when every part was measured and met its targets, else 1."""
    is_done = all(
        outcome.findings is not None and all(figure.is_met for figure in outcome.findings.figures)
        for outcome in outcomes
    )
    return int(not is_done)


def _parts(names: str) -> tuple[Part, ...]:
    known = {part.name: part for part in PARTS}
    chosen = names.split(",")
    if unknown := [name for name in chosen if name not in known]:
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")
    return tuple(known[name] for name in known if name in chosen)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", type=_parts, default=PARTS, metavar="PARTS", help="names with commas between (all)")
    parser.add_argument("--quick", action="store_true", help="small numbers; the page goes to .bench")
    parser.add_argument("--page", type=Path, metavar="FILE", help="where the page is written (docs/benchmarks.md)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
