"""`lamplighter simulate`: compares scheduling policies on change histories, with the same number of fetches."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

from lamplighter.cli.jobs import simulate_plot
from lamplighter.cli.terminal import tables
from lamplighter.cli.terminal.console import answer, err, print_json
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.tables import TableColumn
from lamplighter.cli.terminal.transaction import in_reading
from lamplighter.errors import BadInput
from lamplighter.operations.jobs import policy_comparison
from lamplighter.operations.jobs.policy_comparison import SeenHistory
from lamplighter.simulation import mixes, trace_csv
from lamplighter.simulation.compare import PHASES, Comparison, compare, usual_budget
from lamplighter.simulation.compare import Progress as OnProgress
from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.measures import PolicyResult, are_equal
from lamplighter.simulation.mixes import Mix
from lamplighter.simulation.trace import Trace

app = typer.Typer(add_completion=False)
#: fetches per day and source: every five minutes at most
_MOST_BUDGET = 288.0
_COLUMNS = (
    TableColumn(heading="policy", rank=0),
    *(
        TableColumn(heading=heading, rank=rank, is_number=True)
        for rank, heading in enumerate(
            ("stale %", "spread", "to the best", "95 % sure", "fresh %", "delay", "fetches", "per change"), start=1
        )
    ),
)
#: of a result, as they are
_MEASURES = (
    *("policy", "staleness", "freshness", "mean_delay_hours", "fetches", "changes", "fetches_per_change"),
    "changes_found",
)
#: above this share of a fixed interval's staleness the oracle shows that no policy can gain much
_NO_ROOM = 0.97
_AS_WRITTEN = "what hash_backoff as written (30 min, doubled up to 24 h) spends on them"


@app.command()
def simulate(
    more_policies: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv", help="Histories: source,changed_at and optionally announced_at,weight,born_at,died_at."
        ),
    ] = None,
    mix: Annotated[Mix | None, typer.Option(help="Generated histories of this kind.")] = None,
    own: Annotated[bool, typer.Option("--own", help="The history of our own visits; the default.")] = False,
    policy: Annotated[
        list[str] | None, typer.Option(metavar="NAME…", help=f"Any of {', '.join(Contender)}.", show_default="all")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(metavar="FETCHES", help="Fetches per day and source.", show_default="hash_backoff's, as written"),
    ] = None,
    sources: Annotated[int, typer.Option(min=1, max=1_000_000, help="Generated histories: number of sources.")] = 1_000,
    days: Annotated[int, typer.Option(min=1, max=3_650, help="Generated histories: duration.")] = 90,
    seed: Annotated[int, typer.Option(min=0, help="Generated histories: random seed.")] = 1,
    announcing: Annotated[
        float, typer.Option(min=0, max=1, help="Generated histories: share of sources that announce most changes.")
    ] = 0.0,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the result as .png or .svg.")] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Compare the scheduling policies by replaying change histories, each with the same number of fetches."""
    policies = _policies(policy, more_policies or [])
    _check(trace=trace, mix=mix, own=own, budget=budget)
    if plot is not None:
        simulate_plot.check(plot)
    if trace is not None:
        histories = _read(trace)
    elif mix is not None:
        histories = mixes.made(mix, sources=sources, days=days, seed=seed, announcing=announcing)
    else:
        settings = load_settings(data)
        histories = _from_own(in_reading(settings, lambda db, stamp: policy_comparison.histories(db, now=stamp.now)))
    with _progress() as on_progress:
        spent = budget if budget is not None else usual_budget(histories)
        compared = compare(histories, policies, budget=spent, on_progress=on_progress)
        if plot is not None:
            simulate_plot.draw(plot, histories, compared, on_progress=on_progress)
    if as_json:
        print_json([_form(result) | {"room": compared.room} for result in compared.results])
    else:
        _show(histories, compared, why="as given" if budget is not None else _AS_WRITTEN)


def _policies(named: Sequence[str] | None, further: Sequence[str]) -> list[Contender]:
    """The requested policies in order; several may follow one `--policy`, or be separated by commas."""
    if further and not named:
        raise BadInput(f"{further[0]!r} is out of place; a file of histories is given with --trace {further[0]}")
    names = [name for given in (*(named or ()), *further) for name in given.split(",") if name]
    unknown = [name for name in names if name not in list(Contender)]
    if unknown:
        raise BadInput(f"there is no policy {unknown[0]!r} to simulate; choose from {', '.join(Contender)}")
    return [Contender(name) for name in dict.fromkeys(names)] or list(Contender)


def _check(*, trace: Path | None, mix: Mix | None, own: bool, budget: float | None) -> None:
    if (trace is not None) + (mix is not None) + own > 1:
        raise BadInput("--trace, --mix and --own each name the histories; give one of them")
    if budget is not None and not 0 < budget <= _MOST_BUDGET:
        raise BadInput(
            f"a budget of {budget:g} fetches per day and source cannot be spent;"
            f" give more than 0, and {_MOST_BUDGET:g} at most"
        )


def _read(file: Path) -> Trace:
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            return trace_csv.read(lines)
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{str(file)!r} is not text in UTF-8; save it as CSV in UTF-8") from None
    except OSError as error:
        raise BadInput(f"cannot read {str(file)!r}: {error.strerror}; name a CSV file") from None


def _from_own(histories: Sequence[SeenHistory]) -> Trace:
    if not any(history.changed_at for history in histories):
        raise BadInput("our own visits have seen no change yet; use --trace FILE.csv, or --mix mixed")
    return policy_comparison.own_trace(histories)


@contextmanager
def _progress() -> Iterator[OnProgress]:
    """A progress line with the current policy."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err(), transient=True, disable=not err().is_terminal) as progress:
        line = progress.add_task("reading", total=1.0)

        def show(policy: Contender, share: float) -> None:
            progress.update(line, description=f"{policy:12}", completed=share)

        yield show


def _form(result: PolicyResult) -> dict[str, Any]:
    return {
        **{name: getattr(result, name) for name in _MEASURES},
        "staleness_spread": result.staleness_spread,
        "promised_first_week": result.promised_first_week,
        "staleness_low": result.staleness_interval.low,
        "staleness_high": result.staleness_interval.high,
        "mean_delay_hours_low": result.delay_interval.low,
        "mean_delay_hours_high": result.delay_interval.high,
    }


def _show(trace: Trace, compared: Comparison, *, why: str) -> None:
    """Prints the results as a table, the freshest policy in bold."""
    answer(
        f"{len(trace):,} sources, {len(trace.changes):,} changes in {trace.days:.4g} days;"
        f" {compared.budget:.3g} fetches per day and source: {why}."
    )
    best = min(compared.results, key=lambda result: result.staleness)
    rows = [_row(result, best) for result in compared.results]
    tables.show(_COLUMNS, rows, bold=[compared.results.index(best)])
    answer(
        f"Every figure is the mean of {PHASES} replays with other first visits; policies closer than their spread are"
        f" equal. The oracle is {compared.room:.3g} times as stale as a fixed interval"
        + (": no policy can gain much here." if compared.room > _NO_ROOM else ".")
    )


def _row(result: PolicyResult, best: PolicyResult) -> tuple[object, ...]:
    low, high = result.staleness_interval.low, result.staleness_interval.high
    per_change = result.fetches_per_change
    return (
        result.policy,
        f"{result.staleness * 100:.2f}",
        f"± {result.staleness_spread * 100:.2f}",
        "best"
        if result is best
        else "equal"
        if are_equal(result, best)
        else f"{result.staleness / best.staleness:.2f} ×",
        f"{low * 100:.2f} – {high * 100:.2f}",
        f"{result.freshness * 100:.2f}",
        f"{result.mean_delay_hours:.2f} h",
        f"{result.fetches:,}",
        f"{per_change:.2f}" if per_change is not None else None,
    )
