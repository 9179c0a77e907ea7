"""What is going on: runs, hosts, queues, processes, and the switch that stops it all."""

from typing import Any

from fastapi import Response
from fastapi.responses import RedirectResponse

from lamplighter.errors import BadInput
from lamplighter.model.fleet import Duty
from lamplighter.operations import activity, crawl_control, instances, standstill, system
from lamplighter.operations.activity import Limits
from lamplighter.operations.instances import Seen
from lamplighter.store.activity import MOST_COUNTED
from lamplighter.store.host_lists import MOST_WAITING
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.bare_names import all_beside
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.standings import standings_of
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.view import ServiceView

ROUTES = Routes("", tag="dashboard")
_SHOWN = 50


@ROUTES.get("/crawl", include_in_schema=False)
async def crawl(visit: Visiting) -> Response:
    """Everything that goes on now."""
    return visit.page("crawl/index.html", **await _now(visit), renew=False, faults={}, reason="")


@ROUTES.get("/crawl/now", include_in_schema=False)
async def crawl_now(visit: Visiting) -> Response:
    """The same, to take the place of what was shown a few seconds ago."""
    if not visit.is_partial:
        return RedirectResponse("/crawl", status_code=303)
    return visit.part("crawl/now.html", **await _now(visit), renew=True)


@ROUTES.get("/instances", include_in_schema=False)
async def processes(visit: Visiting) -> Response:
    """The processes that work on this database."""
    return visit.page("crawl/instances.html", **await _processes(visit))


@ROUTES.post("/crawl/pause", include_in_schema=False)
async def pause(visit: Visiting) -> Response:
    """Stops all crawling, in every process."""
    view, reason = visit.view, (await visit.form()).text("reason")
    try:
        await view.db.write(lambda db: standstill.pause(db, reason=reason, actor=visit.caller.name, now=visit.now))
    except BadInput as error:
        shown: dict[str, Any] = {"faults": faults_of(error), "reason": reason}
        return visit.page("crawl/index.html", status=422, **await _now(visit), renew=False, **shown)
    await view.standstill_changed()
    return visit.done("All crawling is paused. What is in flight ends within seconds.", to="/crawl")


@ROUTES.post("/crawl/resume", include_in_schema=False)
async def resume(visit: Visiting) -> Response:
    """Lets all crawling go on."""
    view, form = visit.view, await visit.form()
    await view.db.write(lambda db: standstill.resume(db, actor=visit.caller.name, now=visit.now))
    await view.standstill_changed()
    return visit.done("Crawling goes on where it stood.", to=form.text("back") or "/crawl")


@ROUTES.post("/crawl/run-due", include_in_schema=False)
async def run_due(visit: Visiting) -> Response:
    """Opens runs of everything that is due."""
    view, actor = visit.view, visit.caller.name
    opened = await crawl_control.run_due(view.db, view.run_due, actor=actor, now=visit.now)
    said = "Nothing is due that could run now." if not opened else f"{opened} run{'s' if opened > 1 else ''} opened."
    return visit.done(said, to="/crawl")


async def _now(visit: Visit) -> dict[str, Any]:
    view, now = visit.view, visit.now
    settings = view.settings
    limits = Limits(runs=settings.max_open_runs, runs_per_host=settings.runs_per_host, host=view.norms.host)
    depths = await view.queue.depths()
    async with view.db.read() as db:
        going_on = await activity.now_going_on(
            db, limits=limits, stopped=view.standstill(), trouble=_trouble(view), now=now, most=_SHOWN
        )
        names = {run.source_id: run.source_name for run in going_on.runs}
        names |= {job.source_id: job.source_name for job in going_on.due}
        beside = await all_beside(db, names)
        backlog = await system.backlog(db, depths=depths, now=now, most=MOST_COUNTED)
    shown = await _processes(visit)
    in_flight, slots = _slots(view, shown["seen"])
    return shown | {
        "activity": going_on,
        "beside": beside,
        "backlog": backlog,
        "most_counted": MOST_COUNTED,
        "most_waiting": MOST_WAITING,
        "in_flight": in_flight,
        "slots": slots,
        "standings": await standings_of(view),
    }


async def _processes(visit: Visit) -> dict[str, Any]:
    async with visit.view.db.read() as db:
        seen = await instances.everyone(db, now=visit.now)
    return {"seen": seen, "me": visit.view.door.turns.owner}


def _slots(view: ServiceView, seen: list[Seen]) -> tuple[int, int]:
    """Slots in use and slots there are, over all processes; of this one as it is now, of others as they said last."""
    others = [each.instance.figures for each in seen if each.state != "lost" and each.instance.id != _me(view)]
    used = view.door.turns.in_flight + sum(int(figures.get("requests_in_flight", 0)) for figures in others)
    own = view.settings.fetch_slots if Duty.FETCH in view.settings.duties else 0
    return used, own + sum(int(figures.get("fetch_slots", 0)) for figures in others)


def _me(view: ServiceView) -> str:
    return view.door.turns.owner


def _trouble(view: ServiceView) -> str | None:
    """What keeps this process from fetching anything, in words."""
    room = view.room()
    if room["disk"]["state"] != "ok":
        return f"the disk has only {room['disk']['free_mb']} MB left; fetching goes on when there is more room"
    if room["archive"]["state"] != "ok":
        return "the archive is away, so nothing that was fetched could be kept"
    return None
