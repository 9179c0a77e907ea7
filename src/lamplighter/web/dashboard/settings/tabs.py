"""The tabs of the settings pages."""

from typing import Any, NamedTuple

from fastapi import Response

from lamplighter.web.dashboard.page_request import PageRequest


class SettingsTab(NamedTuple):
    """A tab and the role that may open it."""

    name: str
    path: str
    role: str = "viewer"


#: rows per page of the lists on the tabs
LIMIT = 50
TABS = (
    SettingsTab("General", "/settings"),
    # Host policies are edited on the pages of their hosts.
    SettingsTab("Host policies", "/hosts"),
    SettingsTab("Takedowns", "/settings/takedowns"),
    SettingsTab("Tags", "/settings/tags"),
    SettingsTab("Notifications", "/settings/notifications"),
    SettingsTab("Storage", "/settings/storage"),
    SettingsTab("Secrets", "/settings/secrets", "admin"),
    SettingsTab("Users", "/settings/users", "admin"),
    SettingsTab("API tokens", "/settings/tokens", "admin"),
)


def settings_page(request: PageRequest, template: str, **shown: Any) -> Response:
    """Renders a settings page with the tabs that the caller may open."""
    return request.page(template, tabs=[tab for tab in TABS if request.may(tab.role)], **shown)


def settings_list(request: PageRequest, template: str, **shown: Any) -> Response:
    """Renders a settings page with a list, at the offset of the request."""
    return settings_page(request, template, offset=offset_of(request), limit=LIMIT, **shown)


def offset_of(request: PageRequest) -> int:
    """The offset parameter of a list, 0 if it is not a number."""
    given = request.http.query_params.get("offset", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
