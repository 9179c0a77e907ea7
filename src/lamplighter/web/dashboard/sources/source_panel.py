"""The overview and the runs of one source."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, NamedTuple
from uuid import UUID

from fastapi import Query, Response
from fastapi.responses import RedirectResponse

from lamplighter.errors import NotFound
from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.model.plot import Plot, PlotSeries
from lamplighter.model.record_search import Presence, RecordFilter, RecordOrder, SortKey
from lamplighter.operations.alerts import notification_rules
from lamplighter.operations.records import record_search
from lamplighter.operations.runs import run_history
from lamplighter.operations.sources import source_detail, sources
from lamplighter.operations.sources.source_detail import SourceDetail
from lamplighter.store.events import events
from lamplighter.store.events.events import EventFilter
from lamplighter.store.records import sightings
from lamplighter.web.dashboard import plots
from lamplighter.web.dashboard.alerts.notifications import LABELS
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.sources.source_head import ReturnedForm, head_of, source_page
from lamplighter.web.routes import Pages

ROUTES = Pages()
_RUNS, _EVENTS, _ARRIVALS = 25, 15, 5
#: the number of ended runs in the charts
_CURVE_RUNS = 60
#: the largest offset
_FARTHEST = 1_000_000
DAY = timedelta(days=1)
#: one unit of width for each minute of the day
_MINUTE = timedelta(minutes=1)
WIDTH = DAY // _MINUTE
#: the least width, so that a run of seconds stays visible
_NARROWEST = 6
TONES = {
    RunOutcome.OK: "good",
    RunOutcome.WARN: "fair",
    RunOutcome.FAIL: "bad",
    RunOutcome.CANCELLED: "idle",
    None: "busy",
}


class Tick(NamedTuple):
    """One run on the strip."""

    run: CrawlRun
    x: int
    width: int
    tone: str


class OutcomeShare(NamedTuple):
    """The number of runs with one outcome, and its part of the bar in percent."""

    tone: str
    runs: int
    start: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DayStrip:
    """The ticks and the outcome bar."""

    #: the earliest first, so that the latest is drawn on top
    ticks: list[Tick]
    shares: list[OutcomeShare]
    width: int = WIDTH


def day_strip(runs: Iterable[CrawlRun], *, now: datetime) -> DayStrip:
    """Builds the strip; a run may have started before the 24 hours."""
    began = now - DAY
    ticks = sorted(
        (_tick(run, began=began, now=now) for run in runs if (run.finished_at or now) >= began),
        key=lambda tick: tick.run.started_at,
    )
    return DayStrip(ticks=ticks, shares=_shares(ticks))


def _tick(run: CrawlRun, *, began: datetime, now: datetime) -> Tick:
    start = max(0, (run.started_at - began) // _MINUTE)
    end = ((run.finished_at or now) - began) // _MINUTE
    width = max(_NARROWEST, end - start)
    return Tick(run, min(start, WIDTH - width), width, TONES[run.outcome])


def _shares(ticks: list[Tick]) -> list[OutcomeShare]:
    shares, start = [], 0.0
    for tone in TONES.values():
        count = sum(tick.tone == tone for tick in ticks)
        if count:
            width = 100 * count / len(ticks)
            shares.append(OutcomeShare(tone, count, round(start, 2), round(width, 2)))
            start += width
    return shares


@ROUTES.get("/sources/{source_id}")
async def show(source_id: UUID, request: ThisRequest) -> Response:
    """The overview of a source."""
    return await overview_page(request, source_id)


@ROUTES.get("/sources/{source_id}/head")
async def head_alone(
    source_id: UUID, request: ThisRequest, tab: Annotated[str, Query(max_length=300)] = ""
) -> Response:
    """The refreshed head of a source; `tab` is the path of the current view."""
    if not request.is_partial:
        return RedirectResponse(f"/sources/{source_id}", status_code=303)
    return source_page(request, "sources/one/head.html", head=await head_of(request, source_id), tab=tab)


@ROUTES.get("/sources/{source_id}/runs")
async def runs(
    source_id: UUID, request: ThisRequest, offset: Annotated[int, Query(ge=0, le=_FARTHEST)] = 0
) -> Response:
    """The runs and events of a source."""
    head = await head_of(request, source_id)
    public_id = head.source.public_id
    async with request.view.db.read() as db:
        page = await run_history.of_source(db, public_id, limit=_RUNS, offset=offset)
        source_events, source_events_total = await events.newest(
            db, EventFilter(source=public_id), limit=_EVENTS, offset=0
        )
    return source_page(
        request,
        "sources/one/runs.html",
        head=head,
        page=page,
        source_events=source_events,
        source_events_total=source_events_total,
        offset=offset,
        limit=_RUNS,
    )


@ROUTES.get("/sources/{source_id}/arrivals")
async def arrivals(source_id: UUID, request: ThisRequest) -> Response:
    """A part of the source's page: its newest records."""
    view = request.view
    source = await view.read(lambda db: sources.find(db, source_id))
    wanted = RecordFilter(source_id=source.public_id, presence=Presence.PRESENT)
    order = RecordOrder(by=SortKey.FIRST_SEEN, descending=True, limit=_ARRIVALS)
    found = await record_search.search_with(view.db, view.search.finder, wanted, order)
    async with view.db.read() as db:
        found_first = await sightings.found_first(db, source.id) if not found.records else []
    return request.part(
        "sources/add/arrived.html",
        records=found.records,
        total=found.total,
        found_first=found_first,
        path=f"/sources/{source.public_id}",
    )


async def overview_page(
    request: PageRequest, source_id: UUID, *, status: int = 200, returned: ReturnedForm | None = None
) -> Response:
    """The overview, with an invalid form shown again."""
    head = await head_of(request, source_id)
    async with request.view.db.read() as db:
        seen = await source_detail.detail(
            db, head.source, source_defaults=request.view.source_defaults, now=request.now
        )
        notification_rules_here = await notification_rules.of_source(db, head.source.id, head.tags)
    return source_page(
        request,
        "sources/one/overview.html",
        head=head,
        status=status,
        returned=returned,
        detail=seen,
        notification_rules_here=notification_rules_here,
        labels=LABELS,
        strip=day_strip(seen.runs, now=request.now),
        curves=_curves(seen),
        run_plots=_run_plots(_curves(seen)),
    )


@ROUTES.get("/sources/{source_id}/plots/{name}.csv")
async def plot_csv(source_id: UUID, name: str, request: ThisRequest) -> Response:
    """The figures of a plot of a source's runs."""
    view = request.view
    async with view.db.read() as db:
        source = await sources.find(db, source_id)
        seen = await source_detail.detail(db, source, source_defaults=view.source_defaults, now=request.now)
    drawn = _run_plots(_curves(seen))
    if name not in drawn:
        raise NotFound(f"there is no plot {name[:100]!r} of a source; there are {', '.join(drawn)}")
    return plots.csv_of(drawn[name], f"{name}.csv")


def _curves(seen: SourceDetail) -> Sequence[CrawlRun]:
    """The latest ended runs, the oldest first."""
    return seen.ended[:_CURVE_RUNS][::-1]


def _run_plots(runs: Sequence[CrawlRun]) -> dict[str, Plot]:
    """Duration and records of these runs."""
    times, last = [run.started_at for run in runs], f"of the last {len(runs)} runs"
    took = [round(((run.finished_at or run.started_at) - run.started_at).total_seconds(), 1) for run in runs]
    found = PlotSeries(label="found", values=[run.tally.records_found for run in runs])
    new = [run.tally.records_inserted + run.tally.records_updated for run in runs]
    return {
        "duration": Plot(
            title=f"Duration {last}", times=times, series=[PlotSeries(label="duration", values=took)], unit="s"
        ),
        "records": Plot(
            title=f"Records {last}",
            times=times,
            series=[found, PlotSeries(label="new or changed", values=new, tone="good")],
            unit="records",
        ),
    }
