"""Tasks: pages submitted one by one, what became of them, and what can be done with them."""

from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Query

from lamplighter.errors import BadInput, NotPossible
from lamplighter.operations import task_actions, task_lists, tasks
from lamplighter.operations.task_actions import Again
from lamplighter.operations.tasks import CHUNK, Order, Submitted
from lamplighter.rules import interval_text
from lamplighter.rules.percent import percent
from lamplighter.store.database import Connection
from lamplighter.store.page_lists import Wanted
from lamplighter.store.task_sources import TaskHost
from lamplighter.web.api.envelope import done
from lamplighter.web.api.paging import PageNumber, PerPage, pagination
from lamplighter.web.api.problems import Family
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.tasks import examples_tasks as examples
from lamplighter.web.api.tasks import given_tasks as given
from lamplighter.web.api.tasks import shapes_tasks as shapes
from lamplighter.web.api.tasks.rows_tasks import line_of, whole
from lamplighter.web.api.tasks.shapes_tasks import STAGES, Done, TaskStatus, inside, outside, status_of
from lamplighter.web.api.values import BIGGEST, Line, Moment, RowId
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api/admin/tasks", tag="tasks", family=Family.ENVELOPE)
T = TypeVar("T")

_DETAILS_SHOWN = 100
DomainId = Annotated[int, Query(ge=1, le=BIGGEST)]
PriorityBound = Annotated[int, Query(ge=1, le=10)]
TimeRange = Annotated[Line, Query(min_length=1, max_length=50)]
SortBy = Literal["id", "created_at", "scheduled_at", "completed_at", "priority", "status", "url", "response_time_ms"]


@ROUTES.post("", status=201, errors=(404, 409), response_model=Done[shapes.AddedTask], example=examples.ADDED)
async def add_task(new: given.NewTask, view: View, caller: Asking) -> Any:
    """Submit a page of a domain. It is asked for in its domain's turn, once or again and again."""
    now, priority = view.clock.now(), inside(new.priority)

    async def work(db: Connection) -> Any:
        host = await tasks.host_of(db, new.domain_id)
        tasks.on_host(host, new.url)
        order = Order(
            priority=priority, frequency=_frequency(new, host), at=new.scheduled_at, max_retries=new.max_retries
        )
        source_id = await tasks.implicit_source(db, host, now)
        page_id = await tasks.submit(db, source_id, new.url, order, actor=caller.name, now=now)
        return await task_lists.one(db, page_id, now=now)

    page = await _do(view, work)
    added = {"task_id": page.id, "url_hash": page.url_key, "created_at": page.created_at}
    return done(line_of(page) | added, "Task submitted")


@ROUTES.post("/batch", status=201, errors=(404,), response_model=Done[shapes.AddedBatch], example=examples.BATCH)
async def add_batch(new: given.NewBatch, view: View, caller: Asking) -> Any:
    """Submit up to 10,000 pages of a domain. Those submitted before and those that cannot be used are counted."""
    now, priority = view.clock.now(), inside(new.priority)
    parts: list[Submitted] = []
    for start in range(0, len(new.urls), CHUNK):
        chunk = new.urls[start : start + CHUNK]

        async def work(db: Connection, chunk: list[str] = chunk) -> Submitted:
            host = await tasks.host_of(db, new.domain_id)
            order = Order(priority=priority, frequency=_frequency(new, host))
            return await tasks.submit_many(db, host, chunk, order, actor=caller.name, now=now)

        parts.append(await _do(view, work))
    ids = [page_id for part in parts for page_id in part.page_ids]
    refused = [refusal for part in parts for refusal in part.refused]
    data = {
        "total_submitted": len(ids),
        "total_duplicates": sum(part.duplicates for part in parts),
        "total_failed": len(refused),
        "task_ids": ids,
        "details": [{"url": url[:200], "reason": reason} for url, reason in refused[:_DETAILS_SHOWN]],
    }
    return done(data, f"{len(ids)} tasks submitted")


@ROUTES.get("/stats", errors=(404,), response_model=Done[shapes.TaskStats], example=examples.STATS)
async def stats(view: View, domain_id: DomainId | None = None, time_range: TimeRange = "24h") -> Any:
    """Where tasks stand now, and how the visits of the last time went, of one domain or of all."""
    span, now = interval_text.parse(time_range), view.clock.now()
    async with view.db.read() as db:
        figures = await task_lists.figures(db, host_id=domain_id, span=span, now=now)
    by_status = dict.fromkeys(TaskStatus, 0)
    for stage, count in figures.by_stage.items():
        by_status[status_of(stage)] += count
    completed, failed, average = figures.visits
    data = {
        "total_tasks": figures.by_stage.total(),
        "by_status": by_status,
        "success_rate": percent(completed, failed),
        "avg_response_time_ms": round(average, 2) if average is not None else None,
        "total_recrawls": figures.revisits,
        "time_range": time_range,
    }
    return done(data, "Statistics of tasks")


@ROUTES.post(
    "/restart-failed", errors=(404,), response_model=Done[shapes.RestartedMany], example=examples.RESTARTED_MANY
)
async def restart_failed(view: View, caller: Asking, which: given.RestartFailed | None = None) -> Any:
    """Have submitted pages that failed asked for again, with all their tries."""
    chosen, now = which or given.RestartFailed(), view.clock.now()
    ids = await _do(
        view,
        lambda db: task_actions.restart_failed(
            db,
            host_id=chosen.domain_id,
            failed_after=chosen.failed_after,
            limit=chosen.limit,
            actor=caller.name,
            now=now,
        ),
    )
    return done({"total_restarted": len(ids), "task_ids": ids}, f"{len(ids)} tasks restarted")


@ROUTES.get("", response_model=shapes.TaskList, response_model_exclude_unset=True, example=examples.LIST)
async def list_tasks(
    view: View,
    domain_id: DomainId | None = None,
    status: TaskStatus | None = None,
    priority_min: PriorityBound | None = None,
    priority_max: PriorityBound | None = None,
    created_after: Moment | None = None,
    created_before: Moment | None = None,
    is_recurring: bool | None = None,
    page: PageNumber = 1,
    per_page: PerPage = 20,
    sort_by: SortBy = "created_at",
    sort_order: Literal["asc", "desc"] = "desc",
) -> Any:
    """Tasks, those that were submitted and those that a crawl made by itself; both are pages to be asked for."""
    wanted = Wanted(
        host_id=domain_id,
        stages=STAGES[status] if status is not None else None,
        created_after=created_after,
        created_before=created_before,
        is_recurring=is_recurring,
        **given.rank_bounds(priority_min, priority_max),
    )
    async with view.db.read() as db:
        found = await task_lists.listed(
            db,
            wanted,
            sort=sort_by,
            descending=sort_order == "desc",
            limit=per_page,
            offset=(page - 1) * per_page,
            now=view.clock.now(),
        )
    where = pagination(page=page, per_page=per_page, total=found.total)
    if not found.is_exact:
        where["total_is_exact"] = False
    return done([line_of(row) for row in found.rows], "Tasks", pagination=where)


@ROUTES.get("/{task_id}", response_model=Done[shapes.WholeTask], example=examples.TASK)
async def show_task(task_id: RowId, view: View) -> Any:
    """One task with all that is known of it."""
    async with view.db.read() as db:
        page = await task_lists.one(db, task_id, now=view.clock.now())
        acted_at = await task_lists.acted_at(db, task_id)
    return done(whole(page, page_retries=view.settings.page_retries, acted_at=acted_at), "Task")


@ROUTES.post("/{task_id}/restart", response_model=Done[shapes.Restarted], example=examples.RESTARTED)
async def restart(task_id: RowId, view: View, caller: Asking, how: given.Restart | None = None) -> Any:
    """Ask for a page again that was had, failed, was paused or cancelled. One that is in line stays as it stands."""
    wish, now = how or given.Restart(), view.clock.now()
    priority = inside(wish.priority) if wish.priority is not None else None
    again = Again(reset_retries=wish.reset_retry_count, priority=priority, at=wish.scheduled_at)
    page = await _do(view, lambda db: task_actions.restart(db, task_id, again, actor=caller.name, now=now))
    return done(line_of(page) | {"task_id": page.id, "retry_count": page.retry_count}, "Task restarted")


@ROUTES.post("/{task_id}/restart-parsing", response_model=Done[shapes.Reread], example=examples.REREAD)
async def restart_parsing(task_id: RowId, view: View, caller: Asking, how: given.RestartParsing | None = None) -> Any:
    """Read the copy that we hold of a page again. The site is not asked for anything."""
    wish, now = how or given.RestartParsing(), view.clock.now()
    async with view.db.read() as db:
        key = task_actions.body_key_of(await task_lists.one(db, task_id, now=now))
    if await view.archive.get(key) is None:
        raise task_actions.no_body(task_id)
    page = await _do(
        view,
        lambda db: task_actions.restart_reading(
            db,
            task_id,
            reset_retries=wish.reset_retry_count,
            actor=caller.name,
            deadline=_deadline(view),
            now=now,
        ),
    )
    return done({"task_id": page.id, "status": status_of(page.stage), "html_path": page.body_key}, "Parsing restarted")


@ROUTES.post("/{task_id}/pause", response_model=Done[shapes.Paused], example=examples.PAUSED)
async def pause(task_id: RowId, view: View, caller: Asking) -> Any:
    """Leave a page alone until it is resumed; an answer that is on its way is not kept."""
    now = view.clock.now()
    page, stage = await _do(view, lambda db: task_actions.pause(db, task_id, actor=caller.name, now=now))
    data = {"task_id": page.id, "status": status_of(page.stage), "previous_status": status_of(stage)}
    return done(data, "Task paused")


@ROUTES.post("/{task_id}/resume", response_model=Done[shapes.Resumed], example=examples.RESUMED)
async def resume(task_id: RowId, view: View, caller: Asking) -> Any:
    """Let a paused page go on: what was had is read, anything else is asked for."""
    now, deadline = view.clock.now(), _deadline(view)
    page = await _do(view, lambda db: task_actions.resume(db, task_id, actor=caller.name, deadline=deadline, now=now))
    return done(line_of(page) | {"task_id": page.id}, "Task resumed")


@ROUTES.patch("/{task_id}/priority", response_model=Done[shapes.Prioritised], example=examples.PRIORITISED)
async def set_priority(task_id: RowId, new: given.NewPriority, view: View, caller: Asking) -> Any:
    """Put a page before or behind the others of its domain."""
    priority, now = inside(new.priority), view.clock.now()
    before = await _do(view, lambda db: task_actions.set_priority(db, task_id, priority, actor=caller.name, now=now))
    data = {"task_id": task_id, "priority": new.priority, "previous_priority": outside(before)}
    return done(data, "Priority changed")


@ROUTES.delete("/{task_id}", response_model=Done[shapes.Cancelled], example=examples.CANCELLED)
async def cancel(task_id: RowId, view: View, caller: Asking) -> Any:
    """Give a page up, wherever it stands. It can be restarted."""
    now = view.clock.now()
    page = await _do(view, lambda db: task_actions.cancel(db, task_id, actor=caller.name, now=now))
    return done({"task_id": page.id, "status": status_of(page.stage)}, "Task cancelled")


def _frequency(new: given.Frequency, host: TaskHost) -> timedelta | None:
    """How often: as said, else as is usual for the domain; None for once."""
    if not new.is_recurring:
        return None
    return given.frequency_from(new.crawl_frequency) if new.crawl_frequency else tasks.frequency_of(host)


def _deadline(view: ServiceView) -> timedelta:
    return timedelta(minutes=view.settings.run_deadline_minutes)


async def _do(view: ServiceView, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
    """Does it, and wakes those who carry tasks out; here it is a fault of the asker if it cannot be done now."""
    try:
        result = await view.db.write(work)
    except NotPossible as error:
        raise BadInput(str(error), code="invalid_status") from None
    view.tasks_changed()
    return result
