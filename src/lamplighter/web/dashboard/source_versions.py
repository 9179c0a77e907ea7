"""What the pages of a source were before: the versions that the archive keeps, shown as text and compared.

What a site sent is never shown as the page it was: as text, or as a file to be saved.
"""

import asyncio
from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query, Response

from lamplighter.operations import page_versions
from lamplighter.operations.page_versions import PageHistory, VersionText
from lamplighter.store.kept_pages import MOST_COUNTED, MOST_VERSIONS
from lamplighter.web.api import page_ids
from lamplighter.web.api.paging import DEEPEST
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.dashboard import diff_view
from lamplighter.web.dashboard.diff_view import VIEWS
from lamplighter.web.dashboard.source_head import SourceHead, head_of, source_page
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_SHOWN_PAGES = 50
#: versions of one page that can be chosen from
_SHOWN_VERSIONS = 200
#: what is compared: what a person reads, or what the site sent
_SIDES = (("text", "Text"), ("source", "Source"))
_ONLY_TO_SAVE = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}

Offset = Annotated[int, Query(ge=0, le=DEEPEST)]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Chosen = Annotated[int | None, Query(ge=1, le=2**31 - 1)]


@ROUTES.get("/sources/{source_id}/versions", include_in_schema=False)
async def pages(
    source_id: UUID, visit: Visiting, search: Annotated[Line, Query(max_length=300)] = "", offset: Offset = 0
) -> Response:
    """The pages of a source of which the archive keeps versions."""
    head = await head_of(visit, source_id)
    async with visit.view.db.read() as db:
        found = await page_versions.pages_of(
            db, head.source.id, search=search.strip() or None, limit=_SHOWN_PAGES, offset=offset
        )
    rows = [(page_ids.shown(page.page_id), page, kept) for page, kept in found.pages]
    paging: dict[str, Any] = {
        "offset": offset,
        "limit": _SHOWN_PAGES,
        "total": found.total,
        "is_whole": found.is_whole,
        "most_versions": MOST_VERSIONS,
        "most_counted": MOST_COUNTED,
    }
    return source_page(visit, "finds/pages.html", head=head, rows=rows, search=search, **paging)


@ROUTES.get("/sources/{source_id}/versions/{page_id}", include_in_schema=False)
async def versions(source_id: UUID, page_id: UUID, visit: Visiting) -> Response:
    """The versions of a page, to be looked at and compared."""
    head, page = await _page(visit, source_id, page_id)
    return source_page(visit, "finds/versions.html", head=head, page=page, page_id=page_id, views=VIEWS, sides=_SIDES)


@ROUTES.get("/sources/{source_id}/versions/{page_id}/compare", include_in_schema=False)
async def compare(
    source_id: UUID,
    page_id: UUID,
    visit: Visiting,
    before: Annotated[Chosen, Query(alias="from")] = None,
    after: Annotated[Chosen, Query(alias="to")] = None,
    view: str = "",
    side: str = "text",
    space: str = "",
) -> Response:
    """What is different between two versions of a page; the latest two, where none are chosen."""
    head, page = await _page(visit, source_id, page_id)
    numbers = [version.number for version in page.versions] or [1]
    after = after or numbers[0]
    before = before or next((number for number in numbers if number < after), numbers[-1])
    old, new = [await _text(visit, page, number) for number in (before, after)]
    texts = [text.source if side == "source" else text.readable for text in (old, new)]
    # Long texts take a moment to compare: others are answered meanwhile.
    diff = await asyncio.to_thread(
        diff_view.of_texts, *texts, view=diff_view.view_of(view), ignore_space=space == "ignore"
    )
    return source_page(
        visit,
        "finds/compare.html",
        head=head,
        page=page,
        page_id=page_id,
        before=old.version,
        after=new.version,
        is_text=old.is_text and new.is_text,
        diff=diff,
        view=diff.view,
        views=VIEWS,
        side=side if side in dict(_SIDES) else "text",
        sides=_SIDES,
        space=space,
    )


@ROUTES.get("/sources/{source_id}/versions/{page_id}/{number}", include_in_schema=False)
async def version(source_id: UUID, page_id: UUID, number: Number, visit: Visiting, side: str = "text") -> Response:
    """What a version said, as text."""
    head, page = await _page(visit, source_id, page_id)
    text = await _text(visit, page, number)
    return source_page(
        visit, "finds/version.html", head=head, page=page, page_id=page_id, text=text, side=side, sides=_SIDES
    )


@ROUTES.get("/sources/{source_id}/versions/{page_id}/{number}/download", include_in_schema=False)
async def download(source_id: UUID, page_id: UUID, number: Number, visit: Visiting) -> Response:
    """What a version said, byte for byte, as a file to be saved."""
    _, page = await _page(visit, source_id, page_id)
    body = await page_versions.content(visit.view.db, visit.view.archive, page.page_id, number)
    headers = _ONLY_TO_SAVE | {"Content-Disposition": f'attachment; filename="version-{number}.txt"'}
    return Response(body, media_type="text/plain", headers=headers)


async def _page(visit: Visit, source_id: UUID, page_id: UUID) -> tuple[SourceHead, PageHistory]:
    head = await head_of(visit, source_id)
    async with visit.view.db.read() as db:
        number = page_ids.number_of(page_id)
        return head, await page_versions.history(db, head.source.id, number, limit=_SHOWN_VERSIONS, offset=0)


async def _text(visit: Visit, page: PageHistory, number: int) -> VersionText:
    return await page_versions.text_of(visit.view.db, visit.view.archive, page, number)
