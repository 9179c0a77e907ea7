"""Point and teach on the page of a source that is not added yet."""

from urllib.parse import urlencode

from fastapi import Response

from lamplighter.model.access import Role
from lamplighter.web.dashboard.forms import meant_by
from lamplighter.web.dashboard.page_request import ThisRequest
from lamplighter.web.dashboard.sources.add_source import input_of, typed_in
from lamplighter.web.dashboard.sources.lesson_page import LessonPaths, frame_of, pointing_of, show_lesson
from lamplighter.web.routes import Pages

ROUTES = Pages()


@ROUTES.post("/sources/add/teach")
async def teach(request: ThisRequest) -> Response:
    """Learns from examples on the page that the form tried; sends no request to the site and stores nothing."""
    form = await request.form()
    submitted = input_of(form)
    body = request.view.sites.first_looks.kept(submitted.url)
    lesson = await request.view.sites.lessons.teach(
        body,
        pointing_of(form),
        source_url=submitted.url,
        recipe=submitted.recipe,
        kind=submitted.kind,
        now=request.now,
    )
    typed = [(name, value) for name, value in typed_in(form).items() if value]
    frame = f"/sources/add/teach/frame?{urlencode({'url': submitted.url})}"
    paths = LessonPaths(
        page="",
        base="",
        frame=frame,
        teach="/sources/add/teach",
        save="/sources/add",
        back=f"/sources/add?{urlencode({'url': submitted.url})}",
    )
    return show_lesson(
        request,
        lesson,
        paths,
        name=submitted.name or submitted.url,
        url=body.url,
        kept=typed,
        saved_with=[each for each in typed if each[0] != "recipe"],
        save_label="Watch it with this recipe",
        has_recipe=bool(submitted.recipe),
    )


@ROUTES.get("/sources/add/teach/frame", role=Role.OPERATOR)
async def frame(request: ThisRequest, url: str) -> Response:
    """The page that the form tried, in its frame."""
    return await frame_of(request, request.view.sites.first_looks.kept(meant_by(url)), with_styles=True)
