"""Archived versions of a source's pages: view, compare and download.

A version is never rendered as HTML: only as text, or as a download.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query, Response

from lamplighter.errors import NotFound
from lamplighter.operations.pages import page_versions
from lamplighter.operations.pages.page_versions import PageHistory, VersionText
from lamplighter.rules.formats.typed_text import offset_from
from lamplighter.store.pages.archived_pages import MOST_COUNTED, MOST_VERSIONS
from lamplighter.store.pages.page_versions import Version
from lamplighter.web import page_ids
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.pages import diff_view
from lamplighter.web.dashboard.pages.diff_view import VIEWS, DiffView
from lamplighter.web.dashboard.sources.source_head import SourceHead, head_of, source_page
from lamplighter.web.dashboard.value_chart import ValueChart, value_chart
from lamplighter.web.routes import Pages
from lamplighter.web.security_headers import ONLY_TO_SAVE
from lamplighter.web.values import Line, Offset
from lamplighter.web.words import byte_size

ROUTES = Pages()
_SHOWN_PAGES = 50
#: the most versions of one page to choose from
_SHOWN_VERSIONS = 200
#: the sides to compare: the extracted text, or the original source
_SIDES = (("text", "Text"), ("source", "Source"))


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionStep:
    """A version of a page compared with the one before it."""

    #: places in time; the oldest version that is shown is 0
    chosen: int
    last: int
    before: Version
    after: Version
    #: None with a trouble: why the two cannot be compared
    diff: DiffView | None
    trouble: str
    charts: list[ValueChart]


Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Chosen = Annotated[int | None, Query(ge=1, le=2**31 - 1)]


@ROUTES.get("/sources/{source_id}/versions")
async def pages(
    source_id: UUID, request: ThisRequest, search: Annotated[Line, Query(max_length=300)] = "", offset: Offset = 0
) -> Response:
    """The archived pages of a source."""
    head = await head_of(request, source_id)
    async with request.view.db.read() as db:
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
    return source_page(request, "sources/changes/pages.html", head=head, rows=rows, search=search, **paging)


@ROUTES.get("/sources/{source_id}/versions/{page_id}")
async def versions(source_id: UUID, page_id: UUID, request: ThisRequest, at: str = "") -> Response:
    """The versions of a page, and what one of them changed; `at` is its place in time, the latest by default."""
    head, page = await _page(request, source_id, page_id)
    shown: dict[str, Any] = {"head": head, "page": page, "page_id": page_id, "step": await _step(request, page, at)}
    if request.target == "at-version" and shown["step"] is not None:
        return request.part("sources/changes/at_version.html", in_panel=False, **shown)
    return source_page(request, "sources/changes/versions.html", views=VIEWS, sides=_SIDES, **shown)


async def _step(request: PageRequest, page: PageHistory, at: str) -> VersionStep | None:
    """What a version changed in the visible text; None while there is nothing to compare."""
    oldest_first = page.versions[::-1]
    last = len(oldest_first) - 1
    if last < 1:
        return None
    chosen = max(1, min(offset_from(at), last)) if at else last
    before, after = oldest_first[chosen - 1], oldest_first[chosen]
    diff, trouble = None, ""
    try:
        old, new = [await _text(request, page, each.number) for each in (before, after)]
        if old.is_text and new.is_text:
            texts = (old.readable, new.readable)
            diff = await asyncio.to_thread(diff_view.of_texts, *texts, view=diff_view.view_of(""), ignore_space=False)
        else:
            trouble = "This version or the one before it is not text. Download both to compare them."
    except NotFound as error:
        trouble = f"It cannot be compared: {error}."
    return VersionStep(
        chosen=chosen,
        last=last,
        before=before,
        after=after,
        diff=diff,
        trouble=trouble,
        charts=_charts(oldest_first, page.records, chosen, now=request.now),
    )


def _charts(found: Sequence[Version], records: Mapping[int, int], chosen: int, *, now: datetime) -> list[ValueChart]:
    """The size of the versions, and how many records the source showed then."""
    times = [each.fetched_at for each in found]
    counts = [records.get(each.number) for each in found]
    draw = partial(value_chart, chosen=chosen, now=now)
    charts = [
        draw("records of the source", times, counts, said=lambda at: "-" if counts[at] is None else f"{counts[at]:,}"),
        draw("size", times, [each.size_bytes for each in found], said=lambda at: byte_size(found[at].size_bytes)),
    ]
    return [chart for chart in charts if chart is not None]


@ROUTES.get("/sources/{source_id}/versions/{page_id}/compare")
async def compare(
    source_id: UUID,
    page_id: UUID,
    request: ThisRequest,
    before: Annotated[Chosen, Query(alias="from")] = None,
    after: Annotated[Chosen, Query(alias="to")] = None,
    view: str = "",
    side: str = "text",
    space: str = "",
) -> Response:
    """Compares two versions of a page, by default the latest two."""
    head, page = await _page(request, source_id, page_id)
    numbers = [version.number for version in page.versions] or [1]
    after = after or numbers[0]
    before = before or next((number for number in numbers if number < after), numbers[-1])
    old, new = [await _text(request, page, number) for number in (before, after)]
    texts = [text.source if side == "source" else text.readable for text in (old, new)]
    # Comparing long texts is slow: a thread keeps the event loop free.
    diff = await asyncio.to_thread(
        diff_view.of_texts, *texts, view=diff_view.view_of(view), ignore_space=space == "ignore"
    )
    return source_page(
        request,
        "sources/changes/compare.html",
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


@ROUTES.get("/sources/{source_id}/versions/{page_id}/{number}")
async def version(source_id: UUID, page_id: UUID, number: Number, request: ThisRequest, side: str = "text") -> Response:
    """Shows a version as text."""
    head, page = await _page(request, source_id, page_id)
    text = await _text(request, page, number)
    return source_page(
        request,
        "sources/changes/version.html",
        head=head,
        page=page,
        page_id=page_id,
        text=text,
        side=side,
        sides=_SIDES,
    )


@ROUTES.get("/sources/{source_id}/versions/{page_id}/{number}/download")
async def download(source_id: UUID, page_id: UUID, number: Number, request: ThisRequest) -> Response:
    """Downloads the original bytes of a version."""
    _, page = await _page(request, source_id, page_id)
    body = await page_versions.content(request.view.db, request.view.storage.archive, page.page_id, number)
    headers = ONLY_TO_SAVE | {"Content-Disposition": f'attachment; filename="version-{number}.txt"'}
    return Response(body, media_type="text/plain", headers=headers)


async def _page(request: PageRequest, source_id: UUID, page_id: UUID) -> tuple[SourceHead, PageHistory]:
    head = await head_of(request, source_id)
    async with request.view.db.read() as db:
        number = page_ids.number_of(page_id)
        return head, await page_versions.history(db, head.source.id, number, limit=_SHOWN_VERSIONS, offset=0)


async def _text(request: PageRequest, page: PageHistory, number: int) -> VersionText:
    return await page_versions.text_of(request.view.db, request.view.storage.archive, page, number)
