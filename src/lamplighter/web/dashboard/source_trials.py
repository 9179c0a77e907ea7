"""Trying a source: what its page gives under a recipe, what its site answers, and what its robots.txt says."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput, LamplighterError
from lamplighter.model.record import RecordKind
from lamplighter.operations import page_versions, robots, robots_standing
from lamplighter.operations.trials import SHOWN, FetchTrial, Simulation
from lamplighter.rules.differences import as_text
from lamplighter.web.api import page_ids, source_verbs
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.source_head import SourceHead, head_of, source_page
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
#: characters of a recipe
_LONGEST_RECIPE = 200_000
#: what a script puts into which element
_PARTS = {"trial": "trials/trial.html", "fetch-result": "trials/fetched.html"}
#: of a record, what says how it was read
_ABOUT = ("provenance", "quality", "fields", "source_id", "canonical_hash")


class ReadField(NamedTuple):
    """A field of a record that was read, on which rung, and how far that is to be trusted."""

    name: str
    value: str
    method: str | None
    confidence: float | None


@ROUTES.get("/sources/{source_id}/trials", include_in_schema=False)
async def trials(source_id: UUID, visit: Visiting, page: UUID | None = None) -> Response:
    """Where a source is tried; `page` is another of its pages than the one it starts from."""
    head = await head_of(visit, source_id)
    return await _show(visit, head, url=await _url(visit, head, page), page=page)


@ROUTES.post("/sources/{source_id}/trials/preview", role="viewer", include_in_schema=False)
async def simulate(source_id: UUID, visit: Visiting) -> Response:
    """What the page, as we last had it, gives under this recipe: nothing is asked of the site, nothing is kept."""
    head, form = await head_of(visit, source_id), await visit.form()
    page, typed = _page_of(form.text("page")), form.text("recipe")
    url = await _url(visit, head, page)
    kind = RecordKind(head.source.kind) if head.source.kind else None
    try:
        simulation = await visit.view.simulator.simulate_stored(
            url, source_url=head.source.url, recipe=_recipe(typed), kind=kind, now=visit.now
        )
    except LamplighterError as error:
        return await _show(visit, head, url=url, page=page, typed=typed, faults=_at_recipe(error))
    return await _show(visit, head, url=url, page=page, typed=typed, simulation=simulation)


@ROUTES.post("/sources/{source_id}/trials/save", include_in_schema=False)
async def save(source_id: UUID, visit: Visiting) -> Response:
    """Makes the recipe that was tried the source's own."""
    head, form = await head_of(visit, source_id), await visit.form()
    typed = form.text("recipe")
    try:
        recipe = _recipe(typed)
        alter = source_verbs.altering(lambda wish: replace(wish, recipe=recipe))
        await source_verbs.do(visit.view, source_id, alter, source_verbs.toggle_of(visit.view, visit.caller))
    except LamplighterError as error:
        page = _page_of(form.text("page"))
        url = await _url(visit, head, page)
        return await _show(visit, head, url=url, page=page, typed=typed, faults=_at_recipe(error))
    return visit.done("The recipe is saved; the next run reads by it.", to=f"{head.path}/trials")


@ROUTES.post("/sources/{source_id}/trials/fetch", include_in_schema=False)
async def test_fetch(source_id: UUID, visit: Visiting) -> Response:
    """Asks the site for the headers of the source's page, in its turn."""
    head = await head_of(visit, source_id)
    fetched = await source_verbs.test_fetch(visit.view, source_id)
    return await _show(visit, head, url=head.source.url, fetched=fetched)


@ROUTES.post("/sources/{source_id}/trials/robots", include_in_schema=False)
async def refresh_robots(source_id: UUID, visit: Visiting) -> Response:
    """Asks the site for its robots.txt, in its turn."""
    head = await head_of(visit, source_id)
    scheme = head.source.url.partition("://")[0]
    try:
        found = await robots.refresh(
            visit.view.db, visit.view.door.robots, head.host, actor=visit.caller.name, now=visit.now, scheme=scheme
        )
        said = f"robots.txt of {head.host} was asked for: {found.file.state}."
    except LamplighterError as error:
        said = f"robots.txt of {head.host} was not asked for: {error}"
    return visit.done(said, to=f"{head.path}/trials")


async def _show(
    visit: Visit,
    head: SourceHead,
    *,
    url: str,
    page: UUID | None = None,
    typed: str | None = None,
    faults: Mapping[str, str] | None = None,
    simulation: Simulation | None = None,
    fetched: FetchTrial | None = None,
) -> Response:
    async with visit.view.db.read() as db:
        told = await robots_standing.of_url(db, url, token=visit.view.door.robots.token)
    written = json.dumps(head.source.recipe or {}, indent=2, ensure_ascii=False)
    shown: dict[str, Any] = {
        "url": url,
        "page": page,
        "recipe": written if typed is None else typed,
        "faults": faults or {},
        "simulation": simulation,
        "records": [_fields(record) for record in simulation.records] if simulation is not None else [],
        "most_records": SHOWN,
        "fetched": fetched,
        "robots": told,
    }
    status = 422 if faults else 200
    if visit.target in _PARTS:
        return visit.part(_PARTS[visit.target], status=status, head=head, **shown)
    return source_page(visit, "trials/trials.html", head=head, status=status, **shown)


async def _url(visit: Visit, head: SourceHead, page: UUID | None) -> str:
    """The address that is tried; NotFound for a page of another source."""
    if page is None:
        return head.source.url
    async with visit.view.db.read() as db:
        number = page_ids.number_of(page)
        return (await page_versions.history(db, head.source.id, number, limit=1, offset=0)).url


def _fields(record: Mapping[str, Any]) -> list[ReadField]:
    """What was read of a record, without what it does not say."""
    said = {name: value for name, value in record.items() if name not in _ABOUT} | dict(record["fields"])
    unknown: Mapping[str, Any] = {"method": None, "confidence": None}
    return [
        ReadField(name, as_text(value), **record["provenance"].get(name, unknown))
        for name, value in said.items()
        if value not in (None, "", [], {})
    ]


def _page_of(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        raise BadInput(f"{text[:50]!r} is the id of no page", field="page") from None


def _recipe(text: str) -> dict[str, Any]:
    """The recipe that somebody typed; an empty one lets the page tell by itself."""
    if len(text) > _LONGEST_RECIPE:
        raise BadInput(f"a recipe has up to {_LONGEST_RECIPE} characters, this one has {len(text)}", field="recipe")
    try:
        given = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise BadInput(f"this is not JSON: {error}", field="recipe") from None
    if not isinstance(given, dict):
        raise BadInput(
            'a recipe is a JSON object, for example {"items": "li.job", "fields": {"title": "h2"}}', field="recipe"
        )
    return given


def _at_recipe(error: LamplighterError) -> Mapping[str, str]:
    """Whatever part of a recipe cannot be used, there is one field for it."""
    return {"recipe": " ".join(faults_of(error).values())}
