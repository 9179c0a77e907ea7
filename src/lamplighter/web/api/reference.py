"""The description of the API: for programs, and for people."""

from typing import Any

from fastapi import Request, Response

from lamplighter.web.api.description import describe, operations
from lamplighter.web.api.routes import PUBLIC, Routes
from lamplighter.web.rendering import page

ROUTES = Routes("", tag="reference")


@ROUTES.get("/openapi.json", role=PUBLIC, include_in_schema=False)
async def openapi(request: Request) -> dict[str, Any]:
    """The whole API as OpenAPI 3.1."""
    return describe(request.app)


@ROUTES.get("/docs", role=PUBLIC, include_in_schema=False)
async def docs(request: Request) -> Response:
    """The same on one page, without a script."""
    document = describe(request.app)
    by_tag: dict[str, list[dict[str, Any]]] = {}
    for path, method, operation in operations(document):
        line = {"path": path, "method": method.upper(), **operation}
        by_tag.setdefault(operation["tags"][0], []).append(line)
    return page("docs.html", introduction=document["info"]["description"], parts=by_tag)
