"""Light or dark, as the visitor wants it; without a choice it is as their system has it."""

from fastapi import Response
from fastapi.responses import RedirectResponse

from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.visit import Visiting
from lamplighter.web.look import THEME, THEMES
from lamplighter.web.paths import local_path

ROUTES = Routes("", tag="dashboard")
_YEAR_SECONDS = 365 * 24 * 3600


@ROUTES.post("/theme", role="viewer", include_in_schema=False)
async def choose(visit: Visiting) -> Response:
    """Remembers the choice in the browser."""
    form = await visit.form()
    answer = RedirectResponse(local_path(form.text("back")), status_code=303)
    chosen = form.text("theme")
    if chosen in THEMES:
        answer.set_cookie(THEME, chosen, max_age=_YEAR_SECONDS, httponly=True, samesite="lax")
    return answer
