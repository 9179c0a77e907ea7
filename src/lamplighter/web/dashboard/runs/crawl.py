"""The crawl page: active runs, hosts, queues, processes, and pausing all crawling."""

from typing import Any, NamedTuple

from fastapi import Response
from fastapi.responses import RedirectResponse

from lamplighter.errors import BadInput
from lamplighter.model.fleet import LANE_SPAN, Duty
from lamplighter.operations.fleet import crawl_pause, instances, system
from lamplighter.operations.fleet.instances import InstanceStatus
from lamplighter.operations.runs import activity, crawl_control
from lamplighter.operations.runs.activity import CrawlLimits
from lamplighter.rules.hosts import lanes
from lamplighter.store.fleet import instances as stored_instances
from lamplighter.store.hosts.host_lists import MOST_WAITING
from lamplighter.store.runs.activity import MOST_COUNTED
from lamplighter.web.dashboard import plots
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.runs.lane_picture import lane_picture, later_turn, pace
from lamplighter.web.dashboard.sources.bare_names import all_beside
from lamplighter.web.monitoring import health
from lamplighter.web.routes import Pages
from lamplighter.web.service_view import ServiceView, StorageAccess

ROUTES = Pages()
_SHOWN = 50
_PLOTS = ("pages", "records", "queue", "bytes")
#: state in /health -> its colour
_TONES = {
    **dict.fromkeys(("ok", "up", "embedded", "sqlite", "postgresql"), "good"),
    **dict.fromkeys(("away", "low"), "bad"),
    "off": "idle",
}


class ComponentHealth(NamedTuple):
    """A component and its health."""

    name: str
    word: str
    tone: str
    title: str


async def component_healths(view: ServiceView) -> list[ComponentHealth]:
    """The health of all components now."""
    _, known = await health.look(view, with_parts=True)
    if known["status"] == "unavailable":
        return [ComponentHealth("database", known["status"], "bad", known["reason"])]
    disk, events, index = known["disk"], known["events"], known["index"]
    return [
        _component("database", known["database"], "stores sources, pages and records"),
        _component(
            "disk", disk["state"], f"{disk['free_mb']} MB free; fetching stops below {disk['least_free_mb']} MB"
        ),
        _component("archive", known["archive"]["state"], "stores page bodies"),
        _component("queue", known["queue"]["state"], "wakes other processes"),
        _component("mirror", known["mirror"]["state"], "mirrors the crawl state in Redis"),
        _index(index),
        _events(events),
    ]


def _component(name: str, word: str, title: str) -> ComponentHealth:
    return ComponentHealth(name, word, _TONES.get(word, "fair"), title)


def _index(known: dict[str, Any]) -> ComponentHealth:
    found = _component("index", known["state"], "the search engine for records")
    if known.get("parked"):
        return found._replace(tone="fair", title=f"refused records: {known['parked']}; see lamplighter index status")
    waiting = known.get("pending")
    return found._replace(word=f"{found.word}, {waiting} waiting") if waiting else found


def _events(known: dict[str, Any]) -> ComponentHealth:
    word = {"closed": "ok", "open": "away"}.get(known["state"], known["state"])
    found = _component("events", word, "delivers events about sources")
    lag, dead = known.get("lag"), known.get("dead_letters")
    if dead:
        return found._replace(word=f"dead letters: {dead}", tone="fair", title="see Events, dead letters")
    return found._replace(word=f"{word}, {lag} waiting") if lag else found


@ROUTES.get("/crawl")
async def crawl(request: ThisRequest) -> Response:
    """The crawl page, or its plots when a script renews them."""
    drawn = await plots.shown(request, *_PLOTS)
    if request.target == plots.ELEMENT:
        return request.part("parts/plots.html", **drawn)
    return request.page("runs/crawl/index.html", **await _now(request), **drawn, renew=False, reason="")


@ROUTES.get("/crawl/now")
async def crawl_now(request: ThisRequest) -> Response:
    """The refreshed part of the crawl page."""
    if not request.is_partial:
        return RedirectResponse("/crawl", status_code=303)
    return request.part("runs/crawl/now.html", **await _now(request), renew=True)


@ROUTES.get("/instances")
async def processes(request: ThisRequest) -> Response:
    """The list of processes on this database."""
    return request.page("runs/crawl/instances.html", **await _processes(request))


@ROUTES.post("/crawl/pause")
async def pause(request: ThisRequest) -> Response:
    """Pauses all crawling, in every process."""
    view, reason = request.view, (await request.form()).text("reason")
    try:
        await view.db.write(lambda db: crawl_pause.pause(db, reason=reason, stamp=request.stamp))
    except BadInput as error:
        shown: dict[str, Any] = {"faults": faults_of(error), "reason": reason}
        shown |= await plots.shown(request, *_PLOTS)
        return request.page("runs/crawl/index.html", **await _now(request), renew=False, **shown)
    await view.crawl.crawl_pause_changed()
    return request.done("All crawling is paused. Requests in flight finish within seconds.", to="/crawl")


@ROUTES.post("/crawl/resume")
async def resume(request: ThisRequest) -> Response:
    """Resumes all crawling."""
    view, form = request.view, await request.form()
    await view.db.write(lambda db: crawl_pause.resume(db, stamp=request.stamp))
    await view.crawl.crawl_pause_changed()
    return request.done("Crawling is resumed.", to=form.text("back") or "/crawl")


@ROUTES.post("/crawl/run-due")
async def run_due(request: ThisRequest) -> Response:
    """Starts runs of all due jobs."""
    view = request.view
    opened = await crawl_control.run_due(view.db, view.crawl.run_due, stamp=request.stamp)
    said = "No due job can run now." if not opened else f"{opened} run{'s' if opened > 1 else ''} started."
    return request.done(said, to="/crawl")


async def _now(request: PageRequest) -> dict[str, Any]:
    view, now = request.view, request.now
    settings = view.settings
    limits = CrawlLimits(
        runs=settings.max_open_runs, runs_per_host=settings.runs_per_host, host=view.source_defaults.host
    )
    depths = await view.connections.queue.depths()
    async with view.db.read() as db:
        going_on = await activity.now_going_on(
            db, limits=limits, stopped=view.crawl.crawl_pause(), trouble=_trouble(view.storage), now=now, most=_SHOWN
        )
        names = {run.source_id: run.source_name for run in going_on.runs}
        names |= {job.source_id: job.source_name for job in going_on.due}
        beside = await all_beside(db, names)
        backlog = await system.backlog(db, depths=depths, now=now, most=MOST_COUNTED)
        owner, since = view.sites.door.turns.owner, now - LANE_SPAN
        requests = [
            *view.sites.door.past.since(since),
            *await stored_instances.requests_of_others(db, owner, since=since),
        ]
    # Requests may have ended since this one began.
    at = view.clock.now()
    shown = await _processes(request)
    in_flight, slots = _slots(view, shown["seen"])
    return shown | {
        "activity": going_on,
        "lanes": [
            (lane, lane_picture(lane, at), pace(lane), later_turn(lane, at))
            for lane in lanes.lanes(requests, turns=activity.turns(going_on.hosts), now=at)
        ],
        "beside": beside,
        "backlog": backlog,
        "most_counted": MOST_COUNTED,
        "most_waiting": MOST_WAITING,
        "in_flight": in_flight,
        "slots": slots,
        "components": await component_healths(view),
    }


async def _processes(request: PageRequest) -> dict[str, Any]:
    seen = await request.read(lambda db: instances.everyone(db, now=request.now))
    return {"seen": seen, "me": request.view.sites.door.turns.owner}


def _slots(view: ServiceView, seen: list[InstanceStatus]) -> tuple[int, int]:
    """Used and available fetch slots of all processes; current for this process, last reported for the others."""
    others = [
        each.instance.figures
        for each in seen
        if each.state != "lost" and each.instance.id != view.sites.door.turns.owner
    ]
    used = view.sites.door.turns.in_flight + sum(int(figures.get("requests_in_flight", 0)) for figures in others)
    own = view.settings.fetch_slots if Duty.FETCH in view.settings.duties else 0
    return used, own + sum(int(figures.get("fetch_slots", 0)) for figures in others)


def _trouble(storage: StorageAccess) -> str | None:
    """The reason why this process cannot fetch, None if it can."""
    room = storage.room()
    if room["disk"]["state"] != "ok":
        return f"the disk has only {room['disk']['free_mb']} MB left; fetching resumes when there is more space"
    if room["archive"]["state"] != "ok":
        return "the archive does not answer, so fetched pages could not be stored"
    return None
