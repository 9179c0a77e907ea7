"""Error responses in the form of the path's family: RFC 9457 problems, or the task API's envelope.

A response contains no internals: an unexpected error gets an incident number, which the log has too.
"""

from collections.abc import Iterable, Mapping, MutableMapping
from enum import Enum
from typing import Any
from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import Response

from lamplighter import telemetry
from lamplighter.errors import BadInput, Duplicate, LamplighterError, NotAllowed, NotFound, NotPossible
from lamplighter.rules.formats.plural import counted
from lamplighter.validation_words import words_of
from lamplighter.web.rendering import page, theme_of

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
#: paths where any field may hold a secret, also a misspelt one
_SECRETIVE = ("/api/v1/secrets", "/api/v1/users", "/api/v1/notifications/channels", "/api/admin/proxies")
#: reported for one request
_MOST_FAULTS = 50
#: codes of the task API that are not just ours in capitals
_TASK_CODES = {"duplicate": "DUPLICATE_URL", "invalid_input": "INVALID_REQUEST", "not_possible": "INVALID_STATUS"}
#: fields of the task API that have an error code of their own, whatever the error
_TASK_FIELDS = {"url": "invalid_url", "priority": "invalid_priority"}


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


def install(app: FastAPI) -> None:
    """Installs the error handlers of the application."""
    app.add_exception_handler(LamplighterError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
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


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    # A body may have as many errors as bytes; the response lists only the first.
    errors_found = error.errors()[:_MOST_FAULTS]
    if any(fault["type"] == "json_invalid" for fault in errors_found):
        return answer(request.scope, 400, "the body is not JSON; send a JSON object", code="malformed_json")
    is_hidden = request.url.path.startswith(_SECRETIVE)
    faults = _joined([_fault(fault, error.body, is_hidden=is_hidden) for fault in errors_found])
    said = "; ".join(f"{fault['field']} {fault['message']}" for fault in faults[:5])
    is_one_value = len(faults) == 1 and errors_found[0]["type"] != "missing"
    codes = _TASK_FIELDS if is_one_value and family_of(request.url.path) is Family.ENVELOPE else {}
    return answer(request.scope, 422, said, code=codes.get(faults[0]["field"]), errors=faults)


def _fault(fault: Mapping[str, Any], body: Any, *, is_hidden: bool) -> dict[str, Any]:
    """An invalid field: its name, its value and the error."""
    field = ".".join(map(str, _place_of(fault, body))) or "body"
    field = _encodable(field[:200])
    shown = _shown(fault.get("input")) if fault["type"] != "missing" else None
    if isinstance(shown, str):
        shown = _encodable(shown[:200])
    if isinstance(shown, float) and (shown != shown or shown in (float("inf"), float("-inf"))):
        shown = str(shown)
    # A response must not repeat a secret, not even to the caller who sent it.
    if is_hidden or any(word in field.lower() for word in ("password", "secret", "token")):
        shown = "(hidden)"
    return {"field": field, "value": shown, "message": _encodable(words_of(fault))}


def _joined(faults: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry for each field: a value that may be this or that is wrong in several ways."""
    by_field: dict[str, dict[str, Any]] = {}
    for fault in faults:
        known = by_field.setdefault(fault["field"], fault)
        if known is not fault and fault["message"] not in known["message"]:
            known["message"] += f", or {fault['message'].removeprefix('must be ')}"
    return list(by_field.values())


def _shown(given: Any) -> str | int | float | bool | None:
    """A value as an answer may repeat it: of what has parts, only how many."""
    match given:
        case str() | int() | float() | bool() | None:
            return given
        case dict():
            return f"an object with {counted(len(given), 'field')}"
        case list() | tuple():
            return f"a list of {counted(len(given), 'entry')}"
    return "something else"


def _place_of(fault: Mapping[str, Any], body: Any) -> list[str | int]:
    """The path to the invalid value, without the names of the union members that were tried."""
    kind, *parts = fault["loc"]
    if kind != "body":
        return [part for part in (kind, *parts) if part not in ("query", "path")]
    place: list[str | int] = []
    for part in parts:
        if isinstance(body, dict) and part in body:
            body = body[part]
        elif isinstance(body, list) and isinstance(part, int):
            body = body[part] if part < len(body) else None
        elif fault["type"] != "missing" or part is not parts[-1]:
            continue
        place.append(part)
    return place


def _encodable(text: str) -> str:
    """Text that can be sent as UTF-8: JSON may contain lone surrogates, which cannot."""
    return text.encode("utf-8", "replace").decode()


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
