"""`lamplighter schedule`: load of the next 24 hours, fetch budget, rebalancing."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer

from lamplighter.cli.terminal.console import answer, answer_lines, print_json, print_json_or_lines
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import in_reading, in_transaction
from lamplighter.operations.jobs import policy_comparison, schedule
from lamplighter.operations.jobs.schedule import DaySchedule
from lamplighter.rules.formats.plural import counted

app = typer.Typer(no_args_is_help=True, add_completion=False)
#: eight heights of a column, from nothing to full
_BARS = " ▁▂▃▄▅▆▇█"


@app.command()
def show(data: Data = None, as_json: Json = False) -> None:
    """Show how many runs start in each quarter-hour of the next 24 hours, and the effect of the budget."""
    found = in_reading(load_settings(data), lambda db, stamp: schedule.overview(db, now=stamp.now))
    print_json_or_lines(as_json, asdict(found), _lines(found))


@app.command()
def rebalance(
    apply: Annotated[bool, typer.Option("--apply", help="Apply the moves; otherwise only show them.")] = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Spread the runs of the next 24 hours more evenly; a preview unless --apply is given."""

    settings = load_settings(data)
    if apply:
        plan = in_transaction(settings, lambda db, stamp: schedule.apply_rebalance(db, stamp=stamp))
    else:
        plan = in_reading(settings, lambda db, stamp: schedule.preview_rebalance(db, now=stamp.now))
    why = in_reading(settings, lambda db, stamp: schedule.why_unmoved(db, plan, now=stamp.now))
    if as_json:
        return print_json(asdict(plan))
    word = "moved" if apply else "would move"
    answer(f"{counted(len(plan.moves), 'job')} {word}; balance {plan.score_before:.2f} → {plan.score_after:.2f}")
    if why is not None:
        answer(f"  {why}")
    answer_lines(f"  job {move.job_id}: {move.from_at:%H:%M} → {move.to_at:%H:%M} UTC" for move in plan.moves[:20])
    return answer(f"  and {len(plan.moves) - 20} more; --json lists all") if len(plan.moves) > 20 else None


@app.command()
def compare(data: Data = None, as_json: Json = False) -> None:
    """Replay what our own visits saw in the last months under every policy, with the same number of fetches."""
    histories = in_reading(load_settings(data), lambda db, stamp: policy_comparison.histories(db, now=stamp.now))
    found = policy_comparison.compared(histories)
    lines = [f"{each.policy:12} {each.staleness:7.2%} stale ± {each.staleness_spread:.2%}" for each in found.results]
    print_json_or_lines(as_json, asdict(found) | {"saving": found.saving}, [*lines, found.saving])


@app.command("tag")
def tag_policy(
    tag: Annotated[str, typer.Argument(help="The tag.")],
    policy: Annotated[str, typer.Argument(help="learned, fixed, yield_days, hash_backoff, priority, or none.")],
    data: Data = None,
) -> None:
    """Set the scheduling policy of all sources with a tag that have none of their own."""
    chosen = None if policy == "none" else policy
    in_transaction(load_settings(data), lambda db, stamp: schedule.set_tag_policy(db, tag, chosen, stamp=stamp))
    answer(f"{tag}: policy {policy}")


def _lines(found: DaySchedule) -> Iterator[str]:
    starts = found.load.starts
    fullest = max(starts)
    yield f"The next 24 hours from {found.load.now:%H:%M} UTC, a column for each quarter-hour:"
    yield "".join(_BARS[-(-count * (len(_BARS) - 1) // fullest)] if fullest else _BARS[0] for count in starts)
    yield f"Runs: {sum(starts)}, at most {fullest} in a quarter-hour; balance {found.score:.2f} of 1"
    if found.should_rebalance:
        yield "They could be spread more evenly: `lamplighter schedule rebalance`"
    yield from _budget(found.pricing.figures)


def _budget(figures: Any) -> Iterator[str]:
    if not figures:
        yield "The budget was not distributed yet; a running service distributes it within the hour."
        return
    whose = "the budget" if figures["is_budget_given"] else "the sum of the sources' own intervals"
    yield (
        f"{counted(figures['sources'], 'source')} with learned intervals; "
        f"{figures['demand_per_hour']:.3g} fetches per hour of "
        f"{figures['budget_per_hour']:.3g} ({whose})"
    )
    if figures["is_budget_too_small"]:
        yield (
            f"The budget is too small: even at their longest intervals the sources need "
            f"{figures['least_budget_per_hour']:.3g} fetches per hour."
        )
    now = figures["expected_staleness"]
    yield f"Our copies are expected to be stale {now:.1%} of the time"
    yield f"+20 % fetches: staleness {now:.1%} → {figures['staleness_with_more']:.1%}"
    yield f"-20 % fetches: staleness {now:.1%} → {figures['staleness_with_less']:.1%}"
