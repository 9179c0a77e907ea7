"""Tasks: pages that are submitted one by one, their status and actions on them."""

from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, TypeVar
from uuid import uuid4

from fastapi import Path, Query

from lamplighter.errors import BadInput, NotAllowed, NotPossible
from lamplighter.model.access import Caller, Role
from lamplighter.operations.pages import task_actions, task_lists, task_waits, task_webhooks, tasks
from lamplighter.operations.pages.task_actions import TaskChange, TaskRestart
from lamplighter.operations.pages.tasks import CHUNK, SubmitResult, TaskOrder
from lamplighter.rules.formats.percent import percent
from lamplighter.rules.schedule import interval_text
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages.page_lists import PageFilter
from lamplighter.store.sources.task_sources import TaskHost
from lamplighter.web.api.envelope import DoneOut, done, pagination
from lamplighter.web.api.tasks import given_tasks as given
from lamplighter.web.api.tasks import shapes_tasks as shapes
from lamplighter.web.api.tasks.rows_tasks import line_of, whole
from lamplighter.web.api.tasks.shapes_tasks import STAGES, TaskStatus, inside, outside, status_of
from lamplighter.web.problems import Family
from lamplighter.web.routes import Routes
from lamplighter.web.values import BIGGEST, Line, Moment, PageNumber, PerPage, RowId
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api/admin/tasks", tag="tasks", family=Family.ENVELOPE)
T = TypeVar("T")

_DETAILS_SHOWN = 100
DomainId = Annotated[int, Query(ge=1, le=BIGGEST)]
PriorityBound = Annotated[int, Query(ge=1, le=10)]
TimeRange = Annotated[Line, Query(min_length=1, max_length=50)]
SortBy = Literal["id", "created_at", "scheduled_at", "completed_at", "priority", "status", "url", "response_time_ms"]


@ROUTES.post("", status=201, errors=(404, 409), response_model=DoneOut[shapes.AddedTask])
async def add_task(new: given.NewTask, view: View, caller: Asking) -> Any:
    """Submit a page of a domain. It is fetched in the domain's turn, once or repeatedly."""
    stamp, priority = view.stamp(caller), inside(new.priority)

    async def work(db: Connection) -> Any:
        host = await tasks.host_of(db, new.domain_id)
        tasks.on_host(host, new.url)
        order = TaskOrder(
            priority=priority,
            **_frequency(new, host),
            at=new.scheduled_at,
            max_retries=new.max_retries,
            **await _around(db, new, view, caller),
        )
        source_id = await tasks.implicit_source(db, host, stamp.now)
        page_id = await tasks.submit(db, source_id, new.url, order, stamp=stamp)
        return await task_lists.one(db, page_id, now=stamp.now)

    page = await _do(view, work)
    added = {"task_id": page.id, "url_hash": page.url_key, "created_at": page.created_at}
    return done(line_of(page) | added, "Task submitted")


@ROUTES.post("/batch", status=201, errors=(404,), response_model=DoneOut[shapes.AddedBatch])
async def add_batch(new: given.NewBatch, view: View, caller: Asking) -> Any:
    """Submit up to 10,000 pages of a domain. Duplicates and invalid URLs are counted."""
    stamp, priority = view.stamp(caller), inside(new.priority)
    parts: list[SubmitResult] = []
    batch_id = str(uuid4())
    for start in range(0, len(new.urls), CHUNK):
        chunk = new.urls[start : start + CHUNK]

        async def work(db: Connection, chunk: list[str] = chunk) -> SubmitResult:
            host = await tasks.host_of(db, new.domain_id)
            around = await _around(db, new, view, caller)
            order = TaskOrder(priority=priority, **_frequency(new, host), batch_id=batch_id, **around)
            return await tasks.submit_many(db, host, chunk, order, stamp=stamp)

        parts.append(await _do(view, work))
    ids = [page_id for part in parts for page_id in part.page_ids]
    refused = [refusal for part in parts for refusal in part.refused]
    data = {
        "batch_id": batch_id,
        "total_submitted": len(ids),
        "total_duplicates": sum(part.duplicates for part in parts),
        "total_failed": len(refused),
        "task_ids": ids,
        "details": [{"url": url[:200], "reason": reason} for url, reason in refused[:_DETAILS_SHOWN]],
    }
    return done(data, f"{len(ids)} tasks submitted")


@ROUTES.get("/stats", errors=(404,), response_model=DoneOut[shapes.TaskStats])
async def stats(view: View, domain_id: DomainId | None = None, time_range: TimeRange = "24h") -> Any:
    """Tasks by status now, and figures of recent visits, of one domain or of all."""
    span, now = interval_text.parse(time_range), view.clock.now()
    figures = await view.read(lambda db: task_lists.figures(db, host_id=domain_id, span=span, now=now))
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


@ROUTES.post("/restart-failed", errors=(404,), response_model=DoneOut[shapes.TasksRestarted])
async def restart_failed(view: View, caller: Asking, which: given.RestartFailed | None = None) -> Any:
    """Restart submitted pages that failed, with all their retries."""
    chosen, stamp = which or given.RestartFailed(), view.stamp(caller)
    ids = await _do(
        view,
        lambda db: task_actions.restart_failed(
            db, host_id=chosen.domain_id, failed_after=chosen.failed_after, limit=chosen.limit, stamp=stamp
        ),
    )
    return done({"total_restarted": len(ids), "task_ids": ids}, f"{len(ids)} tasks restarted")


@ROUTES.post("/batches/{batch_id}/restart", response_model=DoneOut[shapes.TasksRestarted])
async def restart_batch(batch_id: Annotated[Line, Path(max_length=36)], view: View, caller: Asking) -> Any:
    """Restart all tasks of a batch that are not under way, with all their retries."""
    ids = await _do(view, lambda db: task_actions.restart_batch(db, batch_id, stamp=view.stamp(caller)))
    return done({"total_restarted": len(ids), "task_ids": ids}, f"{len(ids)} tasks restarted")


@ROUTES.get("", response_model=shapes.TaskList, response_model_exclude_unset=True)
async def list_tasks(
    view: View,
    domain_id: DomainId | None = None,
    status: TaskStatus | None = None,
    priority_min: PriorityBound | None = None,
    priority_max: PriorityBound | None = None,
    created_after: Moment | None = None,
    created_before: Moment | None = None,
    is_recurring: bool | None = None,
    batch_id: Annotated[Line, Query(max_length=36)] | None = None,
    parent_task_id: DomainId | None = None,
    page: PageNumber = 1,
    per_page: PerPage = 20,
    sort_by: SortBy = "created_at",
    sort_order: Literal["asc", "desc"] = "desc",
) -> Any:
    """Tasks: pages that were submitted, and pages that a crawl found by itself."""
    wanted = PageFilter(
        host_id=domain_id,
        stages=STAGES[status] if status is not None else None,
        created_after=created_after,
        created_before=created_before,
        is_recurring=is_recurring,
        batch_id=batch_id,
        parent_id=parent_task_id,
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
        waits = await task_waits.of_tasks(db, found.rows, now=view.clock.now())
    where = pagination(page=page, per_page=per_page, total=found.total)
    if not found.is_exact:
        where["total_is_exact"] = False
    return done([line_of(row, wait=waits.get(row.id)) for row in found.rows], "Tasks", pagination=where)


@ROUTES.get("/{task_id}", response_model=DoneOut[shapes.WholeTask])
async def show_task(task_id: RowId, view: View) -> Any:
    """One task with all its fields."""
    async with view.db.read() as db:
        page = await task_lists.one(db, task_id, now=view.clock.now())
        acted_at = await task_lists.acted_at(db, task_id)
        wait = await task_waits.of_task(db, page, now=view.clock.now())
    return done(whole(page, wait=wait, page_retries=view.settings.page_retries, acted_at=acted_at), "Task")


@ROUTES.post("/{task_id}/restart", response_model=DoneOut[shapes.TaskRestarted])
async def restart(task_id: RowId, view: View, caller: Asking, how: given.Restart | None = None) -> Any:
    """Fetch a page again, or sooner if it waits for its turn or for a retry; at `scheduled_at` if that is given."""
    submitted, stamp = how or given.Restart(), view.stamp(caller)
    priority = inside(submitted.priority) if submitted.priority is not None else None
    again = TaskRestart(reset_retries=submitted.reset_retry_count, priority=priority, at=submitted.scheduled_at)
    page = await _do(view, lambda db: task_actions.restart(db, task_id, again, stamp=stamp))
    return done(line_of(page) | {"task_id": page.id, "retry_count": page.retry_count}, "Task restarted")


@ROUTES.post("/{task_id}/restart-parsing", response_model=DoneOut[shapes.TaskReread])
async def restart_parsing(task_id: RowId, view: View, caller: Asking, how: given.RestartParsing | None = None) -> Any:
    """Parse the stored copy of a page again. No request is sent to the site."""
    submitted, stamp = how or given.RestartParsing(), view.stamp(caller)
    key = task_actions.body_key_of(await view.read(lambda db: task_lists.one(db, task_id, now=stamp.now)))
    if await view.storage.archive.get(key) is None:
        raise task_actions.no_body(task_id)
    page = await _do(
        view,
        lambda db: task_actions.restart_reading(
            db, task_id, reset_retries=submitted.reset_retry_count, stamp=stamp, deadline=view.run_deadline
        ),
    )
    return done({"task_id": page.id, "status": status_of(page.stage), "html_path": page.body_key}, "Parsing restarted")


@ROUTES.post("/{task_id}/pause", response_model=DoneOut[shapes.TaskPaused])
async def pause(task_id: RowId, view: View, caller: Asking) -> Any:
    """Pause a page until it is resumed; a response in flight is not stored."""
    page, stage = await _do(view, lambda db: task_actions.pause(db, task_id, stamp=view.stamp(caller)))
    data = {"task_id": page.id, "status": status_of(page.stage), "previous_status": status_of(stage)}
    return done(data, "Task paused")


@ROUTES.post("/{task_id}/resume", response_model=DoneOut[shapes.TaskResumed])
async def resume(task_id: RowId, view: View, caller: Asking) -> Any:
    """Resume a paused page: it is parsed if it was fetched, else fetched."""
    stamp, deadline = view.stamp(caller), view.run_deadline
    page = await _do(view, lambda db: task_actions.resume(db, task_id, stamp=stamp, deadline=deadline))
    return done(line_of(page) | {"task_id": page.id}, "Task resumed")


@ROUTES.patch("/{task_id}/priority", response_model=DoneOut[shapes.TaskPrioritised])
async def set_priority(task_id: RowId, new: given.NewPriority, view: View, caller: Asking) -> Any:
    """Change a page's priority within its domain."""
    priority, stamp = inside(new.priority), view.stamp(caller)
    before = await _do(view, lambda db: task_actions.set_priority(db, task_id, priority, stamp=stamp))
    data = {"task_id": task_id, "priority": new.priority, "previous_priority": outside(before)}
    return done(data, "Priority changed")


@ROUTES.patch("/{task_id}", response_model=DoneOut[shapes.WholeTask])
async def change(task_id: RowId, new: given.ChangedTask, view: View, caller: Asking) -> Any:
    """Change priority, crawl frequency and retries of a task. The next visit moves with the frequency."""
    stamp = view.stamp(caller)
    priority = inside(new.priority) if new.priority is not None else None

    async def work(db: Connection) -> Any:
        sets_frequency = bool({"crawl_frequency", "is_recurring"} & new.model_fields_set)
        interval = await _changed_frequency(db, task_id, new, now=stamp.now) if sets_frequency else {}
        changed = TaskChange(priority=priority, max_retries=new.max_retries, sets_frequency=sets_frequency, **interval)
        page = await task_actions.change(db, task_id, changed, stamp=stamp)
        return page, await task_waits.of_task(db, page, now=stamp.now)

    page, wait = await _do(view, work)
    return done(whole(page, wait=wait, page_retries=view.settings.page_retries, acted_at=stamp.now), "Task changed")


@ROUTES.delete("/{task_id}", response_model=DoneOut[shapes.TaskCancelled])
async def cancel(task_id: RowId, view: View, caller: Asking) -> Any:
    """Cancel a page, whatever its status. It can be restarted."""
    page = await _do(view, lambda db: task_actions.cancel(db, task_id, stamp=view.stamp(caller)))
    return done({"task_id": page.id, "status": status_of(page.stage)}, "Task cancelled")


def _frequency(new: given.Frequency, host: TaskHost) -> dict[str, Any]:
    """The given frequency, else the domain's for a task that recurs."""
    default = tasks.frequency_of(host) if new.is_recurring else None
    frequency = given.frequency_from(new.crawl_frequency) if new.crawl_frequency else default
    return {"frequency": frequency, "is_recurring": new.is_recurring}


async def _changed_frequency(db: Connection, task_id: int, new: given.ChangedTask, *, now: datetime) -> dict[str, Any]:
    """The given frequency, else the task's own, else the domain's for a task that recurs; null drops its own."""
    page = await task_lists.one(db, task_id, now=now)
    is_recurring = new.is_recurring if new.is_recurring is not None else bool(page.is_recurring)
    if new.crawl_frequency:
        frequency: timedelta | None = given.frequency_from(new.crawl_frequency)
    elif "crawl_frequency" not in new.model_fields_set and page.frequency_seconds is not None:
        frequency = timedelta(seconds=page.frequency_seconds)
    else:
        frequency = tasks.frequency_of(await tasks.host_of(db, page.host_id)) if is_recurring else None
    return {"frequency": frequency, "is_recurring": is_recurring}


async def _around(db: Connection, new: given.Frequency, view: ServiceView, caller: Caller) -> dict[str, Any]:
    """The parent and the webhook of tasks; only administrators say where data goes."""
    stamp = view.stamp(caller)
    if new.webhook_url is not None and not caller.role.covers(Role.ADMIN):
        raise NotAllowed(f"webhook_url takes the role {Role.ADMIN}; yours is {caller.role}. Leave out webhook_url")
    if new.parent_task_id is not None:
        await task_lists.one(db, new.parent_task_id, now=stamp.now)
    channel_id = await task_webhooks.channel_of(
        db, new.webhook_url, new.webhook_secret, messenger=view.connections.messenger, stamp=stamp
    )
    return {"parent_id": new.parent_task_id, "channel_id": channel_id}


async def _do(view: ServiceView, work: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
    """Runs the write; a refused action is a 400 in this API."""
    try:
        result = await view.db.write(work)
    except NotPossible as error:
        raise BadInput(str(error), code="invalid_status") from None
    return result
