"""The run history, and the page and log of one run."""

from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Query, Response
from fastapi.responses import RedirectResponse

from lamplighter.model.crawl import CrawlRun, RunOutcome, Trigger
from lamplighter.model.run_log import LogLevel
from lamplighter.operations.runs import activity, crawl_control, run_history, run_logs, runs
from lamplighter.rules.hosts import waiting
from lamplighter.rules.hosts.waiting import Wait
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import run_log
from lamplighter.store.runs.run_history import MOST_COUNTED, RunFilter
from lamplighter.store.runs.run_log import LogFilter
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.sources.bare_names import all_beside
from lamplighter.web.routes import Pages
from lamplighter.web.values import BIGGEST, Line
from lamplighter.web.words import counted

ROUTES = Pages()
_LIMIT = 50
_LOG_LINES = 500
_SPANS = {
    "1h": ("the last hour", timedelta(hours=1)),
    "24h": ("the last 24 hours", timedelta(days=1)),
    "7d": ("the last 7 days", timedelta(days=7)),
    "30d": ("the last 30 days", timedelta(days=30)),
}
#: the filter value for runs without an outcome
_GOING_ON = "running"

Word = Annotated[Line, Query(max_length=300)]
Offset = Annotated[int, Query(ge=0, le=MOST_COUNTED)]


@ROUTES.get("/runs")
async def history(
    request: ThisRequest,
    source: Word = "",
    outcome: Word = "",
    trigger: Word = "",
    since: Word = "24h",
    offset: Offset = 0,
) -> Response:
    """The run history, newest first."""
    given = {"source": source.strip(), "outcome": outcome, "trigger": trigger, "since": since}
    async with request.view.db.read() as db:
        found = await run_history.listed(db, _wanted(request, **given), limit=_LIMIT, offset=offset)
        beside = await all_beside(db, {each.source_id: each.source_name for each in found.rows})
    shown: dict[str, Any] = {
        "found": found,
        "beside": beside,
        "given": given,
        "offset": offset,
        "limit": _LIMIT,
        "most_counted": MOST_COUNTED,
        "path": f"/runs?{urlencode(given)}&",
        "outcomes": [("", "any outcome"), (_GOING_ON, "running"), *((each, each) for each in RunOutcome)],
        "triggers": [("", "anything"), *((each, each) for each in Trigger)],
        "spans": [*((key, words) for key, (words, _) in _SPANS.items()), ("", "at any time")],
    }
    return request.part_or_page("run-list", "runs/list.html", "runs/index.html", **shown)


def _wanted(request: PageRequest, *, source: str, outcome: str, trigger: str, since: str) -> RunFilter:
    """The filters of the run history; unknown values are ignored."""
    public_id = _public_id(source)
    span = _SPANS.get(since)
    return RunFilter(
        source_id=public_id,
        search=source or None if public_id is None else None,
        outcome=RunOutcome(outcome) if outcome in set(RunOutcome) else None,
        is_open=outcome == _GOING_ON,
        trigger=Trigger(trigger) if trigger in set(Trigger) else None,
        since=request.now - span[1] if span is not None else None,
    )


def _public_id(text: str) -> str | None:
    try:
        return str(UUID(text)) if len(text) == 36 else None
    except ValueError:
        return None


@ROUTES.get("/runs/{run_id}")
async def one(run_id: UUID, request: ThisRequest, offset: Offset = 0) -> Response:
    """The page of one run: figures, log and pages."""
    async with request.view.db.read() as db:
        detail = await run_history.one(db, str(run_id))
        found, total = await run_history.pages_of(db, detail.run, limit=_LIMIT, offset=offset)
        lines = await run_log.latest(db, detail.run.id, limit=run_logs.REPLAYED)
        offered = await _offered(db, detail.run)
        wait = await _wait(db, detail.run, request)
    shown: dict[str, Any] = {"pages": found, "total": total, "offset": offset, "limit": _LIMIT}
    log: dict[str, Any] = {"lines": lines, "given": _NO_FILTER, **offered}
    return request.page("runs/one.html", detail=detail, wait=wait, most_counted=MOST_COUNTED, **shown, **log)


_NO_FILTER = {"level": "", "category": "", "action": "", "q": ""}


async def _offered(db: Connection, run: CrawlRun) -> dict[str, Any]:
    """The log filters that a run offers."""
    categories, actions = await run_log.categories(db, run.id), await run_log.actions(db, run.id)
    return {"levels": list(LogLevel), "categories": categories, "actions": actions}


@ROUTES.get("/runs/{run_id}/figures")
async def figures(run_id: UUID, request: ThisRequest) -> Response:
    """The refreshed figures of a run."""
    if not request.is_partial:
        return RedirectResponse(f"/runs/{run_id}", status_code=303)
    async with request.view.db.read() as db:
        detail = await run_history.one(db, str(run_id))
        wait = await _wait(db, detail.run, request)
    return request.part("runs/figures.html", detail=detail, wait=wait)


async def _wait(db: Connection, run: CrawlRun, request: PageRequest) -> Wait | None:
    """What an active run waits for, None if it is progressing."""
    if run.finished_at is not None:
        return None
    return await activity.wait_of_run(db, run.id, defaults=request.view.source_defaults.host, now=request.now)


@ROUTES.get("/runs/{run_id}/pages")
async def pages(run_id: UUID, request: ThisRequest, offset: Offset = 0) -> Response:
    """The refreshed pages of a run."""
    if not request.is_partial:
        return RedirectResponse(f"/runs/{run_id}", status_code=303)
    async with request.view.db.read() as db:
        detail = await run_history.one(db, str(run_id))
        found, total = await run_history.pages_of(db, detail.run, limit=_LIMIT, offset=offset)
    shown: dict[str, Any] = {"pages": found, "total": total, "offset": offset, "limit": _LIMIT}
    return request.part("runs/pages.html", detail=detail, most_counted=MOST_COUNTED, **shown)


@ROUTES.get("/runs/{run_id}/log")
async def log(
    run_id: UUID,
    request: ThisRequest,
    level: Word = "",
    category: Word = "",
    action: Word = "",
    q: Word = "",
    after: Annotated[int, Query(ge=0, le=BIGGEST)] = 0,
) -> Response:
    """The whole log of a run, page by page."""
    given = {"level": level, "category": category, "action": action, "q": q.strip()}
    which = LogFilter(LogLevel(level) if level in set(LogLevel) else None, category or None, action or None)
    async with request.view.db.read() as db:
        detail = await run_history.one(db, str(run_id))
        lines, _ = await run_logs.lines(
            db, detail.run, after=after, which=which, search=given["q"] or None, limit=_LOG_LINES
        )
        offered = await _offered(db, detail.run)
    has_more = len(lines) == _LOG_LINES
    further = f"/runs/{run_id}/log?{urlencode(given | {'after': lines[-1].id})}" if has_more else None
    shown: dict[str, Any] = {"lines": lines, "given": given, "further": further, **offered}
    return request.page("runs/log.html", detail=detail, **shown)


@ROUTES.post("/runs/{run_id}/cancel")
async def cancel(run_id: UUID, request: ThisRequest) -> Response:
    """Cancels a run; its job stays scheduled."""
    view, form, here = request.view, await request.form(), f"/runs/{run_id}"
    detail = await view.read(lambda db: run_history.one(db, str(run_id)))
    question = (
        f"Cancel run {detail.run.number} of {detail.source.name}? Its records stay; "
        f"{counted(detail.left.to_ask, 'page')} will not be fetched."
    )
    request.confirm(form, question, label="Cancel the run", back=here)
    await view.db.write(lambda db: runs.cancel(db, str(run_id), stamp=request.stamp))
    return request.done("The run was cancelled.", to=here)


@ROUTES.post("/runs/{run_id}/again")
async def again(run_id: UUID, request: ThisRequest) -> Response:
    """Starts another run of the same source now."""
    view = request.view
    deadline = view.run_deadline
    source = (await view.read(lambda db: run_history.one(db, str(run_id)))).source
    started = await view.db.write(
        lambda db: crawl_control.run(
            db, source.public_id, stamp=request.stamp, deadline=deadline, source_defaults=view.source_defaults
        )
    )
    return request.done(waiting.started(started.wait), to=f"/runs/{started.run_id}")
