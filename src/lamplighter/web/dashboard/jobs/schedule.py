"""The schedule page: load of the next 24 hours, rebalancing, windows and policy comparison."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput, LamplighterError
from lamplighter.model.crawl import JobState
from lamplighter.operations.jobs import comparison_keeper, job_views, policy_comparison, schedule, week_windows
from lamplighter.operations.jobs.policy_comparison import ENOUGH
from lamplighter.operations.jobs.schedule import NamedMove
from lamplighter.rules.schedule import reasons, slots
from lamplighter.rules.schedule.rebalance import RebalancePlan, in_words
from lamplighter.rules.schedule.slots import LoadMap
from lamplighter.store.jobs.job_lists import JobFilter
from lamplighter.web.dashboard import plots
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.sources.bare_names import beside_name
from lamplighter.web.routes import Pages
from lamplighter.web.words import counted

ROUTES = Pages()
_DUE_SHOWN = 12
_MOVES_SHOWN = 50
_WAITING = (JobState.PENDING, JobState.SCHEDULED)
#: number of shades; the first means no runs
SHADES = 7
_HOUR = timedelta(hours=1)
_QUARTERS = _HOUR // slots.SLOT


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCell:
    """A quarter-hour and its number of runs."""

    starts_at: datetime
    runs: int
    #: 0 for no runs, up to SHADES - 1
    shade: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayGrid:
    """The grid with its total and its busiest cell."""

    hours: tuple[datetime, ...]
    #: four rows, each with a cell or None for every hour
    quarters: tuple[tuple[DayCell | None, ...], ...]
    total: int
    #: None without runs
    peak: DayCell | None

    @classmethod
    def of(cls, load: LoadMap) -> "DayGrid":
        """Builds the grid of a load map, from the current hour."""
        begin, most = load.ends_at - slots.HORIZON, max(load.starts)
        cells = {
            begin + number * slots.SLOT: DayCell(
                starts_at=begin + number * slots.SLOT, runs=runs, shade=_shade(runs, most=most)
            )
            for number, runs in enumerate(load.starts)
        }
        first = begin.replace(minute=0, second=0, microsecond=0)
        hours = tuple(first + number * _HOUR for number in range(-((load.ends_at - first) // -_HOUR)))
        quarters = tuple(tuple(cells.get(hour + row * slots.SLOT) for hour in hours) for row in range(_QUARTERS))
        peak = max(cells.values(), key=lambda cell: cell.runs)
        return cls(hours=hours, quarters=quarters, total=sum(load.starts), peak=peak if peak.runs else None)


def _shade(runs: int, *, most: int) -> int:
    """The shade of a cell: 0 for no runs, the darkest for the busiest."""
    return -(-runs * (SHADES - 1) // most) if runs else 0


@ROUTES.get("/schedule")
async def day(request: ThisRequest, zone: str = week_windows.OWN_ZONE) -> Response:
    """The schedule page, or its plots when a script renews them."""
    drawn = await plots.shown(request, "staleness", "budget")
    if request.target == plots.ELEMENT:
        return request.part("parts/plots.html", **drawn)
    return request.page("jobs/page.html", **await _page(request, zone), **drawn)


@ROUTES.get("/schedule/day")
async def day_alone(request: ThisRequest) -> Response:
    """The refreshed load of the next 24 hours."""
    return request.part("jobs/day.html", **await _day(request))


@ROUTES.get("/schedule/due")
async def due_alone(request: ThisRequest) -> Response:
    """The refreshed list of the next due jobs."""
    return request.part("jobs/due.html", **await _due(request))


@ROUTES.get("/schedule/rebalance")
async def preview(request: ThisRequest) -> Response:
    """Previews a rebalance; changes nothing."""
    plan = await schedule.plan_rebalance(request.view.db, now=request.now)
    moves = await request.read(lambda db: schedule.named_moves(db, plan, limit=_MOVES_SHOWN, offset=0))
    shown = _plan(plan, moves)
    shown["why"] = await request.read(lambda db: schedule.why_unmoved(db, plan, now=request.now))
    return request.part_or_page("rebalance", "jobs/rebalance.html", "jobs/preview.html", **shown)


@ROUTES.post("/schedule/rebalance")
async def rebalance(request: ThisRequest) -> Response:
    """Applies a rebalance after confirmation."""
    view, now = request.view, request.now
    form = await request.form()
    # The number comes from the preview; computing it again only for the question would take as long again.
    count = form.whole_number("moves") or 0
    question = f"Move {_runs(count)} to other times of the next 24 hours?" if count else "Spread the runs evenly?"
    request.confirm(form, question, label="Move them", back="/schedule")
    plan = await schedule.plan_rebalance(view.db, now=now)
    if not plan.moves:
        why = await request.read(lambda db: schedule.why_unmoved(db, plan, now=now))
        return request.done(f"No run can be moved: {why}.", to="/schedule")
    await view.db.write(lambda db: schedule.carry_out(db, plan, stamp=request.stamp))
    said = (
        f"{_runs(len(plan.moves))} moved; the balance is now {plan.score_after:.2f} instead of {plan.score_before:.2f}."
    )
    return request.done(said, to="/schedule")


@ROUTES.post("/schedule/compare")
async def compare(request: ThisRequest) -> Response:
    """Compares the policies by replaying our request history."""
    shown: dict[str, Any] = {"compared": None, "about": policy_comparison.ABOUT}
    try:
        compared = await policy_comparison.compare_policies(request.view.db, now=request.now)
        shown |= {"compared": compared, "enough": ENOUGH, "is_little": ENOUGH.is_more_than(compared)}
    except LamplighterError as error:
        shown["faults"] = faults_of(error)
    return request.part_or_page("comparison", "jobs/comparison.html", "jobs/compared.html", status=200, **shown)


async def _page(request: PageRequest, zone: str) -> dict[str, Any]:
    shown = await _day(request) | await _due(request)
    zone_fault = ""
    async with request.view.db.read() as db:
        try:
            timetables = await week_windows.week(db, zone=zone, now=request.now)
        except BadInput as error:
            zone_fault, zone = str(error), week_windows.OWN_ZONE
            timetables = await week_windows.week(db, zone=zone, now=request.now)
    return shown | {
        "timetables": timetables,
        "zone": zone,
        "zone_fault": zone_fault,
        "compared": None,
        "about": policy_comparison.ABOUT,
    }


async def _day(request: PageRequest) -> dict[str, Any]:
    async with request.view.db.read() as db:
        found = await schedule.overview(db, now=request.now)
        saving = await comparison_keeper.saving(db)
    grid = DayGrid.of(found.load)
    balance = in_words(found.score, total=grid.total)
    return {"schedule": found, "grid": grid, "balance": balance, "saving": saving}


async def _due(request: PageRequest) -> dict[str, Any]:
    order: dict[str, Any] = {"sort": "next_run_at", "descending": False, "limit": _DUE_SHOWN, "offset": 0}
    async with request.view.db.read() as db:
        due = await job_views.listed(
            db, JobFilter(states=_WAITING), source_defaults=request.view.source_defaults, now=request.now, **order
        )
    beside = {each.source.public_id: beside_name(each.source.name, each.source.url) for each in due.rows}
    why = {each.job.id: reasons.sentence(each.job.next_run_reason) for each in due.rows}
    return {"due": due, "beside": beside, "why": why}


def _plan(plan: RebalancePlan, moves: list[NamedMove]) -> dict[str, Any]:
    return {"plan": plan, "moves": moves, "more": len(plan.moves) - len(moves)}


def _runs(count: int) -> str:
    return counted(count, "run")
