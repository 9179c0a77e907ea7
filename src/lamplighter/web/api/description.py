"""The API described for programs: OpenAPI, with what every caller needs to know and no answer that cannot come."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from lamplighter import __version__
from lamplighter.web.api.problems import Family, family_of
from lamplighter.web.api.routes import PUBLIC, ROLE_KEY

_INTRODUCTION = """\
Everything an operator can do, for programs. Four families of paths stand over one layer of operations; each keeps the
words of the programs that it was made for: `/admin` (job boards), `/api/v1` and `/api/v2` (jobs and sources), and
`/api/admin` with `/api/products` (tasks, domains, proxies and products, in an envelope of their own).

Say who you are with `Authorization: Bearer …`: a token made by `lamplighter token create`, or a JWT (HS256) signed with
`AUTH_JWT_SECRET` that has `exp` and, for more or less than an operator may do, `role` (viewer, operator, admin).

What goes wrong is told as a problem (RFC 9457) with a `code` that does not change, or in the envelope's `error`.
"""
_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API token, or a JWT."},
    "session": {"type": "apiKey", "in": "cookie", "name": "lamplighter_session", "description": "A browser's login."},
}


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of the application, made once."""
    if app.openapi_schema is None:
        app.openapi_schema = _described(app)
    return app.openapi_schema


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every operation of a description: its path, its method, and what is said of it."""
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
            # The framework's own words for a value that cannot be used; this family answers 400.
            operation["responses"].pop("422", None)
    for unused in ("HTTPValidationError", "ValidationError"):
        components.get("schemas", {}).pop(unused, None)
    return document
