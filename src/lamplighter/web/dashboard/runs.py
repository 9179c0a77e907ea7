"""Runs: what came of each, and its log while it goes on."""

from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Query, Response
from fastapi.responses import RedirectResponse

from lamplighter.model.crawl import CrawlRun, Outcome, Trigger
from lamplighter.model.run_log import Level
from lamplighter.operations import crawl_control, run_history, run_logs, run_waits, runs
from lamplighter.rules.waiting import Wait
from lamplighter.store.database import Connection
from lamplighter.store.run_history import MOST_COUNTED, Wanted
from lamplighter.store.run_log import Which
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import BIGGEST, Line
from lamplighter.web.dashboard.bare_names import all_beside
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.words import counted

ROUTES = Routes("", tag="dashboard")
_LIMIT = 50
_LOG_LINES = 500
_SPANS = {
    "1h": ("the last hour", timedelta(hours=1)),
    "24h": ("the last 24 hours", timedelta(days=1)),
    "7d": ("the last 7 days", timedelta(days=7)),
    "30d": ("the last 30 days", timedelta(days=30)),
}
#: a run that goes on has no outcome yet
_GOING_ON = "running"

Word = Annotated[Line, Query(max_length=300)]
Offset = Annotated[int, Query(ge=0, le=MOST_COUNTED)]


@ROUTES.get("/runs", include_in_schema=False)
async def history(
    visit: Visiting, source: Word = "", outcome: Word = "", trigger: Word = "", since: Word = "24h", offset: Offset = 0
) -> Response:
    """The history of runs, the latest first."""
    given = {"source": source.strip(), "outcome": outcome, "trigger": trigger, "since": since}
    async with visit.view.db.read() as db:
        found = await run_history.listed(db, _wanted(visit, **given), limit=_LIMIT, offset=offset)
        beside = await all_beside(db, {each.source_id: each.source_name for each in found.runs})
    shown: dict[str, Any] = {
        "found": found,
        "beside": beside,
        "given": given,
        "offset": offset,
        "limit": _LIMIT,
        "most_counted": MOST_COUNTED,
        "path": f"/runs?{urlencode(given)}&",
        "outcomes": [("", "any outcome"), (_GOING_ON, "running"), *((each, each) for each in Outcome)],
        "triggers": [("", "anything"), *((each, each) for each in Trigger)],
        "spans": [*((key, words) for key, (words, _) in _SPANS.items()), ("", "at any time")],
    }
    if visit.target == "run-list":
        return visit.part("runs/list.html", **shown)
    return visit.page("runs/index.html", **shown)


def _wanted(visit: Visit, *, source: str, outcome: str, trigger: str, since: str) -> Wanted:
    """What a visitor asks for; a word that means nothing narrows nothing."""
    public_id = _public_id(source)
    span = _SPANS.get(since)
    return Wanted(
        source_id=public_id,
        search=source or None if public_id is None else None,
        outcome=Outcome(outcome) if outcome in set(Outcome) else None,
        is_open=outcome == _GOING_ON,
        trigger=Trigger(trigger) if trigger in set(Trigger) else None,
        since=visit.now - span[1] if span is not None else None,
    )


def _public_id(text: str) -> str | None:
    try:
        return str(UUID(text)) if len(text) == 36 else None
    except ValueError:
        return None


@ROUTES.get("/runs/{run_id}", include_in_schema=False)
async def one(run_id: UUID, visit: Visiting, offset: Offset = 0) -> Response:
    """One run: its figures, its log, its pages."""
    async with visit.view.db.read() as db:
        detail = await run_history.one(db, str(run_id))
        found, total = await run_history.pages_of(db, detail.run, limit=_LIMIT, offset=offset)
        lines = await run_logs.latest(db, detail.run)
        offered = await _offered(db, detail.run)
        wait = await _wait(db, detail.run, visit)
    shown: dict[str, Any] = {"pages": found, "total": total, "offset": offset, "limit": _LIMIT}
    log: dict[str, Any] = {"lines": lines, "given": _NO_FILTER, **offered}
    return visit.page("runs/one.html", detail=detail, wait=wait, most_counted=MOST_COUNTED, **shown, **log)


_NO_FILTER = {"level": "", "category": "", "action": "", "q": ""}


async def _offered(db: Connection, run: CrawlRun) -> dict[str, Any]:
    """What the lines of a run can be narrowed down to."""
    categories, actions = await run_logs.categories(db, run), await run_logs.actions(db, run)
    return {"levels": list(Level), "categories": categories, "actions": actions}


@ROUTES.get("/runs/{run_id}/figures", include_in_schema=False)
async def figures(run_id: UUID, visit: Visiting) -> Response:
    """The figures of a run, to take the place of those of a moment ago."""
    if not visit.is_partial:
        return RedirectResponse(f"/runs/{run_id}", status_code=303)
    async with visit.view.db.read() as db:
        detail = await run_history.one(db, str(run_id))
        wait = await _wait(db, detail.run, visit)
    return visit.part("runs/figures.html", detail=detail, wait=wait)


async def _wait(db: Connection, run: CrawlRun, visit: Visit) -> Wait | None:
    """What a run that goes on waits for."""
    if run.finished_at is not None:
        return None
    return await run_waits.of_run(db, run.id, defaults=visit.view.norms.host, now=visit.now)


@ROUTES.get("/runs/{run_id}/pages", include_in_schema=False)
async def pages(run_id: UUID, visit: Visiting, offset: Offset = 0) -> Response:
    """The pages of a run, to take the place of those of a moment ago."""
    if not visit.is_partial:
        return RedirectResponse(f"/runs/{run_id}", status_code=303)
    async with visit.view.db.read() as db:
        detail = await run_history.one(db, str(run_id))
        found, total = await run_history.pages_of(db, detail.run, limit=_LIMIT, offset=offset)
    shown: dict[str, Any] = {"pages": found, "total": total, "offset": offset, "limit": _LIMIT}
    return visit.part("runs/pages.html", detail=detail, most_counted=MOST_COUNTED, **shown)


@ROUTES.get("/runs/{run_id}/log", include_in_schema=False)
async def log(
    run_id: UUID,
    visit: Visiting,
    level: Word = "",
    category: Word = "",
    action: Word = "",
    q: Word = "",
    after: Annotated[int, Query(ge=0, le=BIGGEST)] = 0,
) -> Response:
    """All that a run wrote, a part at a time."""
    given = {"level": level, "category": category, "action": action, "q": q.strip()}
    which = Which(Level(level) if level in set(Level) else None, category or None, action or None)
    async with visit.view.db.read() as db:
        detail = await run_history.one(db, str(run_id))
        found = await run_logs.lines(
            db, detail.run, after=after, which=which, search=given["q"] or None, limit=_LOG_LINES
        )
        offered = await _offered(db, detail.run)
    has_more = len(found.lines) == _LOG_LINES
    further = f"/runs/{run_id}/log?{urlencode(given | {'after': found.lines[-1].id})}" if has_more else None
    shown: dict[str, Any] = {"lines": found.lines, "given": given, "further": further, **offered}
    return visit.page("runs/log.html", detail=detail, **shown)


@ROUTES.post("/runs/{run_id}/cancel", include_in_schema=False)
async def cancel(run_id: UUID, visit: Visiting) -> Response:
    """Stops a run; its job goes on as planned."""
    view, form, here = visit.view, await visit.form(), f"/runs/{run_id}"
    async with view.db.read() as db:
        detail = await run_history.one(db, str(run_id))
    question = (
        f"Cancel run {detail.run.number} of {detail.source.name}? What it has found stays; "
        f"{counted(detail.left.to_ask, 'page')} will not be asked for."
    )
    if (asked := visit.confirm(form, question, label="Cancel the run", back=here)) is not None:
        return asked
    await view.db.write(lambda db: runs.cancel(db, str(run_id), actor=visit.caller.name, now=visit.now))
    view.jobs_changed()
    return visit.done("The run is cancelled.", to=here)


@ROUTES.post("/runs/{run_id}/again", include_in_schema=False)
async def again(run_id: UUID, visit: Visiting) -> Response:
    """Opens another run of the same source now."""
    view = visit.view
    deadline = timedelta(minutes=view.settings.run_deadline_minutes)
    async with view.db.read() as db:
        source = (await run_history.one(db, str(run_id))).source
    started = await view.db.write(
        lambda db: crawl_control.run(
            db, source.public_id, actor=visit.caller.name, now=visit.now, deadline=deadline, norms=view.norms
        )
    )
    view.hosts_changed()
    return visit.done("Another run is opened.", to=f"/runs/{started.run_id}")
