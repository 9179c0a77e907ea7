"""`/settings/takedowns`: what is never asked again, and forgetting what is stored of it."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Query, Response

from lamplighter.errors import BadInput, NotAllowed
from lamplighter.model.access import Role
from lamplighter.operations import purge as purging
from lamplighter.operations import takedowns
from lamplighter.operations.purge import Stored
from lamplighter.operations.source_wish import naming
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, tabs_for
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.words import counted

ROUTES = Routes("", tag="dashboard")
_PATH = "/settings/takedowns"
_LONGEST_ENTRY = 4096
_LONGEST_REASON = 2000
_WORDS = {"pages": "page", "bodies": "stored body", "records": "record", "changes": "change", "log_lines": "log line"}

Search = Annotated[Line, Query(max_length=300)]


@ROUTES.get(_PATH, include_in_schema=False)
async def listed(visit: Visiting, q: Search = "", domain_or_url: Line = "") -> Response:
    """The list, and the form for one more; a link may bring what it is to be."""
    return await _page(visit, search=q.strip(), given={"domain_or_url": domain_or_url})


@ROUTES.post(_PATH, include_in_schema=False)
async def add(visit: Visiting) -> Response:
    """Puts a domain or URL on the list; with `purge`, an admin also has forgotten what is stored of it."""
    form = await visit.form()
    is_purge = form.has("purge")
    if is_purge and not visit.may("admin"):
        raise NotAllowed(f"purging takes the role {Role.ADMIN}; yours is {visit.caller.role}")
    try:
        given, reason = _entry(form), _reason(form)
        if is_purge:
            begins = f"Take {given} down, so that it is never asked again, and forget what is stored of it"
            if (asked := await _purge_question(visit, form, given, begins)) is not None:
                return asked
        with naming("domain_or_url"):
            added = await visit.view.db.write(
                lambda db: takedowns.add(db, given, actor=visit.caller.name, now=visit.now, reason=reason)
            )
    except BadInput as error:
        return await _page(visit, status=422, given=dict(form.fields()), faults=faults_of(error))
    entry = added.takedown.entry
    said = f"{entry} {'was on the list before' if added.was_listed else 'is never asked again'}."
    if added.sources_paused:
        said += f" {counted(added.sources_paused, 'source')} that start there will no longer run."
    if is_purge:
        said += f" {_removed(await _purge(visit, entry))}"
    return visit.done(said, to=_PATH)


@ROUTES.post(f"{_PATH}/lift", include_in_schema=False)
async def lift(visit: Visiting) -> Response:
    """Takes an entry off the list."""
    form = await visit.form()
    async with visit.view.db.read() as db:
        found = await takedowns.get(db, _entry(form))
    question = f"Let {found.entry} be asked again? Sources that were paused for it alone go on."
    asked = visit.confirm(form, question, label="Lift the takedown", back=_PATH)
    if asked is not None:
        return asked
    resumed = await visit.view.db.write(
        lambda db: takedowns.remove(db, found.entry, actor=visit.caller.name, now=visit.now)
    )
    visit.view.jobs_changed()
    return visit.done(f"{found.entry} may be asked again; {counted(resumed, 'source')} going on.", to=_PATH)


@ROUTES.post(f"{_PATH}/purge", role=Role.ADMIN, include_in_schema=False)
async def purge(visit: Visiting) -> Response:
    """Forgets all that is stored of an entry of the list."""
    form = await visit.form()
    async with visit.view.db.read() as db:
        entry = (await takedowns.get(db, _entry(form))).entry
    asked = await _purge_question(visit, form, entry, f"Forget what is stored of {entry}, which stays taken down")
    if asked is not None:
        return asked
    return visit.done(f"{entry}: {_removed(await _purge(visit, entry))}", to=_PATH)


async def _page(visit: Visit, *, search: str = "", status: int = 200, **shown: Any) -> Response:
    offset = offset_of(visit)
    async with visit.view.db.read() as db:
        found, total = await takedowns.listed(db, search=search or None, limit=LIMIT, offset=offset)
    return visit.page(
        "settings/takedowns.html",
        status=status,
        tabs=tabs_for(visit),
        takedowns=found,
        total=total,
        search=search,
        offset=offset,
        limit=LIMIT,
        **{"given": {}, "faults": {}, **shown},
    )


def _entry(form: Form) -> str:
    given = form.text("domain_or_url")
    if not 1 <= len(given) <= _LONGEST_ENTRY:
        raise BadInput("give a domain such as example.org, or a URL and all below it", field="domain_or_url")
    return given


def _reason(form: Form) -> str | None:
    reason = form.text("reason")
    if len(reason) > _LONGEST_REASON:
        raise BadInput(f"a reason has up to {_LONGEST_REASON} characters, this has {len(reason)}", field="reason")
    return reason or None


async def _purge_question(visit: Visit, form: Form, entry: str, begins: str) -> Response | None:
    if form.has("confirmed"):
        return None
    with naming("domain_or_url"):
        stored = await purging.preview(visit.view.db, entry)
    question = f"{begins}: {_counts(stored)}? What is forgotten cannot be brought back."
    return visit.confirm(form, question, label="Forget it for good", back=_PATH)


async def _purge(visit: Visit, entry: str) -> Stored:
    view = visit.view
    return await purging.purge(view.db, view.archive, entry, actor=visit.caller.name, clock=view.clock)


def _removed(stored: Stored) -> str:
    return f"Removed: {_counts(stored)}."


def _counts(stored: Stored) -> str:
    told = [counted(number, _WORDS[name]) for name, number in asdict(stored).items() if number]
    return ", ".join(told) or "nothing"
