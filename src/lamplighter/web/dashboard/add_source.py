"""Adding a source: tried while it is typed, kept when it is right."""

from collections.abc import Mapping
from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput, Duplicate
from lamplighter.model.access import Role
from lamplighter.operations import sources
from lamplighter.store.sources import SourceRow
from lamplighter.web.api import source_verbs
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard import add_form, add_trial
from lamplighter.web.dashboard.add_trial import Trial
from lamplighter.web.dashboard.addresses import meant_by
from lamplighter.web.dashboard.forms import Form
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")


@ROUTES.get("/sources/add", role=Role.OPERATOR, include_in_schema=False)
async def form(visit: Visiting, url: str = "") -> Response:
    """The form, with a URL if a link brought one; nothing is asked of its site yet."""
    return _page(visit, {**add_form.EMPTY, "url": url[:2000]})


@ROUTES.post("/sources/add", include_in_schema=False)
async def add(visit: Visiting) -> Response:
    """Watches the source from now on, and shows it."""
    form = await visit.form()
    try:
        listed = await source_verbs.create(visit.view, visit.caller, add_form.wish_of(form))
    except Duplicate:
        known = await _watching(visit, form)
        faults = {"url": f"this is watched already, as {known.name}"}
        return _page(visit, add_form.typed(form), faults=faults, trial=Trial(known=known), status=422)
    except BadInput as error:
        return _page(visit, add_form.typed(form), faults=add_form.faults(form, error), status=422)
    return visit.done(f"{listed.source.name} is watched now.", to=f"/sources/{listed.source.public_id}")


@ROUTES.post("/sources/add/trial", include_in_schema=False)
async def trial(visit: Visiting) -> Response:
    """What the site answers, and what a run would find there; nothing is kept."""
    form = await visit.form()
    is_pressed = form.has("try")
    found = await add_trial.attempt(visit, form, is_typing=not is_pressed)
    typed = add_form.typed(form)
    if visit.is_partial:
        return visit.part("add/trial.html", trial=found, typed=typed)
    return _page(visit, typed, faults=found.faults, trial=found, status=422 if found.faults else 200)


def _page(
    visit: Visit,
    typed: Mapping[str, str],
    *,
    faults: Mapping[str, str] | None = None,
    trial: Trial | None = None,
    status: int = 200,
) -> Response:
    shown: dict[str, Any] = {"typed": typed, "faults": faults or {}, "trial": trial or Trial()}
    # What is folded away opens when something in it was said, or is wrong.
    said = [name for name in add_form.FIELDS[1:] if typed[name] != add_form.EMPTY[name] or name in shown["faults"]]
    choices = {
        "kinds": add_form.KINDS,
        "priorities": add_form.PRIORITY_WORDS,
        "organisations": add_form.ORGANISATIONS,
    }
    return visit.page("add/form.html", status=status, is_open=bool(said), **choices, **shown)


async def _watching(visit: Visit, form: Form) -> SourceRow:
    async with visit.view.db.read() as db:
        return await sources.find_by_url(db, meant_by(form.text("url")))
