"""The API description: OpenAPI document and page, without responses that never occur."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self
from weakref import WeakKeyDictionary

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi

from lamplighter import __version__
from lamplighter.web.access.declared_routes import FEED_KEY, ROLE_KEY
from lamplighter.web.api.described_fields import example_of, fields_of, parameters_of
from lamplighter.web.api.operation_names import distinct, operation_name
from lamplighter.web.problems import Family, family_of
from lamplighter.web.rendering import page
from lamplighter.web.routes import PUBLIC, Pages

ROUTES = Pages()
#: streams, which a browser would load for ever
_ENDLESS = ("/sse/", "/api/crawler/events", "/api/health/events", "/api/metrics/events")
_INTRODUCTION = """\
Everything an operator can do, for programs. Four families of paths stand over one layer of operations; each keeps the
words of the programs that it was made for: `/admin` (job boards), `/api/v1` and `/api/v2` (jobs and sources), and
`/api/admin` with `/api/products` (tasks, domains, proxies and products, in an envelope of their own).

Say who you are with `Authorization: Bearer …`: a token made by `lamplighter token create`, or a JWT (HS256) signed with
`AUTH_JWT_SECRET` that has `exp` and, for more than a viewer may do, `role` (operator, admin).

An error is a problem (RFC 9457) with a `code` that does not change, or in the envelope's `error`.
"""
_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API token, or a JWT."},
    "session": {"type": "apiKey", "in": "cookie", "name": "lamplighter_session", "description": "A browser's login."},
    "basic": {"type": "http", "scheme": "basic", "description": "An API token as the password; feeds only."},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """A description as it is sent: strangers may read it, so it is written and compressed once."""

    media_type: str
    plain: bytes
    packed: bytes

    @classmethod
    def of(cls, media_type: str, content: bytes) -> Self:
        return cls(media_type=media_type, plain=content, packed=gzip.compress(content, 9, mtime=0))

    def response(self, request: Request) -> Response:
        headers = {"Vary": "Accept-Encoding", "Cache-Control": "no-store"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(self.packed, media_type=self.media_type, headers=headers)
        return Response(self.plain, media_type=self.media_type, headers=headers)


#: app -> its OpenAPI document and its page
_written: WeakKeyDictionary[FastAPI, dict[str, _Written]] = WeakKeyDictionary()


@ROUTES.get("/openapi.json", role=PUBLIC)
async def openapi(request: Request) -> Response:
    """The API as OpenAPI 3.1."""
    return _description(request.app)["openapi"].response(request)


@ROUTES.get("/docs", role=PUBLIC)
async def docs(request: Request) -> Response:
    """The API on one page; scripts only send calls from it."""
    return _description(request.app)["docs"].response(request)


def _description(app: FastAPI) -> dict[str, _Written]:
    if app not in _written:
        document = describe(app)
        by_tag: dict[str, list[dict[str, Any]]] = {}
        for path, method, operation in operations(document):
            by_tag.setdefault(operation["tags"][0], []).append(_shown(document, path, method.upper(), operation))
        shown = page("docs.html", introduction=document["info"]["description"], parts=by_tag)
        _written[app] = {
            "openapi": _Written.of("application/json", orjson.dumps(document)),
            "docs": _Written.of("text/html; charset=utf-8", bytes(shown.body)),
        }
    return _written[app]


def _shown(document: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    """An operation as the page shows it: its parameters, fields and examples."""
    schemas = document["components"]["schemas"]
    takes, gives = (_schema_of(part) for part in (operation.get("requestBody"), _success(operation)))
    parameters = parameters_of(operation, schemas)
    example = example_of(takes, schemas) if takes is not None else None
    is_endless = path.startswith(_ENDLESS) or "/stream" in path
    return {
        "path": path,
        "method": method,
        **operation,
        "given": parameters,
        "takes": list(fields_of(takes, schemas)) if takes is not None else [],
        "has_body": takes is not None,
        "body_example": json.dumps(example, indent=2, ensure_ascii=False) if example is not None else "",
        "gives": list(fields_of(gives, schemas)) if gives is not None else [],
        "is_endless": is_endless,
        # A browser can send such a call by a form: it changes nothing and has nothing in its path to fill in.
        "can_be_tried": method == "GET" and "{" not in path and not is_endless,
    }


def _success(operation: dict[str, Any]) -> dict[str, Any] | None:
    return next((answer for code, answer in operation["responses"].items() if code.startswith("2")), None)


def _schema_of(part: dict[str, Any] | None) -> dict[str, Any] | None:
    """The schema of a body; None if there is none, or none of JSON."""
    content = (part or {}).get("content", {})
    found: dict[str, Any] | None = next((each.get("schema") for each in content.values()), None)
    return found or None


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
    _name(document)
    components = document.setdefault("components", {})
    components["securitySchemes"] = _SCHEMES
    for path, _, operation in operations(document):
        if operation[ROLE_KEY] != PUBLIC:
            feed: list[dict[str, list[str]]] = [{"basic": []}] if operation.get(FEED_KEY) else []
            operation["security"] = [{"bearer": []}, {"session": []}, *feed]
        if family_of(path) is Family.ENVELOPE:
            # The framework documents 422 for invalid values; this family responds with 400.
            operation["responses"].pop("422", None)
    for unused in ("HTTPValidationError", "ValidationError"):
        components.get("schemas", {}).pop(unused, None)
    return document


def _name(document: dict[str, Any]) -> None:
    """Gives the operations names that people would choose, in place of the function with the whole path."""
    names = {}
    for path, method, operation in operations(document):
        function = operation["operationId"].removesuffix(f"{re.sub(r'[^0-9A-Za-z]', '_', path)}_{method}")
        names[method.upper(), path] = operation_name(method.upper(), path, function, operation["tags"][0])
    chosen = distinct(names)
    for path, method, operation in operations(document):
        operation["operationId"] = chosen[method.upper(), path]
