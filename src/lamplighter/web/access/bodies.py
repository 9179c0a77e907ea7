"""Request bodies: their media type, and form fields that the route guard reads ahead."""

from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request

from lamplighter.web.security_headers import MOST_BODY_BYTES, Receive, Scope

#: one field may fill the whole body, whose size is limited elsewhere
FIELD_LIMIT = MOST_BODY_BYTES
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def media_type(headers: Headers) -> str:
    """The body's media type, without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def is_json(headers: Headers) -> bool:
    """Whether the media type is JSON."""
    kind = media_type(headers)
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def has_body(headers: Headers) -> bool:
    """Whether the request has a body."""
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


async def form_field(scope: Scope, receive: Receive, name: str) -> tuple[str | None, Receive]:
    """A form field's value, and a replay of the body."""
    if media_type(Headers(scope=scope)) not in _FORMS:
        return None, receive
    body = await _whole(Request(scope, receive))
    again = Request(scope, _replayed(body, receive))
    try:
        async with again.form(max_files=20, max_fields=1000, max_part_size=FIELD_LIMIT) as form:
            value = form.get(name)
    except (MultiPartException, HTTPException, ValueError):
        value = None
    return value if isinstance(value, str) else None, _replayed(body, receive)


async def _whole(request: Request) -> bytes:
    try:
        return await request.body()
    except ClientDisconnect:
        raise HTTPException(400, "the request ended before its body did") from None


def _replayed(body: bytes, after: Receive) -> Receive:
    waiting: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> MutableMapping[str, Any]:
        return waiting.pop() if waiting else await after()

    return receive
