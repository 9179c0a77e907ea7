"""The bodies of requests: no larger than they may be, and read ahead where the guard must look into a form."""

from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request

from lamplighter.web.rim import MOST_BODY_BYTES, Receive, Scope

#: a field may fill the whole body, which is no larger than it may be
FIELD_LIMIT = MOST_BODY_BYTES
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def media_type(headers: Headers) -> str:
    """What the body says it is, without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def is_json(headers: Headers) -> bool:
    """Whether the body says that it is JSON."""
    kind = media_type(headers)
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def has_body(headers: Headers) -> bool:
    """Whether anything is sent along."""
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


async def form_field(scope: Scope, receive: Receive, name: str) -> tuple[str | None, Receive]:
    """A field of a form, and the body to be read once more."""
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
