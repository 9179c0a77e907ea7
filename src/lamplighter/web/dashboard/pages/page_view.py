"""The page of one frontier page: history and actions; and the form to submit a URL."""

from collections.abc import Callable, Coroutine, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput, LamplighterError, NotPossible
from lamplighter.model.page import Phase
from lamplighter.operations.pages import frontier, page_history, task_actions
from lamplighter.operations.pages.task_actions import TaskRestart
from lamplighter.operations.pages.tasks import LEAST_FREQUENCY
from lamplighter.rules.schedule import interval_text
from lamplighter.store.engine.database import Connection
from lamplighter.web import page_ids
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.pages.frontier import PageRow
from lamplighter.web.routes import Pages
from lamplighter.web.values import RowId

ROUTES = Pages()
_FIELDS = ("url", "source", "priority", "frequency")


@ROUTES.get("/pages/submit")
async def submit_form(request: ThisRequest, url: str = "", source: str = "") -> Response:
    """The form to submit a URL."""
    given = {"url": url[:2000], "source": source[:36], "priority": "50", "frequency": ""}
    return request.page("pages/submit.html", given=given)


@ROUTES.post("/pages/submit")
async def submit(request: ThisRequest) -> Response:
    """Submits a URL to be fetched once or at an interval."""
    form, view = await request.form(), request.view
    try:
        submitted = _submitted(form)
        page_id = await view.db.write(lambda db: frontier.submit(db, stamp=request.stamp, **submitted))
    except LamplighterError as error:
        given = {name: form.text(name) for name in _FIELDS}
        return request.page("pages/submit.html", given=given, faults=_faults(error))
    return request.done("Submitted; it is fetched in its host's turn.", to=f"/pages/{page_id}")


@ROUTES.get("/pages/{page_id}")
async def show(page_id: RowId, request: ThisRequest) -> Response:
    """The state and history of a page."""
    life = await request.read(lambda db: page_history.of_page(db, page_id, now=request.now))
    shown: dict[str, Any] = {
        "life": life,
        "row": PageRow.of(life.page),
        "page_uuid": page_ids.shown,
        "actions": task_actions.actions_of(life.page),
        "is_moving": life.page.phase in (Phase.WAITING, Phase.PENDING, Phase.DOWNLOADED),
    }
    return request.part_or_page("life", "pages/history.html", "pages/page.html", **shown)


@ROUTES.post("/pages/{page_id}/restart")
async def restart(page_id: RowId, request: ThisRequest) -> Response:
    """Restarts a page: fetches it again."""
    return await _do(
        request,
        page_id,
        "It is fetched again in its host's turn.",
        lambda db: task_actions.restart(db, page_id, TaskRestart(), stamp=request.stamp),
    )


@ROUTES.post("/pages/{page_id}/restart-parsing")
async def restart_parsing(page_id: RowId, request: ThisRequest) -> Response:
    """Parses the stored copy again; sends no request to the site."""
    view, now = request.view, request.now
    key = task_actions.body_key_of(await view.read(lambda db: frontier.one(db, page_id, now=now)))
    if await view.storage.archive.get(key) is None:
        raise task_actions.no_body(page_id)
    return await _do(
        request,
        page_id,
        "The stored copy is parsed again; no request is sent.",
        lambda db: task_actions.restart_reading(
            db, page_id, reset_retries=True, stamp=request.stamp, deadline=view.run_deadline
        ),
    )


@ROUTES.post("/pages/{page_id}/pause")
async def pause(page_id: RowId, request: ThisRequest) -> Response:
    """Pauses a page."""
    return await _do(request, page_id, "Paused.", lambda db: task_actions.pause(db, page_id, stamp=request.stamp))


@ROUTES.post("/pages/{page_id}/resume")
async def resume(page_id: RowId, request: ThisRequest) -> Response:
    """Resumes a paused page."""
    deadline = request.view.run_deadline
    return await _do(
        request,
        page_id,
        "Resumed.",
        lambda db: task_actions.resume(db, page_id, stamp=request.stamp, deadline=deadline),
    )


@ROUTES.post("/pages/{page_id}/cancel")
async def cancel(page_id: RowId, request: ThisRequest) -> Response:
    """Cancels a page."""
    page = await _page(request, page_id)
    question = f"Cancel {page.url}? You can restart it, and a crawl that finds it again may fetch it."
    request.confirm(await request.form(), question, label="Cancel it", back=f"/pages/{page_id}")
    return await _do(request, page_id, "Cancelled.", lambda db: task_actions.cancel(db, page_id, stamp=request.stamp))


@ROUTES.post("/pages/{page_id}/forget")
async def forget(page_id: RowId, request: ThisRequest) -> Response:
    """Removes a page from the frontier."""
    page = await _page(request, page_id)
    question = f"Forget {page.url}? Its records stay; a crawl may find it again."
    request.confirm(await request.form(), question, label="Forget it", back=f"/pages/{page_id}")
    await request.write(lambda db: task_actions.forget(db, page_id, stamp=request.stamp))
    return request.done(f"Forgotten: {page.url[:200]}", to="/pages")


async def _page(request: PageRequest, page_id: int) -> Any:
    return await request.read(lambda db: frontier.one(db, page_id, now=request.now))


async def _do(
    request: PageRequest, page_id: int, said: str, work: Callable[[Connection], Coroutine[Any, Any, Any]]
) -> Response:
    """Applies an action, wakes the workers, and redirects back."""
    back = (await request.form()).text("back") or f"/pages/{page_id}"
    await request.write(work)
    return request.done(said, to=back)


def _submitted(form: SubmittedForm) -> dict[str, Any]:
    """The submission from the form; BadInput names the invalid field."""
    priority = form.whole_number("priority")
    if priority is not None and not 0 <= priority <= 100:
        raise BadInput(f"priority {priority} is out of range; use 0 to 100, higher is sooner", field="priority")
    return {
        "url": form.text("url"),
        "source_id": _source(form.text("source")),
        "priority": 50 if priority is None else priority,
        "frequency": _frequency(form.text("frequency")),
    }


def _source(given: str) -> UUID | None:
    if not given:
        return None
    try:
        return UUID(given)
    except ValueError:
        raise BadInput(
            f"{given[:50]!r} is not the id of a source; copy it from the address of the source's page", field="source"
        ) from None


def _frequency(given: str) -> timedelta | None:
    if not given:
        return None
    try:
        frequency = interval_text.parse(given)
    except BadInput as error:
        raise BadInput(str(error), field="frequency") from None
    if frequency < LEAST_FREQUENCY:
        raise BadInput(f"{given!r} is too often for one page; use one minute or more", field="frequency")
    return frequency


def _faults(error: LamplighterError) -> Mapping[str, str]:
    """The error of each form field, also for URL and source."""
    if isinstance(error, BadInput) and error.field is None:
        return {"url": str(error)}
    return {"source": str(error)} if isinstance(error, NotPossible) else faults_of(error)
