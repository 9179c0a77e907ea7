"""Every route of the application, and the role that each needs."""

import re
from collections.abc import Iterator

from fastapi.routing import APIRoute

from lamplighter.model.access import Role
from lamplighter.web.all_routes import PARTS
from lamplighter.web.routes import PUBLIC, ROLE_KEY


def routes() -> list[APIRoute]:
    """All of them."""
    return [route for part in PARTS for route in part.router.routes if isinstance(route, APIRoute)]


def guarded() -> Iterator[tuple[str, str, Role]]:
    """Method, a path to ask for, and the role that it takes."""
    for route in routes():
        role = (route.openapi_extra or {}).get(ROLE_KEY)
        if role != PUBLIC:
            for method in route.methods:
                yield method, re.sub(r"\{[^}]*\}", "1", route.path), Role(role)
