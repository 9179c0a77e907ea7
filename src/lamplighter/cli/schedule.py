"""`lamplighter schedule`: how the coming day fills up, what the budget buys, rebalancing."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import typer

from lamplighter.app import open_store
from lamplighter.cli import loop
from lamplighter.cli.console import answer, print_json
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.operations import schedule
from lamplighter.operations.schedule import Schedule
from lamplighter.rules.rebalance import Plan
from lamplighter.rules.slots import SLOT
from lamplighter.settings import Settings

app = typer.Typer(
    help="The schedule: the coming day, the budget, rebalancing.", no_args_is_help=True, add_completion=False
)
ACTOR = "command line"
#: eight heights of a column, from nothing to full
_BARS = " ▁▂▃▄▅▆▇█"
_SLOTS_PER_HOUR = timedelta(hours=1) // SLOT


@app.command()
def show(data: Data = None, as_json: Json = False) -> None:
    """Show how many runs start in each quarter of an hour of the coming day, and what the budget buys."""

    async def work(settings: Settings) -> Schedule:
        async with open_store(settings) as store, store.db.read() as db:
            return await schedule.overview(db, now=store.clock.now())

    found = loop.run(work(load_settings(data)))
    if as_json:
        return print_json(asdict(found))
    for line in _lines(found):
        answer(line)
    return None


@app.command()
def rebalance(
    apply: Annotated[bool, typer.Option("--apply", help="Move them; otherwise only say what would move.")] = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Spread the runs of the coming day more evenly: preview, and with --apply do it."""

    async def work(settings: Settings) -> Plan:
        async with open_store(settings) as store:
            now = store.clock.now()
            if apply:
                return await store.db.write(lambda db: schedule.apply_rebalance(db, actor=ACTOR, now=now))
            async with store.db.read() as db:
                return await schedule.preview_rebalance(db, now=now)

    plan = loop.run(work(load_settings(data)))
    if as_json:
        return print_json(asdict(plan))
    word = "moved" if apply else "would move"
    answer(f"{len(plan.moves)} jobs {word}; balance {plan.score_before:.2f} → {plan.score_after:.2f}")
    for move in plan.moves[:20]:
        answer(f"  job {move.job_id}: {move.from_at:%H:%M} → {move.to_at:%H:%M} UTC")
    if len(plan.moves) > 20:
        answer(f"  and {len(plan.moves) - 20} more; --json lists all")
    return None


@app.command("tag")
def tag_policy(
    tag: Annotated[str, typer.Argument(help="The label.")],
    policy: Annotated[str, typer.Argument(help="learned, fixed, yield_days, hash_backoff, priority, or none.")],
    data: Data = None,
) -> None:
    """Choose the policy of all sources with a tag that do not choose their own."""

    async def work(settings: Settings) -> None:
        async with open_store(settings) as store:
            now = store.clock.now()
            chosen = None if policy == "none" else policy
            await store.db.write(lambda db: schedule.set_tag_policy(db, tag, chosen, actor=ACTOR, now=now))

    loop.run(work(load_settings(data)))
    answer(f"{tag}: policy {policy}")


def _lines(found: Schedule) -> Iterator[str]:
    starts = found.load.starts
    fullest = max(starts)
    yield f"The next 24 hours from {found.load.now:%H:%M} UTC, a column for each quarter of an hour:"
    yield "".join(_BARS[-(-count * (len(_BARS) - 1) // fullest)] if fullest else _BARS[0] for count in starts)
    yield f"{sum(starts)} runs start, at most {fullest} in a quarter of an hour; balance {found.score:.2f} of 1"
    if found.should_rebalance:
        yield "They could be spread more evenly: `lamplighter schedule rebalance`"
    yield from _budget(found.pricing.figures)


def _budget(figures: Any) -> Iterator[str]:
    if not figures:
        yield "The budget was not distributed yet; a running service does so within the hour."
        return
    whose = "the budget" if figures["is_budget_given"] else "what the sources' own intervals would spend"
    yield (
        f"{figures['sources']} sources learn; {figures['demand_per_hour']:.3g} fetches an hour planned of "
        f"{figures['budget_per_hour']:.3g} ({whose})"
    )
    if figures["is_budget_too_small"]:
        yield (
            f"The budget is too small: even at their longest intervals the sources need "
            f"{figures['least_budget_per_hour']:.3g} fetches an hour."
        )
    now = figures["expected_staleness"]
    yield f"Our copies are expected to be stale {now:.1%} of the time"
    yield f"+20 % fetches: staleness {now:.1%} → {figures['staleness_with_more']:.1%}"
    yield f"-20 % fetches: staleness {now:.1%} → {figures['staleness_with_less']:.1%}"
