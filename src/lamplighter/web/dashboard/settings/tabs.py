"""The lists of the settings pages."""

from typing import Any

from fastapi import Response

from lamplighter.web.dashboard.page_request import PageRequest

#: rows per page of the lists on the tabs
LIMIT = 50


def settings_page(request: PageRequest, template: str, **shown: Any) -> Response:
    """Renders a settings page."""
    return request.page(template, **shown)


def settings_list(request: PageRequest, template: str, **shown: Any) -> Response:
    """Renders a settings page with a list, at the offset of the request."""
    return settings_page(request, template, offset=offset_of(request), limit=LIMIT, **shown)


def offset_of(request: PageRequest) -> int:
    """The offset parameter of a list, 0 if it is not a number."""
    given = request.http.query_params.get("offset", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
