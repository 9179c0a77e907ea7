"""The coming day: how full it is, how it could be fuller evenly, and what other policies would have done."""

from typing import Any, NamedTuple

from fastapi import Response

from lamplighter.errors import BadInput, LamplighterError
from lamplighter.model.crawl import JobState
from lamplighter.operations import job_views, policy_comparison, schedule, week_windows
from lamplighter.operations.policy_comparison import OwnComparison
from lamplighter.operations.schedule import NamedMove
from lamplighter.rules import reasons
from lamplighter.rules.rebalance import Plan
from lamplighter.store.job_lists import Filter
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.bare_names import beside_name
from lamplighter.web.dashboard.day_grid import DayGrid, balance_in_words
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.words import counted

ROUTES = Routes("", tag="dashboard")
_DUE_SHOWN = 12
_MOVES_SHOWN = 50
_WAITING = (JobState.PENDING, JobState.SCHEDULED)


class Enough(NamedTuple):
    """What a comparison of policies has to be made of before its order says something."""

    sources: int = 5
    changes: int = 50
    days: int = 7

    def is_more_than(self, compared: OwnComparison) -> bool:
        """Whether a comparison is made of less."""
        return compared.sources < self.sources or compared.changes < self.changes or compared.days < self.days


_ENOUGH = Enough()


@ROUTES.get("/schedule", include_in_schema=False)
async def day(visit: Visiting, zone: str = week_windows.OWN_ZONE) -> Response:
    """The coming day, the week's windows, and what can be done about them."""
    return visit.page("schedule/page.html", **await _page(visit, zone))


@ROUTES.get("/schedule/day", include_in_schema=False)
async def day_alone(visit: Visiting) -> Response:
    """The coming day without the rest, for a page that shows it already."""
    return visit.part("schedule/day.html", **await _day(visit))


@ROUTES.get("/schedule/due", include_in_schema=False)
async def due_alone(visit: Visiting) -> Response:
    """What is due next without the rest, for a page that shows it already."""
    return visit.part("schedule/due.html", **await _due(visit))


@ROUTES.get("/schedule/rebalance", include_in_schema=False)
async def preview(visit: Visiting) -> Response:
    """What a rebalance would move where; moves nothing."""
    plan = await schedule.plan_rebalance(visit.view.db, now=visit.now)
    async with visit.view.db.read() as db:
        moves = await schedule.named_moves(db, plan, limit=_MOVES_SHOWN, offset=0)
    shown = _plan(plan, moves)
    if visit.target == "rebalance":
        return visit.part("schedule/rebalance.html", **shown)
    return visit.page("schedule/preview.html", **shown)


@ROUTES.post("/schedule/rebalance", include_in_schema=False)
async def rebalance(visit: Visiting) -> Response:
    """Moves the runs, when whoever asks has seen how many."""
    view, now, actor = visit.view, visit.now, visit.caller.name
    form = await visit.form()
    # The preview has said how many; to work them out again only to ask would take as long once more.
    count = form.whole_number("moves") or 0
    question = f"Move {_runs(count)} to other times of the coming day?" if count else "Spread the coming day evenly?"
    if asked := visit.confirm(form, question, label="Move them", back="/schedule"):
        return asked
    plan = await schedule.plan_rebalance(view.db, now=now)
    if not plan.moves:
        return visit.done("Nothing can be moved: the day is as even as it gets.", to="/schedule")
    await view.db.write(lambda db: schedule.carry_out(db, plan, actor=actor, now=now))
    view.jobs_changed()
    said = f"{_runs(len(plan.moves))} moved; the balance goes from {plan.score_before:.2f} to {plan.score_after:.2f}."
    return visit.done(said, to="/schedule")


@ROUTES.post("/schedule/compare", include_in_schema=False)
async def compare(visit: Visiting) -> Response:
    """Replays what our visits saw against every policy."""
    shown: dict[str, Any] = {"compared": None, "faults": {}, "about": policy_comparison.ABOUT}
    try:
        compared = await policy_comparison.compare_policies(visit.view.db, now=visit.now)
        shown |= {"compared": compared, "enough": _ENOUGH, "is_little": _ENOUGH.is_more_than(compared)}
    except LamplighterError as error:
        shown["faults"] = faults_of(error)
    if visit.target == "comparison":
        return visit.part("schedule/comparison.html", **shown)
    return visit.page("schedule/compared.html", **shown)


async def _page(visit: Visit, zone: str) -> dict[str, Any]:
    shown = await _day(visit) | await _due(visit)
    zone_fault = ""
    async with visit.view.db.read() as db:
        try:
            timetables = await week_windows.week(db, zone=zone, now=visit.now)
        except BadInput as error:
            zone_fault, zone = str(error), week_windows.OWN_ZONE
            timetables = await week_windows.week(db, zone=zone, now=visit.now)
    return shown | {
        "timetables": timetables,
        "zone": zone,
        "zone_fault": zone_fault,
        "compared": None,
        "faults": {},
        "about": policy_comparison.ABOUT,
    }


async def _day(visit: Visit) -> dict[str, Any]:
    async with visit.view.db.read() as db:
        found = await schedule.overview(db, now=visit.now)
    grid = DayGrid.of(found.load)
    return {"schedule": found, "grid": grid, "balance": balance_in_words(found.score, total=grid.total)}


async def _due(visit: Visit) -> dict[str, Any]:
    order: dict[str, Any] = {"sort": "next_run_at", "descending": False, "limit": _DUE_SHOWN, "offset": 0}
    async with visit.view.db.read() as db:
        due = await job_views.listed(db, Filter(states=_WAITING), norms=visit.view.norms, **order)
    beside = {each.source.public_id: beside_name(each.source.name, each.source.url) for each in due.jobs}
    why = {each.job.id: reasons.sentence(each.job.next_run_reason) for each in due.jobs}
    return {"due": due, "beside": beside, "why": why}


def _plan(plan: Plan, moves: list[NamedMove]) -> dict[str, Any]:
    return {"plan": plan, "moves": moves, "more": len(plan.moves) - len(moves)}


def _runs(count: int) -> str:
    return counted(count, "run")
