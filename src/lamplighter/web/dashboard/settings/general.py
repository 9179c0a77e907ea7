"""`/settings`: the settings of this installation and their origin."""

from fastapi import Response

from lamplighter.web.dashboard.page_request import ThisRequest
from lamplighter.web.dashboard.settings.settings_view import GROUPS, SettingView, shown
from lamplighter.web.dashboard.settings.tabs import tabs_for
from lamplighter.web.routes import Pages

ROUTES = Pages()
_LONGEST_SEARCH = 100


@ROUTES.get("/settings")
async def general(request: ThisRequest) -> Response:
    """All settings by topic; read-only, since they come from the environment."""
    query = request.http.query_params
    search, is_own_only = query.get("q", "").strip()[:_LONGEST_SEARCH], "changed" in query
    groups = [(group.title, [shown(request.view.settings, name) for name in group.names]) for group in GROUPS]
    found = [
        (title, [each for each in lines if _is_wanted(each, search, is_own_only=is_own_only)])
        for title, lines in groups
    ]
    return request.page(
        "settings/general.html",
        tabs=tabs_for(request),
        groups=[(title, lines) for title, lines in found if lines],
        search=search,
        is_own_only=is_own_only,
        is_dev=request.view.settings.is_dev,
    )


def _is_wanted(each: SettingView, search: str, *, is_own_only: bool) -> bool:
    if is_own_only and each.origin is None:
        return False
    words = search.lower().split()
    text = f"{each.name} {each.variable} {each.meaning}".lower()
    return all(word in text for word in words)
