"""The test page of a source: extraction with a recipe, test fetch and robots.txt."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput, LamplighterError
from lamplighter.operations.explain.lessons import earlier_recipe
from lamplighter.operations.explain.trials import SHOWN, FetchTrial, Simulation
from lamplighter.operations.hosts import robots
from lamplighter.operations.pages import page_versions
from lamplighter.rules.change.differences import as_text
from lamplighter.web import page_ids, source_verbs
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.sources.source_head import SourceHead, head_of, source_page
from lamplighter.web.routes import Pages

ROUTES = Pages()
#: the most characters of a recipe
_LONGEST_RECIPE = 200_000
#: element id -> the template that a script requests for it
_PARTS = {"trial": "sources/trials/trial.html", "fetch-result": "sources/trials/fetched.html"}
#: record keys that are not extracted fields
_ABOUT = ("provenance", "quality", "fields", "source_id", "canonical_hash")


class ReadField(NamedTuple):
    """An extracted field with its method and confidence."""

    name: str
    value: str
    method: str | None
    confidence: float | None


@ROUTES.get("/sources/{source_id}/trials")
async def trials(source_id: UUID, request: ThisRequest, page: UUID | None = None) -> Response:
    """The test page; `page` selects another page of the source than its start page."""
    head = await head_of(request, source_id)
    return await _show(request, head, url=await _url(request, head, page), page=page)


@ROUTES.post("/sources/{source_id}/trials/preview", role="viewer")
async def simulate(source_id: UUID, request: ThisRequest) -> Response:
    """Extracts records from the stored page with this recipe; sends no request and stores nothing."""
    head, form = await head_of(request, source_id), await request.form()
    page, typed = _page_of(form.text("page")), form.text("recipe")
    url = await _url(request, head, page)
    try:
        simulation = await request.view.sites.simulator.simulate_stored(
            url, source_url=head.source.url, recipe=_recipe(typed), kind=head.source.kind, now=request.now
        )
    except LamplighterError as error:
        return await _show(request, head, url=url, page=page, typed=typed, faults=_at_recipe(error))
    return await _show(request, head, url=url, page=page, typed=typed, simulation=simulation)


@ROUTES.post("/sources/{source_id}/trials/save")
async def save(source_id: UUID, request: ThisRequest) -> Response:
    """Saves the tested recipe as the source's recipe."""
    head, form = await head_of(request, source_id), await request.form()
    typed = form.text("recipe")
    try:
        recipe = _recipe(typed)
        alter = source_verbs.altering(lambda submitted: replace(submitted, recipe=recipe))
        await source_verbs.do(request.view, source_id, alter, source_verbs.change_context(request.view, request.caller))
    except LamplighterError as error:
        page = _page_of(form.text("page"))
        url = await _url(request, head, page)
        return await _show(request, head, url=url, page=page, typed=typed, faults=_at_recipe(error))
    return request.done("The recipe was saved; the next run uses it.", to=f"{head.path}/trials")


@ROUTES.post("/sources/{source_id}/trials/fetch")
async def test_fetch(source_id: UUID, request: ThisRequest) -> Response:
    """Fetches only the headers of the source's page, in its host's turn."""
    head = await head_of(request, source_id)
    fetched = await source_verbs.test_fetch(request.view, source_id)
    return await _show(request, head, url=head.source.url, fetched=fetched)


@ROUTES.post("/sources/{source_id}/trials/robots")
async def refresh_robots(source_id: UUID, request: ThisRequest) -> Response:
    """Fetches the site's robots.txt, in its host's turn."""
    head = await head_of(request, source_id)
    scheme = head.source.url.partition("://")[0]
    try:
        found = await robots.refresh(
            request.view.db, request.view.sites.door.robots, head.host, stamp=request.stamp, scheme=scheme
        )
        said = f"robots.txt of {head.host} was fetched: {found.file.state}."
    except LamplighterError as error:
        said = f"robots.txt of {head.host} was not fetched: {error}"
    return request.done(said, to=f"{head.path}/trials")


async def _show(
    request: PageRequest,
    head: SourceHead,
    *,
    url: str,
    page: UUID | None = None,
    typed: str | None = None,
    faults: Mapping[str, str] | None = None,
    simulation: Simulation | None = None,
    fetched: FetchTrial | None = None,
) -> Response:
    robots_answer = await request.read(lambda db: robots.of_url(db, url, token=request.view.sites.door.robots.token))
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
        "robots": robots_answer,
        "earlier": await request.read(lambda db: earlier_recipe(db, head.source)),
    }
    if request.target in _PARTS:
        return request.part(_PARTS[request.target], head=head, **shown)
    return source_page(request, "sources/trials/trials.html", head=head, **shown)


async def _url(request: PageRequest, head: SourceHead, page: UUID | None) -> str:
    """The URL to test; NotFound for a page of another source."""
    if page is None:
        return head.source.url
    async with request.view.db.read() as db:
        number = page_ids.number_of(page)
        return (await page_versions.history(db, head.source.id, number, limit=1, offset=0)).url


def _fields(record: Mapping[str, Any]) -> list[ReadField]:
    """The extracted fields of a record, without empty ones."""
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
        raise BadInput(f"{text[:50]!r} is not the id of a page", field="page") from None


def _recipe(text: str) -> dict[str, Any]:
    """The typed recipe; an empty one uses the structured data of the page."""
    if len(text) > _LONGEST_RECIPE:
        raise BadInput(f"the recipe has {len(text)} characters; use up to {_LONGEST_RECIPE}", field="recipe")
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
    """Maps every recipe error to the one recipe field."""
    return {"recipe": " ".join(faults_of(error).values())}
