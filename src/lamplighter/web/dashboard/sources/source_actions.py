"""Actions on one source; each is a form that works with and without scripts."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput
from lamplighter.model.crawl import OverrideChange
from lamplighter.model.source import Source
from lamplighter.operations.jobs import job_overrides, job_waits, jobs
from lamplighter.operations.jobs.job_overrides import JobOverride
from lamplighter.operations.sources import source_states, sources
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.operations.sources.source_fields import altered
from lamplighter.rules.hosts import waiting
from lamplighter.rules.schedule import baseline
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import source_removal
from lamplighter.web import source_verbs
from lamplighter.web.dashboard.forms import SubmittedForm, meant_by
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.sources.source_head import ReturnedForm
from lamplighter.web.dashboard.sources.source_panel import overview_page
from lamplighter.web.routes import Pages
from lamplighter.web.source_verbs import Work
from lamplighter.web.words import counted

ROUTES = Pages()
#: the event on which the panel refreshes itself
_NEWS = "lamp:panel"
_LONGEST_REASON = 1000


@ROUTES.post("/sources/{source_id}/run")
async def run(source_id: UUID, request: ThisRequest) -> Response:
    """Starts a run now, regardless of the schedule."""
    deadline = request.view.run_deadline

    async def work(db: Connection, source: Source, context: SourceChangeContext) -> None:
        job = await jobs.find(db, source.url)
        await jobs.force_run(db, job, stamp=context.stamp, deadline=deadline, source_defaults=context.source_defaults)

    context = source_verbs.change_context(request.view, request.caller)
    await source_verbs.do(request.view, source_id, work, context)
    async with request.view.db.read() as db:
        wait = await job_waits.of_source(db, (await sources.find(db, source_id)).id, now=request.now)
    return _done(request, waiting.started(wait), to=_back(await request.form(), source_id))


@ROUTES.post("/sources/{source_id}/pause")
async def pause(source_id: UUID, request: ThisRequest) -> Response:
    """Pauses a source, for a while or until an operator resumes it."""
    form = await request.form()

    async def work(db: Connection, source: Source, context: SourceChangeContext) -> None:
        until = _until(form, context)
        job = await jobs.find(db, source.url)
        await jobs.pause(db, job, stamp=context.stamp, until=until, stop_run=form.has("stop_run"))

    return await _filled_in(request, source_id, "pause", work, {"until": "pause_hours"}, said="Paused.")


@ROUTES.post("/sources/{source_id}/stop")
async def stop(source_id: UUID, request: ThisRequest) -> Response:
    """Ends the active run of a source; the next one comes as planned."""

    async def work(db: Connection, source: Source, context: SourceChangeContext) -> None:
        await jobs.stop(db, await jobs.find(db, source.url), stamp=context.stamp)

    return await _act(request, source_id, work, said="The run was stopped.")


@ROUTES.post("/sources/{source_id}/resume")
async def resume(source_id: UUID, request: ThisRequest) -> Response:
    """Resumes a paused source and resets its failures."""
    return await _act(request, source_id, source_verbs.resume, said="Resumed.")


@ROUTES.post("/sources/{source_id}/start")
async def start(source_id: UUID, request: ThisRequest) -> Response:
    """Restarts an ended crawl job with the source's settings."""

    async def work(db: Connection, source: Source, context: SourceChangeContext) -> None:
        source_defaults = context.source_defaults
        job = await job_overrides.order(
            db, source.public_id, JobOverride(), url=None, stamp=context.stamp, source_defaults=source_defaults
        )
        await job_overrides.back_to_automatic(db, job, stamp=context.stamp, source_defaults=source_defaults)

    return await _act(request, source_id, work, said="The crawl job was started again.")


@ROUTES.post("/sources/{source_id}/enable")
async def enable(source_id: UUID, request: ThisRequest) -> Response:
    """Enables a source."""
    return await _act(request, source_id, source_states.enable, said="Enabled.")


@ROUTES.post("/sources/{source_id}/disable")
async def disable(source_id: UUID, request: ThisRequest) -> Response:
    """Disables a source; its active run ends."""
    reason = (await request.form()).text("disable_reason")

    async def work(db: Connection, source: Source, context: SourceChangeContext) -> None:
        if len(reason) > _LONGEST_REASON:
            raise BadInput(f"a reason of {len(reason)} characters is too long; use up to {_LONGEST_REASON}")
        await source_states.disable(db, source, context)

    return await _filled_in(request, source_id, "disable", work, {}, said="Disabled.", reason=reason)


@ROUTES.post("/sources/{source_id}/delete")
async def delete(source_id: UUID, request: ThisRequest) -> Response:
    """Deletes a source; its data stays and it can be restored."""
    form = await request.form()
    async with request.view.db.read() as db:
        source = await sources.find(db, source_id)
        impact = await source_removal.impact(db, source.id)
    question = (
        f"Delete {source.name}? It is no longer crawled or listed. Its data stays: "
        f"{counted(impact.records, 'record')}, {counted(impact.pages, 'page')} and {counted(impact.runs, 'run')}. "
        "It can be restored at any time."
    )
    request.confirm(form, question, label="Delete", back=_back(form, source_id))
    await source_verbs.delete(request.view, source_id, source_verbs.change_context(request.view, request.caller))
    return _done(request, f"{source.name} was deleted. You can restore it on its page.", to=f"/sources/{source_id}")


@ROUTES.post("/sources/{source_id}/restore")
async def restore(source_id: UUID, request: ThisRequest) -> Response:
    """Restores a deleted source."""
    return await _act(request, source_id, source_states.restore, said="Restored.")


@ROUTES.post("/sources/{source_id}/priority")
async def priority(source_id: UUID, request: ThisRequest) -> Response:
    """Sets the priority of a source."""
    return await _change(request, source_id, "priority", said="The priority was changed.")


@ROUTES.post("/sources/{source_id}/tags")
async def tags(source_id: UUID, request: ThisRequest) -> Response:
    """Sets the tags of a source."""
    return await _change(request, source_id, "tags", said="The tags were changed.")


@ROUTES.post("/sources/{source_id}/clone")
async def clone(source_id: UUID, request: ThisRequest) -> Response:
    """Clones a source for another URL."""
    form = await request.form()
    url, name = meant_by(form.text("clone_url")), form.text("clone_name") or None
    try:
        made = await source_verbs.clone(request.view, request.caller, source_id, url=url, name=name)
    except BadInput as error:
        return await _returned(request, source_id, "clone", error, {"name": "clone_name", "": "clone_url"})
    return request.done(f"{made.source.name} was added with the same settings.", to=f"/sources/{made.source.public_id}")


@ROUTES.post("/sources/{source_id}/override")
async def override(source_id: UUID, request: ThisRequest) -> Response:
    """Overrides the interval by hand."""
    form = await request.form()

    async def work(db: Connection, source: Source, context: SourceChangeContext) -> None:
        minutes = form.number("every_minutes")
        if minutes is None:
            raise BadInput("enter the minutes, such as 90, or switch back to the automatic schedule")
        interval = baseline.checked_interval(timedelta(minutes=min(max(minutes, 0), _MOST_MINUTES)))
        adaptive = False if form.has("keeps_exactly") else None
        submitted = JobOverride(schedule=OverrideChange(interval=interval, recurring=True, adaptive=adaptive))
        job = await jobs.find(db, source.url)
        await job_overrides.change(db, job, submitted, stamp=context.stamp, source_defaults=context.source_defaults)

    said = "The interval is set by hand. A run that was planned earlier still starts first."
    return await _filled_in(request, source_id, "override", work, {"": "every_minutes"}, said=said)


@ROUTES.post("/sources/{source_id}/automatic")
async def automatic(source_id: UUID, request: ThisRequest) -> Response:
    """Removes the override: the source's own schedule applies again."""

    async def work(db: Connection, source: Source, context: SourceChangeContext) -> None:
        job = await jobs.find(db, source.url)
        await job_overrides.back_to_automatic(db, job, stamp=context.stamp, source_defaults=context.source_defaults)

    return await _act(request, source_id, work, said="The schedule is automatic again.")


#: more than any allowed interval
_MOST_MINUTES = 10_000_000


def _until(form: SubmittedForm, context: SourceChangeContext) -> datetime | None:
    hours = form.number("pause_hours")
    if hours is None:
        return None
    if not 0 < hours <= jobs.LONGEST_PAUSE / timedelta(hours=1):
        raise BadInput(f"{hours:g} hours are out of range; use up to a year", field="pause_hours")
    return context.stamp.now + timedelta(hours=hours)


async def _change(request: PageRequest, source_id: UUID, name: str, *, said: str) -> Response:
    """Changes one setting of a source from the form field `set_` plus its name."""
    given = (await request.form()).text(f"set_{name}")
    work = source_verbs.altering(lambda submitted: altered(submitted, {name: given}))
    return await _filled_in(request, source_id, name, work, {name: f"set_{name}"}, said=said)


async def _filled_in(
    request: PageRequest,
    source_id: UUID,
    form: str,
    work: Work,
    fields: Mapping[str, str],
    *,
    said: str,
    reason: str = "",
) -> Response:
    """Applies a form of the source head; invalid input is shown again with its error."""
    try:
        return await _act(request, source_id, work, said=said, reason=reason)
    except BadInput as error:
        return await _returned(request, source_id, form, error, fields)


async def _act(request: PageRequest, source_id: UUID, work: Work, *, said: str, reason: str = "") -> Response:
    context = source_verbs.change_context(request.view, request.caller, reason=reason or None)
    await source_verbs.do(request.view, source_id, work, context)
    return _done(request, said, to=_back(await request.form(), source_id))


async def _returned(
    request: PageRequest, source_id: UUID, form: str, error: BadInput, fields: Mapping[str, str]
) -> Response:
    """The page with the open form and its errors; `fields` maps operation fields to form fields."""
    field = error.field or ""
    typed = dict((await request.form()).fields())
    returned = ReturnedForm(name=form, typed=typed, faults={fields.get(field, field): str(error)})
    return await overview_page(request, source_id, status=422, returned=returned)


def _done(request: PageRequest, said: str, *, to: str) -> Response:
    return request.toast(said, _NEWS) if request.is_partial else request.done(said, to=to)


def _back(form: SubmittedForm, source_id: UUID) -> str:
    return form.text("back") or f"/sources/{source_id}"
