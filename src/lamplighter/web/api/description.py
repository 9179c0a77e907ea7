"""The API description: OpenAPI document and page, without responses that never occur."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi

from lamplighter import __version__
from lamplighter.web.problems import Family, family_of
from lamplighter.web.rendering import page
from lamplighter.web.routes import PUBLIC, ROLE_KEY, Pages

ROUTES = Pages()
_INTRODUCTION = """\
Everything an operator can do, for programs. Four families of paths stand over one layer of operations; each keeps the
words of the programs that it was made for: `/admin` (job boards), `/api/v1` and `/api/v2` (jobs and sources), and
`/api/admin` with `/api/products` (tasks, domains, proxies and products, in an envelope of their own).

Say who you are with `Authorization: Bearer …`: a token made by `lamplighter token create`, or a JWT (HS256) signed with
`AUTH_JWT_SECRET` that has `exp` and, for more or less than an operator may do, `role` (viewer, operator, admin).

An error is a problem (RFC 9457) with a `code` that does not change, or in the envelope's `error`.
"""
_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API token, or a JWT."},
    "session": {"type": "apiKey", "in": "cookie", "name": "lamplighter_session", "description": "A browser's login."},
}


@ROUTES.get("/openapi.json", role=PUBLIC)
async def openapi(request: Request) -> dict[str, Any]:
    """The API as OpenAPI 3.1."""
    return describe(request.app)


@ROUTES.get("/docs", role=PUBLIC)
async def docs(request: Request) -> Response:
    """The API on one page, without scripts."""
    document = describe(request.app)
    by_tag: dict[str, list[dict[str, Any]]] = {}
    for path, method, operation in operations(document):
        line = {"path": path, "method": method.upper(), **operation}
        by_tag.setdefault(operation["tags"][0], []).append(line)
    return page("docs.html", introduction=document["info"]["description"], parts=by_tag)


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, built once."""
    if app.openapi_schema is None:
        app.openapi_schema = _described(app)
    return app.openapi_schema


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every operation of a document: path, method and description."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _described(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title="Lamplighter", version=__version__, description=_INTRODUCTION, routes=app.routes, openapi_version="3.1.0"
    )
    components = document.setdefault("components", {})
    components["securitySchemes"] = _SCHEMES
    for path, _, operation in operations(document):
        if operation[ROLE_KEY] != PUBLIC:
            operation["security"] = [{"bearer": []}, {"session": []}]
        if family_of(path) is Family.ENVELOPE:
            # The framework documents 422 for invalid values; this family responds with 400.
            operation["responses"].pop("422", None)
    for unused in ("HTTPValidationError", "ValidationError"):
        components.get("schemas", {}).pop(unused, None)
    return document
