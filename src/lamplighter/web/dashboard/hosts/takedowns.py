"""`/settings/takedowns`: the takedown list, and purging stored data."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Query, Response

from lamplighter.errors import BadInput, NotAllowed
from lamplighter.model.access import Role
from lamplighter.operations.hosts import purge as purging
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.hosts.purge import StoredOfSite
from lamplighter.operations.sources.source_input import naming
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, settings_list
from lamplighter.web.routes import Pages
from lamplighter.web.values import Line
from lamplighter.web.words import counted

ROUTES = Pages()
_PATH = "/settings/takedowns"
_LONGEST_ENTRY = 4096
_LONGEST_REASON = 2000
_WORDS = {"pages": "page", "bodies": "stored body", "records": "record", "changes": "change", "log_lines": "log line"}

Search = Annotated[Line, Query(max_length=300)]


@ROUTES.get(_PATH)
async def listed(request: ThisRequest, q: Search = "", domain_or_url: Line = "") -> Response:
    """The takedown list and the form, which a link may prefill."""
    return await _page(request, search=q.strip(), given={"domain_or_url": domain_or_url})


@ROUTES.post(_PATH)
async def add(request: ThisRequest) -> Response:
    """Adds a domain or URL to the list; with `purge`, an admin also deletes its stored data."""
    form = await request.form()
    is_purge = form.has("purge")
    if is_purge and not request.may("admin"):
        raise NotAllowed(f"purging needs the role {Role.ADMIN}; yours is {request.caller.role}")
    try:
        given, reason = _entry(form), _reason(form)
        if is_purge:
            begins = f"Take down {given}, never fetch it again, and delete its stored data"
            await _purge_question(request, form, given, begins)
        with naming("domain_or_url"):
            added = await request.write(lambda db: takedowns.add(db, given, stamp=request.stamp, reason=reason))
    except BadInput as error:
        return await _page(request, given=dict(form.fields()), faults=faults_of(error))
    entry = added.takedown.entry
    said = f"{entry} {'was on the list already' if added.was_listed else 'is never fetched again'}."
    if added.sources_paused:
        said += f" {counted(added.sources_paused, 'source')} on it will no longer run."
    if is_purge:
        said += f" {_removed(await _purge(request, entry))}"
    return request.done(said, to=_PATH)


@ROUTES.post(f"{_PATH}/lift")
async def lift(request: ThisRequest) -> Response:
    """Removes an entry from the list."""
    form = await request.form()
    found = await request.read(lambda db: takedowns.get(db, _entry(form)))
    question = f"Lift the takedown of {found.entry}? Sources that were paused only for it resume."
    request.confirm(form, question, label="Lift the takedown", back=_PATH)
    resumed = await request.write(lambda db: takedowns.remove(db, found.entry, stamp=request.stamp))
    return request.done(f"{found.entry} may be fetched again; {counted(resumed, 'source')} resumed.", to=_PATH)


@ROUTES.post(f"{_PATH}/purge", role=Role.ADMIN)
async def purge(request: ThisRequest) -> Response:
    """Deletes the stored data of an entry."""
    form = await request.form()
    entry = (await request.read(lambda db: takedowns.get(db, _entry(form)))).entry
    await _purge_question(request, form, entry, f"Delete the stored data of {entry}, which stays listed")
    return request.done(f"{entry}: {_removed(await _purge(request, entry))}", to=_PATH)


async def _page(request: PageRequest, *, search: str = "", **shown: Any) -> Response:
    offset = offset_of(request)
    async with request.view.db.read() as db:
        found, total = await takedowns.listed(db, search=search or None, limit=LIMIT, offset=offset)
    shown = {"given": {}} | shown
    return settings_list(request, "hosts/takedowns.html", takedowns=found, total=total, search=search, **shown)


def _entry(form: SubmittedForm) -> str:
    given = form.text("domain_or_url")
    if not 1 <= len(given) <= _LONGEST_ENTRY:
        raise BadInput("enter a domain such as example.org, or a URL prefix", field="domain_or_url")
    return given


def _reason(form: SubmittedForm) -> str | None:
    reason = form.text("reason")
    if len(reason) > _LONGEST_REASON:
        raise BadInput(f"the reason has {len(reason)} characters; use up to {_LONGEST_REASON}", field="reason")
    return reason or None


async def _purge_question(request: PageRequest, form: SubmittedForm, entry: str, begins: str) -> None:
    if form.has("confirmed"):
        return
    with naming("domain_or_url"):
        stored = await purging.preview(request.view.db, entry)
    question = f"{begins}: {counts(stored)}? This cannot be undone."
    request.confirm(form, question, label="Delete for good", back=_PATH)


async def _purge(request: PageRequest, entry: str) -> StoredOfSite:
    view = request.view
    return await purging.purge(view.db, view.storage.archive, entry, actor=request.caller.name, clock=view.clock)


def _removed(stored: StoredOfSite) -> str:
    return f"Removed: {counts(stored)}."


def counts(stored: StoredOfSite) -> str:
    """The stored counts as text: "3 pages, 1 record"."""
    counts = [counted(number, _WORDS[name]) for name, number in asdict(stored).items() if number]
    return ", ".join(counts) or "nothing"
