"""One page: its life, and what can be done with it; and submitting one."""

from collections.abc import Callable, Coroutine, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput, LamplighterError, NotPossible
from lamplighter.model.page import Phase
from lamplighter.operations import frontier, page_life, task_actions
from lamplighter.operations.task_actions import Again
from lamplighter.operations.tasks import LEAST_FREQUENCY
from lamplighter.rules import interval_text
from lamplighter.store.database import Connection
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import RowId
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.page_rows import Row
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.view import ServiceView

ROUTES = Routes("", tag="dashboard")
_FIELDS = ("url", "source", "priority", "frequency")


@ROUTES.get("/pages/submit", include_in_schema=False)
async def submit_form(visit: Visiting, url: str = "", source: str = "") -> Response:
    """Where a URL is submitted."""
    given = {"url": url[:2000], "source": source[:36], "priority": "50", "frequency": ""}
    return visit.page("frontier/submit.html", given=given, faults={})


@ROUTES.post("/pages/submit", include_in_schema=False)
async def submit(visit: Visiting) -> Response:
    """Has a page asked for, once or again and again."""
    form, view, now = await visit.form(), visit.view, visit.now
    try:
        wish = _wish(form)
        page_id = await view.db.write(lambda db: frontier.submit(db, actor=visit.caller.name, now=now, **wish))
    except LamplighterError as error:
        given = {name: form.text(name) for name in _FIELDS}
        return visit.page("frontier/submit.html", status=422, given=given, faults=_faults(error))
    view.tasks_changed()
    return visit.done("Submitted; it is asked for in its host's turn.", to=f"/pages/{page_id}")


@ROUTES.get("/pages/{page_id}", include_in_schema=False)
async def show(page_id: RowId, visit: Visiting) -> Response:
    """The life of a page."""
    async with visit.view.db.read() as db:
        life = await page_life.of_page(db, page_id, now=visit.now)
    shown: dict[str, Any] = {
        "life": life,
        "row": Row.of(life.page),
        "actions": task_actions.actions_of(life.page),
        "is_moving": life.page.phase in (Phase.WAITING, Phase.PENDING, Phase.DOWNLOADED),
    }
    if visit.target == "life":
        return visit.part("frontier/life.html", **shown)
    return visit.page("frontier/page.html", **shown)


@ROUTES.post("/pages/{page_id}/restart", include_in_schema=False)
async def restart(page_id: RowId, visit: Visiting) -> Response:
    """Asks for a page again."""
    return await _do(
        visit,
        page_id,
        "It is asked for again in its host's turn.",
        lambda db: task_actions.restart(db, page_id, Again(), actor=visit.caller.name, now=visit.now),
    )


@ROUTES.post("/pages/{page_id}/restart-parsing", include_in_schema=False)
async def restart_parsing(page_id: RowId, visit: Visiting) -> Response:
    """Reads the copy that we hold again; the site is asked for nothing."""
    view, now = visit.view, visit.now
    async with view.db.read() as db:
        key = task_actions.body_key_of(await frontier.one(db, page_id, now=now))
    if await view.archive.get(key) is None:
        raise task_actions.no_body(page_id)
    return await _do(
        visit,
        page_id,
        "Our copy is read again; the site is not asked.",
        lambda db: task_actions.restart_reading(
            db, page_id, reset_retries=True, actor=visit.caller.name, deadline=_deadline(view), now=now
        ),
    )


@ROUTES.post("/pages/{page_id}/pause", include_in_schema=False)
async def pause(page_id: RowId, visit: Visiting) -> Response:
    """Leaves a page alone until it is resumed."""
    actor, now = visit.caller.name, visit.now
    return await _do(visit, page_id, "Paused.", lambda db: task_actions.pause(db, page_id, actor=actor, now=now))


@ROUTES.post("/pages/{page_id}/resume", include_in_schema=False)
async def resume(page_id: RowId, visit: Visiting) -> Response:
    """Lets a paused page go on."""
    actor, now, deadline = visit.caller.name, visit.now, _deadline(visit.view)
    return await _do(
        visit,
        page_id,
        "Resumed.",
        lambda db: task_actions.resume(db, page_id, actor=actor, deadline=deadline, now=now),
    )


@ROUTES.post("/pages/{page_id}/cancel", include_in_schema=False)
async def cancel(page_id: RowId, visit: Visiting) -> Response:
    """Gives a page up."""
    page = await _page(visit, page_id)
    question = f"Give up {page.url}? It can be restarted, and a crawl that finds it again may ask for it."
    if asked := visit.confirm(await visit.form(), question, label="Give it up", back=f"/pages/{page_id}"):
        return asked
    actor, now = visit.caller.name, visit.now
    return await _do(visit, page_id, "Given up.", lambda db: task_actions.cancel(db, page_id, actor=actor, now=now))


@ROUTES.post("/pages/{page_id}/forget", include_in_schema=False)
async def forget(page_id: RowId, visit: Visiting) -> Response:
    """Forgets a page as if it had never been found."""
    page = await _page(visit, page_id)
    question = f"Forget {page.url}? What was read on it stays; a crawl may find it again."
    if asked := visit.confirm(await visit.form(), question, label="Forget it", back=f"/pages/{page_id}"):
        return asked
    actor, now = visit.caller.name, visit.now
    await visit.view.db.write(lambda db: task_actions.forget(db, page_id, actor=actor, now=now))
    visit.view.tasks_changed()
    return visit.done(f"Forgotten: {page.url[:200]}", to="/pages")


async def _page(visit: Visit, page_id: int) -> Any:
    async with visit.view.db.read() as db:
        return await frontier.one(db, page_id, now=visit.now)


async def _do(
    visit: Visit, page_id: int, said: str, work: Callable[[Connection], Coroutine[Any, Any, Any]]
) -> Response:
    """Does it, wakes those who carry it out, and goes back to where it was asked for."""
    back = (await visit.form()).text("back") or f"/pages/{page_id}"
    await visit.view.db.write(work)
    visit.view.tasks_changed()
    return visit.done(said, to=back)


def _deadline(view: ServiceView) -> timedelta:
    return timedelta(minutes=view.settings.run_deadline_minutes)


def _wish(form: Form) -> dict[str, Any]:
    """What is to be submitted; BadInput names the field that cannot be used."""
    priority = form.whole_number("priority")
    if priority is not None and not 0 <= priority <= 100:
        raise BadInput(f"priority {priority} is out of range; use 0 to 100, higher sooner", field="priority")
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
            f"{given[:50]!r} is the id of no source; it stands in the address of the source's page", field="source"
        ) from None


def _frequency(given: str) -> timedelta | None:
    if not given:
        return None
    try:
        frequency = interval_text.parse(given)
    except BadInput as error:
        raise BadInput(str(error), field="frequency") from None
    if frequency < LEAST_FREQUENCY:
        raise BadInput(f"{given!r} is too often for one page; give one minute or more", field="frequency")
    return frequency


def _faults(error: LamplighterError) -> Mapping[str, str]:
    """What the URL or the source was refused for stands beside it, whoever refused it."""
    if isinstance(error, BadInput) and error.field is None:
        return {"url": str(error)}
    return {"source": str(error)} if isinstance(error, NotPossible) else faults_of(error)
