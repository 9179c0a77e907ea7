"""The form that adds a source, with a live trial of its address."""

from collections.abc import Mapping
from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput, Duplicate
from lamplighter.model.access import Role
from lamplighter.model.source import Source
from lamplighter.operations.sources import sources
from lamplighter.web import source_verbs
from lamplighter.web.dashboard.forms import SubmittedForm, meant_by
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.sources import add_form, add_trial
from lamplighter.web.dashboard.sources.add_trial import Trial
from lamplighter.web.routes import Pages

ROUTES = Pages()


@ROUTES.get("/sources/add", role=Role.OPERATOR)
async def form(request: ThisRequest, url: str = "") -> Response:
    """The form, filled with the URL from the link if there is one; sends no request to the site."""
    return _page(request, {**add_form.EMPTY, "url": url[:2000]})


@ROUTES.post("/sources/add")
async def add(request: ThisRequest) -> Response:
    """Adds the source and shows it."""
    form = await request.form()
    try:
        listed = await source_verbs.create(request.view, request.caller, add_form.input_of(form))
    except Duplicate:
        known = await _watching(request, form)
        faults = {"url": f"this URL is already the source {known.name}"}
        return _page(request, add_form.typed(form), faults=faults, trial=Trial(known=known), status=422)
    except BadInput as error:
        return _page(request, add_form.typed(form), faults=add_form.faults(form, error), status=422)
    return request.done(f"{listed.source.name} was added.", to=f"/sources/{listed.source.public_id}")


@ROUTES.post("/sources/add/trial")
async def trial(request: ThisRequest) -> Response:
    """Fetches the address once and shows the response and the records; stores nothing."""
    form = await request.form()
    is_pressed = form.has("try")
    found = await add_trial.attempt(request, form, is_typing=not is_pressed)
    typed = add_form.typed(form)
    if request.is_partial:
        return request.part("sources/add/trial.html", trial=found, typed=typed)
    return _page(request, typed, faults=found.faults, trial=found, status=422 if found.faults else 200)


def _page(
    request: PageRequest,
    typed: Mapping[str, str],
    *,
    faults: Mapping[str, str] | None = None,
    trial: Trial | None = None,
    status: int = 200,
) -> Response:
    shown: dict[str, Any] = {"typed": typed, "faults": faults or {}, "trial": trial or Trial()}
    # The folded part opens when one of its fields is filled in or invalid.
    said = [name for name in add_form.FIELDS[1:] if typed[name] != add_form.EMPTY[name] or name in shown["faults"]]
    choices = {
        "kinds": add_form.KINDS,
        "priorities": add_form.PRIORITY_WORDS,
        "organisations": add_form.ORGANISATIONS,
    }
    return request.page("sources/add/form.html", status=status, is_open=bool(said), **choices, **shown)


async def _watching(request: PageRequest, form: SubmittedForm) -> Source:
    return await request.read(lambda db: sources.find_by_url(db, meant_by(form.text("url"))))
