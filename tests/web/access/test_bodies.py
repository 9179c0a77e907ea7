"""How much is read of a request, and in which form?"""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI

from lamplighter.web.security_headers import MOST_BODY_BYTES
from tests.web.asgi_client import Ask

PATH = "/api/v1/tokens"


async def test_a_request_that_says_it_is_too_large_is_not_read(bearer: Callable[..., Ask]) -> None:
    reply = await bearer("admin")(PATH, method="POST", content_length=str(MOST_BODY_BYTES + 1))

    assert (reply.status, reply.json["code"]) == (413, "too_large")


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "1e3", "٣", "", "1, 1"])
async def test_a_length_that_is_none_is_refused(bearer: Callable[..., Ask], length: str) -> None:
    reply = await bearer("admin")(PATH, method="POST", content_length=length)

    assert reply.status in (400, 413)


async def test_a_request_that_does_not_say_so_is_read_until_it_is_too_large(
    web: FastAPI, bearer: Callable[..., Ask]
) -> None:
    part, sent, received = b"x" * 1024 * 1024, [], 0
    headers = {"host": "a.example", "transfer-encoding": "chunked", "content-type": "application/json"}
    headers |= {"authorization": bearer("admin").headers["authorization"]}

    async def receive() -> dict[str, Any]:
        nonlocal received
        received += len(part)
        return {"type": "http.request", "body": part, "more_body": True}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": PATH, "scheme": "http", "query_string": b"", "root_path": ""}
    scope |= {"headers": [(name.encode(), value.encode()) for name, value in headers.items()], "client": ("::1", 1)}
    await web(scope, receive, send)

    assert sent[0]["status"] == 413
    assert received == MOST_BODY_BYTES + len(part)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json", 201),
        ("application/json; charset=utf-8", 201),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("text/json", 415),
        ("", 415),
    ],
)
async def test_json_is_read_only_from_what_says_it_is_json(bearer: Callable[..., Ask], kind: str, status: int) -> None:
    body = b'{"name": "a", "role": "viewer"}'

    reply = await bearer("admin")(PATH, method="POST", body=body, content_type=kind)

    assert reply.status == status


async def test_what_no_text_holds_is_refused_and_named(bearer: Callable[..., Ask]) -> None:
    admin = bearer("admin")

    for name in ("a\x00b", "a\nb", "\ud800", "\x85"):
        reply = await admin.post(PATH, {"name": name, "role": "viewer"})
        assert (reply.status, reply.json["errors"][0]["field"]) == (422, "name")
