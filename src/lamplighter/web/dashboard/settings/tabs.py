"""The tabs of the settings, in their order, and who sees which."""

from typing import NamedTuple

from lamplighter.web.dashboard.visit import Visit


class Tab(NamedTuple):
    """One of them."""

    name: str
    path: str
    role: str = "viewer"


#: of the lists on the tabs
LIMIT = 50
TABS = (
    Tab("General", "/settings"),
    # Policies belong to their hosts, and are edited there.
    Tab("Host policies", "/hosts"),
    Tab("Takedowns", "/settings/takedowns"),
    Tab("Tags", "/settings/tags"),
    Tab("Notifications", "/settings/notifications"),
    Tab("Storage", "/settings/storage"),
    Tab("Secrets", "/settings/secrets", "admin"),
    Tab("Users", "/settings/users", "admin"),
    Tab("API tokens", "/settings/tokens", "admin"),
)


def tabs_for(visit: Visit) -> list[Tab]:
    """Those that a visitor may open."""
    return [tab for tab in TABS if visit.may(tab.role)]


def offset_of(visit: Visit) -> int:
    """From where on a list is shown; what is no number is the beginning."""
    given = visit.request.query_params.get("offset", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
