"""The discovered links: review, ignore, or make them sources."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Response

from lamplighter.errors import LamplighterError, NotFound
from lamplighter.model.record import RecordKind
from lamplighter.operations.pages import discovered_links
from lamplighter.operations.pages.discovered_links import Links, LinkState
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages.page_lists import MOST_SEARCHED
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.pages.frontier import ListFilter, Word
from lamplighter.web.routes import Pages
from lamplighter.web.values import BIGGEST, RowId

ROUTES = Pages()
_SHOWN = 50
#: digits of the largest link id; Python refuses to parse numbers with very many digits
_DIGITS = len(str(BIGGEST))
_KINDS = [("", "detect from the pages"), *((str(kind), str(kind)) for kind in RecordKind)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFilter(ListFilter):
    """The filter values of the links."""

    state: Word = ""
    base = "/links"
    names = ("state", "host", "source", "q")

    @property
    def link_state(self) -> LinkState | None:
        """The link state to show, None for all."""
        return LinkState(self.state) if self.state in set(LinkState) else None


Picking = Annotated[LinkFilter, Depends()]


@ROUTES.get("/links")
async def listed(request: ThisRequest, picked: Picking) -> Response:
    """The discovered links, newest first."""
    shown: dict[str, Any] = {
        "found": await _found(request, picked),
        "picked": picked,
        "limit": _SHOWN,
        "most_searched": MOST_SEARCHED,
        "states": [str(state) for state in LinkState],
    }
    return request.part_or_page("links", "pages/links/rows.html", "pages/links/list.html", **shown)


@ROUTES.post("/links/bulk")
async def bulk(request: ThisRequest) -> Response:
    """Ignores, un-ignores or promotes the selected links."""
    form = await request.form()
    ids, back = _ticked(form), form.text("back") or "/links"
    action = form.text("action")
    if not ids or action not in _BULK:
        return request.done("No links selected.", to=back)
    verb, done = _BULK[action]
    question = f"{verb} {len(ids)} link{'s' * (len(ids) != 1)}?"
    request.confirm(form, question, label=verb, back=back)
    count, refused = await _each(request, action, ids)
    said = f"{done}: {count}." + (f" Failed: {len(refused)}; first error: {refused[0]}" if refused else "")
    return request.done(said, to=back)


@ROUTES.get("/links/{link_id}/promote")
async def promotion(link_id: RowId, request: ThisRequest) -> Response:
    """The form that makes a link a source."""
    link = await request.read(lambda db: discovered_links.judged(db, link_id, now=request.now))
    return request.page("pages/links/promote.html", link=link, given={"name": "", "kind": ""}, kinds=_KINDS)


@ROUTES.post("/links/{link_id}/promote")
async def promote(link_id: RowId, request: ThisRequest) -> Response:
    """Makes a link a source and shows it."""
    form, now = await request.form(), request.now
    link = await request.read(lambda db: discovered_links.judged(db, link_id, now=now))
    given = {"name": form.text("name"), "kind": form.text("kind")}
    try:
        public_id = await _promoted(request, link_id, name=given["name"] or None, kind=given["kind"] or None)
    except LamplighterError as error:
        shown: dict[str, Any] = {"given": given, "kinds": _KINDS, "faults": faults_of(error)}
        return request.page("pages/links/promote.html", link=link, **shown)
    return request.done("The source was added; its first crawl starts within seconds.", to=f"/sources/{public_id}")


@ROUTES.post("/links/{link_id}/ignore")
async def ignore(link_id: RowId, request: ThisRequest) -> Response:
    """Ignores a link."""
    back = (await request.form()).text("back") or "/links"
    await _act(request, "ignore", link_id)
    return request.done("Ignored; no crawl fetches it while it is ignored.", to=back)


@ROUTES.post("/links/{link_id}/notice")
async def notice(link_id: RowId, request: ThisRequest) -> Response:
    """Stops ignoring a link."""
    back = (await request.form()).text("back") or "/links"
    await _act(request, "notice", link_id)
    return request.done("No longer ignored; it is fetched in its host's turn.", to=back)


#: bulk action -> verb of the question, and the message afterwards
_BULK = {
    "ignore": ("Ignore", "Ignored"),
    "notice": ("Stop ignoring", "No longer ignored"),
    "promote": ("Make sources of", "Now sources"),
}


async def _found(request: PageRequest, picked: LinkFilter) -> Links:
    async with request.view.db.read() as db:
        try:
            return await discovered_links.listed(
                db, picked.query(is_found=True), picked.link_state, limit=_SHOWN, offset=picked.offset, now=request.now
            )
        except NotFound:
            return Links(links=[], total=0, is_exact=True)


async def _each(request: PageRequest, action: str, ids: list[int]) -> tuple[int, list[str]]:
    """Applies the action to each link; an error does not stop the others."""
    refused: list[str] = []
    for link_id in ids:
        try:
            await _act(request, action, link_id)
        except LamplighterError as error:
            refused.append(str(error))
    return len(ids) - len(refused), refused


async def _act(request: PageRequest, action: str, link_id: int) -> None:
    if action == "promote":
        await _promoted(request, link_id, name=None, kind=None)
        return
    work = discovered_links.ignore if action == "ignore" else discovered_links.notice
    await request.write(lambda db: work(db, link_id, stamp=request.stamp))


async def _promoted(request: PageRequest, link_id: int, *, name: str | None, kind: str | None) -> str:
    """Promotes a link and returns the public id of the source."""
    view = request.view

    async def work(db: Connection) -> str:
        _, source = await discovered_links.watch(
            db, link_id, name=name, kind=kind, source_defaults=view.source_defaults, stamp=request.stamp
        )
        return str(source.public_id)

    return await view.db.write(work)


def _ticked(form: SubmittedForm) -> list[int]:
    """The selected links, at most one page of the list."""
    numbers = (int(each) for each in form.many("link") if each.isascii() and each.isdigit() and len(each) <= _DIGITS)
    return [number for number in numbers if number <= BIGGEST][:_SHOWN]
