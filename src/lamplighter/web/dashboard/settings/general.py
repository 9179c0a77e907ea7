"""`/settings`: what holds in this installation, and where it comes from."""

from fastapi import Response

from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.settings.shown import GROUPS, Shown, shown
from lamplighter.web.dashboard.settings.tabs import tabs_for
from lamplighter.web.dashboard.visit import Visiting

ROUTES = Routes("", tag="dashboard")
_LONGEST_SEARCH = 100


@ROUTES.get("/settings", include_in_schema=False)
async def general(visit: Visiting) -> Response:
    """Every setting, by what it is about; they come from the environment, so nothing is changed here."""
    query = visit.request.query_params
    search, is_own_only = query.get("q", "").strip()[:_LONGEST_SEARCH], "changed" in query
    groups = [(group.title, [shown(visit.view.settings, name) for name in group.names]) for group in GROUPS]
    found = [
        (title, [each for each in lines if _is_wanted(each, search, is_own_only=is_own_only)])
        for title, lines in groups
    ]
    return visit.page(
        "settings/general.html",
        tabs=tabs_for(visit),
        groups=[(title, lines) for title, lines in found if lines],
        search=search,
        is_own_only=is_own_only,
        is_dev=visit.view.settings.is_dev,
    )


def _is_wanted(each: Shown, search: str, *, is_own_only: bool) -> bool:
    if is_own_only and each.origin is None:
        return False
    words = search.lower().split()
    text = f"{each.name} {each.variable} {each.meaning}".lower()
    return all(word in text for word in words)
