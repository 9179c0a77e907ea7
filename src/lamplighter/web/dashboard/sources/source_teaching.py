"""Point and teach on the stored pages of a source."""

from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Query, Response

from lamplighter.operations.explain.lessons import Pointing, earlier_recipe
from lamplighter.operations.pages import page_versions
from lamplighter.web import page_ids, source_verbs
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.sources.lesson_page import LessonPaths, frame_of, pointing_of, show_lesson
from lamplighter.web.dashboard.sources.source_head import SourceHead, head_of
from lamplighter.web.routes import Pages

ROUTES = Pages()
Number = Annotated[int | None, Query(ge=1, le=2**31 - 1)]


@ROUTES.get("/sources/{source_id}/teach")
async def lesson(
    source_id: UUID, request: ThisRequest, page: UUID | None = None, version: Number = None, styles: str = ""
) -> Response:
    """The lesson: an archived page with what is read from it."""
    return await _show(request, source_id, Pointing(), page=page, version=version, styles=styles)


@ROUTES.post("/sources/{source_id}/teach/preview", role="viewer")
async def teach(source_id: UUID, request: ThisRequest) -> Response:
    """Learns from one more example; sends no request to the site and stores nothing."""
    form = await request.form()
    page = UUID(form.text("page")) if form.text("page") else None
    version, styles = form.whole_number("version"), form.text("styles")
    return await _show(request, source_id, pointing_of(form), page=page, version=version, styles=styles)


@ROUTES.get("/sources/{source_id}/teach/frame")
async def frame(
    source_id: UUID, request: ThisRequest, page: UUID | None = None, version: Number = None, styles: str = ""
) -> Response:
    """The archived page in its frame."""
    head = await head_of(request, source_id)
    stored = await request.view.sites.lessons.stored(head.source, url=await _url(request, head, page), number=version)
    return await frame_of(request, stored.body, with_styles=styles != "0")


@ROUTES.post("/sources/{source_id}/trials/back")
async def go_back(source_id: UUID, request: ThisRequest) -> Response:
    """Goes back to the recipe before this one."""
    head = await head_of(request, source_id)
    await source_verbs.do(
        request.view, source_id, source_verbs.recipe_back, source_verbs.change_context(request.view, request.caller)
    )
    return request.done("The recipe before is the source's recipe again.", to=f"{head.path}/trials")


async def _show(
    request: PageRequest, source_id: UUID, pointing: Pointing, *, page: UUID | None, version: int | None, styles: str
) -> Response:
    head = await head_of(request, source_id)
    lessons = request.view.sites.lessons
    stored = await lessons.stored(head.source, url=await _url(request, head, page), number=version)
    lesson = await lessons.teach_stored(head.source, stored, pointing, now=request.now)
    chosen = {"page": page, "version": stored.version.number, "styles": styles}
    kept = [(name, str(value)) for name, value in chosen.items() if value]
    base = f"{head.path}/teach" + (f"?page={page}" if page else "")
    paths = LessonPaths(
        page=f"{head.path}/teach?{urlencode([each for each in kept if each[0] != 'styles'])}",
        base=base,
        frame=f"{head.path}/teach/frame?{urlencode(kept)}",
        teach=f"{head.path}/teach/preview",
        save=f"{head.path}/trials/save",
        back=f"{head.path}/trials",
        undo=f"{head.path}/trials/back",
    )
    if lesson.last_good is not None:
        good = urlencode([("version", lesson.last_good.number), *(each for each in kept if each[0] != "version")])
        paths = paths._replace(good=f"{head.path}/teach?{good}", good_frame=f"{head.path}/teach/frame?{good}")
    return show_lesson(
        request,
        lesson,
        paths,
        name=head.source.name,
        url=stored.body.url,
        kept=kept,
        saved_with=[],
        save_label="Save as the source's recipe",
        has_recipe=bool(head.source.recipe),
        version=stored.version,
        versions=stored.versions,
        earlier=await request.read(lambda db: earlier_recipe(db, head.source)),
        with_styles=styles != "0",
    )


async def _url(request: PageRequest, head: SourceHead, page: UUID | None) -> str | None:
    """The URL of a page of the source; None for its start page."""
    if page is None:
        return None
    number = page_ids.number_of(page)
    return (await request.read(lambda db: page_versions.history(db, head.source.id, number, limit=1, offset=0))).url
