"""Switches between the light and dark theme."""

from fastapi import Response
from fastapi.responses import RedirectResponse

from lamplighter.web.dashboard.page_request import ThisRequest
from lamplighter.web.paths import local_path
from lamplighter.web.rendering import THEME, THEMES
from lamplighter.web.routes import Pages

ROUTES = Pages()
_YEAR_SECONDS = 365 * 24 * 3600


@ROUTES.post("/theme", role="viewer")
async def choose(request: ThisRequest) -> Response:
    """Stores the theme in a cookie."""
    form = await request.form()
    answer = RedirectResponse(local_path(form.text("back")), status_code=303)
    chosen = form.text("theme")
    if chosen in THEMES:
        answer.set_cookie(THEME, chosen, max_age=_YEAR_SECONDS, httponly=True, samesite="lax")
    return answer
