"""Error responses in the form of the path's family: RFC 9457 problems, or the task API's envelope.

A response contains no internals: an unexpected error gets an incident number, which the log has too.
"""

from collections.abc import Iterable, Mapping, MutableMapping
from enum import Enum
from typing import Any
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import JSONResponse, Response

from lamplighter import telemetry
from lamplighter.errors import BadInput, Duplicate, LamplighterError, NotAllowed, NotFound, NotPossible

log = telemetry.logger("web")

_TITLES: Mapping[int, tuple[str, str]] = {
    400: ("malformed", "The request cannot be understood"),
    401: ("not_authenticated", "Say who you are"),
    403: ("not_allowed", "Your role does not allow this"),
    404: ("not_found", "There is no such thing"),
    405: ("method_not_allowed", "This cannot be done with it"),
    409: ("not_possible", "Not possible in the present state"),
    410: ("gone", "This is no longer offered"),
    413: ("too_large", "The request is too large"),
    415: ("wrong_media_type", "The body has another form than expected"),
    422: ("invalid_input", "A value cannot be used"),
    429: ("too_many_requests", "Too many requests"),
    500: ("internal_error", "Something went wrong here"),
    503: ("unavailable", "The service cannot answer just now"),
}
#: titles of error pages where the status's own title would mislead
_PLAIN_TITLES = {"csrf_token": "This page was too old", "foreign_sender": "This did not come from one of our own pages"}
#: codes of the task API that are not just ours in capitals
_TASK_CODES = {"duplicate": "DUPLICATE_URL", "invalid_input": "INVALID_REQUEST", "not_possible": "INVALID_STATUS"}


class Family(Enum):
    """The two error formats."""

    PROBLEM = "problem"
    ENVELOPE = "envelope"

    def responses(self, statuses: Iterable[int]) -> dict[int | str, dict[str, Any]]:
        """These errors for OpenAPI."""
        if self is Family.ENVELOPE:
            # That family responds with 400 to invalid values, and with 500 when the database fails.
            statuses = sorted({*statuses, 500} - {422})
        return {status: self._documented(status) for status in statuses}

    def _documented(self, status: int) -> dict[str, Any]:
        code, title = _TITLES[status]
        if self is Family.PROBLEM:
            example = problem_body(status, code, title + ".")
            return {
                "description": title,
                "content": {"application/problem+json": {"schema": _PROBLEM_SCHEMA, "example": example}},
            }
        example = envelope_body("database_error" if status == 500 else code, title + ".")
        return {"description": title, "content": {"application/json": {"schema": _ENVELOPE_SCHEMA, "example": example}}}


_TEXT = {"type": "string"}
_PROBLEM_SCHEMA = {
    "title": "Problem",
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": _TEXT,
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT,
        "code": _TEXT,
        "errors": {"type": "array", "items": {"type": "object"}},
        "possible": {"type": "array", "items": _TEXT},
        "incident": _TEXT,
    },
}
_ENVELOPE_SCHEMA = {
    "title": "Failure",
    "type": "object",
    "required": ["success", "error"],
    "properties": {
        "success": {"const": False},
        "error": {
            "type": "object",
            "required": ["code", "message", "details"],
            "properties": {"code": _TEXT, "message": _TEXT, "details": {"type": "object"}},
        },
    },
}


def family_of(path: str) -> Family:
    """The error format of a path."""
    is_envelope = path.startswith(("/api/admin/", "/api/products")) or path == "/api/health"
    return Family.ENVELOPE if is_envelope else Family.PROBLEM


#: a path of the API that leads a browser to the page of the same name
PAGE_TOO = "/admin/sources"


def is_for_people(scope: MutableMapping[str, Any]) -> bool:
    """Whether a browser shows the response as a page; our scripts show errors in their own way."""
    path = str(scope["path"])
    if path.startswith(("/api/", "/admin/", "/sse/")) and not (path == PAGE_TOO and scope["method"] == "GET"):
        return False
    headers = Headers(scope=scope)
    return "text/html" in headers.get("accept", "") and "hx-request" not in headers


def problem_body(status: int, code: str, detail: str, **more: Any) -> dict[str, Any]:
    """An RFC 9457 problem."""
    title = _TITLES.get(status, ("", "Not done"))[1]
    return {
        "type": f"urn:lamplighter:problem:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
    } | more


def envelope_body(code: str, message: str, **details: Any) -> dict[str, Any]:
    """A task API failure."""
    return {
        "success": False,
        "error": {"code": _TASK_CODES.get(code, code.upper()), "message": message, "details": details},
    }


def answer(
    scope: MutableMapping[str, Any],
    status: int,
    detail: str,
    *,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """The error response: a page for people, the family's format for programs."""
    code = code or _TITLES.get(status, ("error", ""))[0]
    path = str(scope["path"])
    if is_for_people(scope):
        from lamplighter.web.rendering import page, theme_of  # monitors do without templates

        title = _PLAIN_TITLES.get(code) or _TITLES.get(status, ("", "Not done"))[1]
        theme = theme_of(cookie_parser(Headers(scope=scope).get("cookie", "")))
        shown = {"title": title, "detail": detail, "code": status, "reason": code, "theme": theme}
        return page("error.html", status=status, headers=headers, **shown)
    if family_of(path) is Family.PROBLEM:
        body = problem_body(status, code, detail, **more)
        return JSONResponse(body, status_code=status, media_type="application/problem+json", headers=headers)
    return JSONResponse(
        envelope_body(code, detail, **more), status_code=400 if status == 422 else status, headers=headers
    )


def install(app: Starlette) -> None:
    """Installs the error handlers of the application."""
    app.add_exception_handler(LamplighterError, _refused)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(SQLAlchemyError, _unavailable)
    app.add_exception_handler(Exception, _unexpected)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, LamplighterError)
    more: dict[str, Any] = {}
    if isinstance(error, BadInput) and error.field is not None:
        more["errors"] = [{"field": error.field, "message": str(error)}]
    if isinstance(error, NotPossible) and error.possible:
        more["possible"] = list(error.possible)
    return answer(request.scope, _status(error), str(error), code=error.code, **more)


def _status(error: LamplighterError) -> int:
    match error:
        case Duplicate() | NotPossible():
            return 409
        case BadInput():
            return 422
        case NotFound():
            return 404
        case NotAllowed():
            return 403
    return 500


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = {404: f"there is nothing at {request.url.path}", 405: f"{request.method} is not possible here"}
    said = detail.get(error.status_code, str(error.detail))
    return answer(request.scope, error.status_code, said, headers=error.headers)


async def _unavailable(request: Request, error: Exception) -> Response:
    incident = uuid4().hex[:12]
    log.error("web.database_error", incident=incident, path=request.url.path, exc_info=error)
    code = "database_error" if family_of(request.url.path) is Family.ENVELOPE else "unavailable"
    status = 500 if family_of(request.url.path) is Family.ENVELOPE else 503
    return answer(
        request.scope, status, "the database could not do this just now; try again", code=code, incident=incident
    )


async def _unexpected(request: Request, error: Exception) -> Response:
    incident = uuid4().hex[:12]
    log.error("web.unexpected", incident=incident, path=request.url.path, exc_info=error)
    return answer(
        request.scope, 500, f"something went wrong here; the log tells more under {incident}", incident=incident
    )
