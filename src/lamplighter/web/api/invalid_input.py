"""The answer to a request whose values are not as its route declares them."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError

from lamplighter.rules.formats.plural import counted
from lamplighter.validation_words import words_of
from lamplighter.web.problems import Family, answer, family_of

#: paths where any field may hold a secret, also a misspelt one
_SECRETIVE = ("/api/v1/secrets", "/api/v1/users", "/api/v1/notifications/channels", "/api/admin/proxies")
#: reported for one request
_MOST_FAULTS = 50
#: fields of the task API that have an error code of their own, whatever the error
_TASK_FIELDS = {"url": "invalid_url", "priority": "invalid_priority"}


async def invalid(request: Request, error: Exception) -> Response:
    """Names the invalid fields, each with its value and what would work."""
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
