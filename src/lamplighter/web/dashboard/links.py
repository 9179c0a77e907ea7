"""Discovered links, and what became of them."""

from typing import Any

from fastapi import Response

from lamplighter.errors import LamplighterError, NotFound
from lamplighter.model.record import RecordKind
from lamplighter.operations import discovered_links
from lamplighter.operations.discovered_links import Links, LinkState
from lamplighter.store.database import Connection
from lamplighter.store.page_lists import MOST_SEARCHED
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import BIGGEST, RowId
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.link_filter import LinkFilter, Picking
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_SHOWN = 50
#: of the greatest number that a link may have; Python refuses to read a number of very many
_DIGITS = len(str(BIGGEST))
_KINDS = [("", "let the pages tell"), *((str(kind), str(kind)) for kind in RecordKind)]


@ROUTES.get("/links", include_in_schema=False)
async def listed(visit: Visiting, picked: Picking) -> Response:
    """Discovered links, the newest first."""
    shown: dict[str, Any] = {
        "found": await _found(visit, picked),
        "picked": picked,
        "limit": _SHOWN,
        "most_searched": MOST_SEARCHED,
        "states": [str(state) for state in LinkState],
    }
    if visit.target == "links":
        return visit.part("links/rows.html", **shown)
    return visit.page("links/list.html", **shown)


@ROUTES.post("/links/bulk", include_in_schema=False)
async def bulk(visit: Visiting) -> Response:
    """Ignores, takes up again, or promotes all that were ticked."""
    form = await visit.form()
    ids, back = _ticked(form), form.text("back") or "/links"
    action = form.text("action")
    if not ids or action not in _BULK:
        return visit.done("Nothing was chosen: tick links first.", to=back)
    verb, done = _BULK[action]
    question = f"{verb} {len(ids)} link{'s' * (len(ids) != 1)}?"
    if asked := visit.confirm(form, question, label=verb, back=back):
        return asked
    count, refused = await _each(visit, action, ids)
    said = f"{done}: {count}." + (f" Not done: {len(refused)}, the first because {refused[0]}" if refused else "")
    return visit.done(said, to=back)


@ROUTES.get("/links/{link_id}/promote", include_in_schema=False)
async def promotion(link_id: RowId, visit: Visiting) -> Response:
    """Where a link is made a source."""
    async with visit.view.db.read() as db:
        link = await discovered_links.judged(db, link_id, now=visit.now)
    return visit.page("links/promote.html", link=link, given={"name": "", "kind": ""}, kinds=_KINDS, faults={})


@ROUTES.post("/links/{link_id}/promote", include_in_schema=False)
async def promote(link_id: RowId, visit: Visiting) -> Response:
    """Makes a source of a link, and goes there."""
    form, now = await visit.form(), visit.now
    async with visit.view.db.read() as db:
        link = await discovered_links.judged(db, link_id, now=now)
    given = {"name": form.text("name"), "kind": form.text("kind")}
    try:
        public_id = await _promoted(visit, link_id, name=given["name"] or None, kind=given["kind"] or None)
    except LamplighterError as error:
        faults = faults_of(error)
        return visit.page("links/promote.html", status=422, link=link, given=given, kinds=_KINDS, faults=faults)
    return visit.done("It is a source now, and crawled within seconds.", to=f"/sources/{public_id}")


@ROUTES.post("/links/{link_id}/ignore", include_in_schema=False)
async def ignore(link_id: RowId, visit: Visiting) -> Response:
    """Leaves a link alone for good; it can be taken up again."""
    back = (await visit.form()).text("back") or "/links"
    await _act(visit, "ignore", link_id)
    return visit.done("Ignored; no crawl asks for it until it is taken up again.", to=back)


@ROUTES.post("/links/{link_id}/notice", include_in_schema=False)
async def notice(link_id: RowId, visit: Visiting) -> Response:
    """Takes an ignored link up again."""
    back = (await visit.form()).text("back") or "/links"
    await _act(visit, "notice", link_id)
    return visit.done("Taken up again; it is asked for in its host's turn.", to=back)


#: what can be done with many: the question's verb, and what is said then
_BULK = {
    "ignore": ("Ignore", "Ignored"),
    "notice": ("Take up again", "Taken up again"),
    "promote": ("Make sources of", "Now sources"),
}


async def _found(visit: Visit, picked: LinkFilter) -> Links:
    async with visit.view.db.read() as db:
        try:
            return await discovered_links.listed(
                db, picked.which, picked.link_state, limit=_SHOWN, offset=picked.offset, now=visit.now
            )
        except NotFound:
            return Links(links=[], total=0, is_exact=True)


async def _each(visit: Visit, action: str, ids: list[int]) -> tuple[int, list[str]]:
    """Does it to one after the other; one that refuses does not keep the others from it."""
    refused: list[str] = []
    for link_id in ids:
        try:
            await _act(visit, action, link_id)
        except LamplighterError as error:
            refused.append(str(error))
    return len(ids) - len(refused), refused


async def _act(visit: Visit, action: str, link_id: int) -> None:
    if action == "promote":
        await _promoted(visit, link_id, name=None, kind=None)
        return
    actor, now = visit.caller.name, visit.now
    work = discovered_links.ignore if action == "ignore" else discovered_links.notice
    await visit.view.db.write(lambda db: work(db, link_id, actor=actor, now=now))
    visit.view.tasks_changed()


async def _promoted(visit: Visit, link_id: int, *, name: str | None, kind: str | None) -> str:
    """The public id of the source that a link became."""
    view, actor, now = visit.view, visit.caller.name, visit.now

    async def work(db: Connection) -> str:
        _, source = await discovered_links.watch(
            db, link_id, name=name, kind=kind, norms=view.norms, actor=actor, now=now
        )
        return str(source.public_id)

    public_id = await view.db.write(work)
    view.sources_changed()
    view.jobs_changed()
    return public_id


def _ticked(form: Form) -> list[int]:
    """The links that were ticked, no more than a list shows."""
    numbers = (int(each) for each in form.many("link") if each.isascii() and each.isdigit() and len(each) <= _DIGITS)
    return [number for number in numbers if number <= BIGGEST][:_SHOWN]
