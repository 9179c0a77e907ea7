"""What can be done with a source: each act is a form, which works with and without scripts."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput
from lamplighter.operations import job_orders, jobs, source_states, sources
from lamplighter.operations.job_orders import Wish
from lamplighter.operations.source_edits import Toggle
from lamplighter.operations.source_rows import altered
from lamplighter.rules import baseline
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow
from lamplighter.web.api import source_verbs
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.source_verbs import Work
from lamplighter.web.dashboard.addresses import meant_by
from lamplighter.web.dashboard.forms import Form
from lamplighter.web.dashboard.source_head import Returned
from lamplighter.web.dashboard.source_panel import overview_page
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.words import counted

ROUTES = Routes("", tag="dashboard")
#: heard by the panel, which then renews itself
_NEWS = "lamp:panel"
_LONGEST_REASON = 1000


@ROUTES.post("/sources/{source_id}/run", include_in_schema=False)
async def run(source_id: UUID, visit: Visiting) -> Response:
    """Opens a run now, whatever the schedule says."""
    deadline = timedelta(minutes=visit.view.settings.run_deadline_minutes)

    async def work(db: Connection, source: SourceRow, toggle: Toggle) -> None:
        job = await jobs.find(db, source.url)
        await jobs.force_run(db, job, actor=toggle.actor, now=toggle.now, deadline=deadline, norms=toggle.norms)

    answer = await _act(visit, source_id, work, said="A run was opened.")
    visit.view.hosts_changed()
    return answer


@ROUTES.post("/sources/{source_id}/pause", include_in_schema=False)
async def pause(source_id: UUID, visit: Visiting) -> Response:
    """Leaves a source alone, for a while or until somebody resumes it."""
    form = await visit.form()

    async def work(db: Connection, source: SourceRow, toggle: Toggle) -> None:
        until = _until(form, toggle)
        await jobs.pause(db, await jobs.find(db, source.url), actor=toggle.actor, now=toggle.now, until=until)

    return await _filled_in(visit, source_id, "pause", work, {"until": "pause_hours"}, said="Paused.")


@ROUTES.post("/sources/{source_id}/resume", include_in_schema=False)
async def resume(source_id: UUID, visit: Visiting) -> Response:
    """Lets a paused source go on, its failures forgotten."""
    return await _act(visit, source_id, source_verbs.resume, said="Resumed.")


@ROUTES.post("/sources/{source_id}/start", include_in_schema=False)
async def start(source_id: UUID, visit: Visiting) -> Response:
    """Begins a crawl job that had ended from the start, as the source says."""

    async def work(db: Connection, source: SourceRow, toggle: Toggle) -> None:
        actor, now, norms = toggle.actor, toggle.now, toggle.norms
        job = await job_orders.order(db, source.public_id, Wish(), url=None, actor=actor, now=now, norms=norms)
        await job_orders.back_to_automatic(db, job, actor=actor, now=now, norms=norms)

    return await _act(visit, source_id, work, said="It begins from the start.")


@ROUTES.post("/sources/{source_id}/enable", include_in_schema=False)
async def enable(source_id: UUID, visit: Visiting) -> Response:
    """Lets a source be crawled."""
    return await _act(visit, source_id, source_states.enable, said="Enabled.")


@ROUTES.post("/sources/{source_id}/disable", include_in_schema=False)
async def disable(source_id: UUID, visit: Visiting) -> Response:
    """Leaves a source alone until it is enabled; the run that goes on ends."""
    reason = (await visit.form()).text("disable_reason")

    async def work(db: Connection, source: SourceRow, toggle: Toggle) -> None:
        if len(reason) > _LONGEST_REASON:
            raise BadInput(f"a reason of {len(reason)} characters is too long; use up to {_LONGEST_REASON}")
        await source_states.disable(db, source, toggle)

    return await _filled_in(visit, source_id, "disable", work, {}, said="Disabled.", reason=reason)


@ROUTES.post("/sources/{source_id}/delete", include_in_schema=False)
async def delete(source_id: UUID, visit: Visiting) -> Response:
    """Hides a source; what was found stays."""
    form = await visit.form()
    async with visit.view.db.read() as db:
        source = await sources.find(db, source_id)
        impact = await source_states.impact(db, source)
    question = (
        f"Delete {source.name}? It is crawled no more and leaves the list. What it brought stays: "
        f"{counted(impact.records, 'record')}, {counted(impact.pages, 'page')} and {counted(impact.runs, 'run')}. "
        "It can be restored at any time."
    )
    asked = visit.confirm(form, question, label="Delete", back=_back(form, source_id))
    if asked is not None:
        return asked
    await source_verbs.delete(visit.view, source_id, source_verbs.toggle_of(visit.view, visit.caller))
    return _done(visit, f"{source.name} is deleted. Its panel can restore it.", to=f"/sources/{source_id}")


@ROUTES.post("/sources/{source_id}/restore", include_in_schema=False)
async def restore(source_id: UUID, visit: Visiting) -> Response:
    """Brings a deleted source back, as it was."""
    return await _act(visit, source_id, source_states.restore, said="Restored.")


@ROUTES.post("/sources/{source_id}/priority", include_in_schema=False)
async def priority(source_id: UUID, visit: Visiting) -> Response:
    """Says how urgent a source is."""
    return await _change(visit, source_id, "priority", said="Its priority is changed.")


@ROUTES.post("/sources/{source_id}/tags", include_in_schema=False)
async def tags(source_id: UUID, visit: Visiting) -> Response:
    """Says which tags a source carries."""
    return await _change(visit, source_id, "tags", said="Its tags are changed.")


@ROUTES.post("/sources/{source_id}/clone", include_in_schema=False)
async def clone(source_id: UUID, visit: Visiting) -> Response:
    """Watches another URL in the same way."""
    form = await visit.form()
    url, name = meant_by(form.text("clone_url")), form.text("clone_name") or None
    try:
        made = await source_verbs.clone(visit.view, visit.caller, source_id, url=url, name=name)
    except BadInput as error:
        return await _returned(visit, source_id, "clone", error, {"name": "clone_name", "": "clone_url"})
    return visit.done(f"{made.source.name} is watched in the same way.", to=f"/sources/{made.source.public_id}")


@ROUTES.post("/sources/{source_id}/override", include_in_schema=False)
async def override(source_id: UUID, visit: Visiting) -> Response:
    """Sets the interval by hand, over what the source says."""
    form = await visit.form()

    async def work(db: Connection, source: SourceRow, toggle: Toggle) -> None:
        minutes = form.number("every_minutes")
        if minutes is None:
            raise BadInput("say how many minutes, such as 90; or give the schedule back to automation")
        interval = baseline.checked_interval(timedelta(minutes=min(max(minutes, 0), _MOST_MINUTES)))
        adaptive = False if form.has("keeps_exactly") else None
        wish = Wish(schedule={"interval": interval, "recurring": True, "adaptive": adaptive})
        job = await jobs.find(db, source.url)
        await job_orders.change(db, job, wish, actor=toggle.actor, now=toggle.now, norms=toggle.norms)

    said = "The interval is set by hand. A run that was planned sooner still comes first."
    return await _filled_in(visit, source_id, "override", work, {"": "every_minutes"}, said=said)


@ROUTES.post("/sources/{source_id}/automatic", include_in_schema=False)
async def automatic(source_id: UUID, visit: Visiting) -> Response:
    """Forgets what was set by hand: the source's own word holds again."""

    async def work(db: Connection, source: SourceRow, toggle: Toggle) -> None:
        job = await jobs.find(db, source.url)
        await job_orders.back_to_automatic(db, job, actor=toggle.actor, now=toggle.now, norms=toggle.norms)

    return await _act(visit, source_id, work, said="Its schedule is automatic again.")


#: more than any interval that can be kept
_MOST_MINUTES = 10_000_000


def _until(form: Form, toggle: Toggle) -> datetime | None:
    hours = form.number("pause_hours")
    if hours is None:
        return None
    if not 0 < hours <= jobs.LONGEST_PAUSE / timedelta(hours=1):
        raise BadInput(f"{hours:g} hours are out of range; use up to a year", field="pause_hours")
    return toggle.now + timedelta(hours=hours)


async def _change(visit: Visit, source_id: UUID, name: str, *, said: str) -> Response:
    """Changes one part of a source, which the form has under `set_` and its name."""
    given = (await visit.form()).text(f"set_{name}")
    work = source_verbs.altering(lambda wish: altered(wish, {name: given}))
    return await _filled_in(visit, source_id, name, work, {name: f"set_{name}"}, said=said)


async def _filled_in(
    visit: Visit, source_id: UUID, form: str, work: Work, fields: Mapping[str, str], *, said: str, reason: str = ""
) -> Response:
    """Does what a form of the head asks for; what cannot be used comes back beside its field."""
    try:
        return await _act(visit, source_id, work, said=said, reason=reason)
    except BadInput as error:
        return await _returned(visit, source_id, form, error, fields)


async def _act(visit: Visit, source_id: UUID, work: Work, *, said: str, reason: str = "") -> Response:
    toggle = source_verbs.toggle_of(visit.view, visit.caller, reason=reason or None)
    await source_verbs.do(visit.view, source_id, work, toggle)
    return _done(visit, said, to=_back(await visit.form(), source_id))


async def _returned(visit: Visit, source_id: UUID, form: str, error: BadInput, fields: Mapping[str, str]) -> Response:
    """The page with the form open, as it was filled in; `fields` are its names for what operations complain of."""
    field = error.field or ""
    typed = dict((await visit.form()).fields())
    returned = Returned(name=form, typed=typed, faults={fields.get(field, field): str(error)})
    return await overview_page(visit, source_id, status=422, returned=returned)


def _done(visit: Visit, said: str, *, to: str) -> Response:
    return visit.told(said, _NEWS) if visit.is_partial else visit.done(said, to=to)


def _back(form: Form, source_id: UUID) -> str:
    return form.text("back") or f"/sources/{source_id}"
