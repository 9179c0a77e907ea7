"""Is every route closed however it is asked for? Every method and spelling, and every header that some server obeys.

That strangers and low roles are refused as such is shown by `tests/web/access/test_every_route.py`.
"""

import time
from collections.abc import Callable

import jwt
import pytest

from lamplighter.model.access import Role
from tests.web.access.clients import SECRET, claims
from tests.web.access.routes import guarded
from tests.web.asgi_client import Ask

GUARDED = list(guarded())
CLOSED = sorted({path for _, path, _ in GUARDED})

SPELLINGS: dict[str, Callable[[str], str]] = {
    "a slash at the end": lambda path: f"{path}/",
    "two slashes before": lambda path: f"http://127.0.0.1/{path}",
    "two slashes inside": lambda path: path.replace("/", "//")[1:],
    "a dot segment": lambda path: f"/.{path}",
    "up from an open path": lambda path: f"/health/..{path}",
    "a parameter of the path": lambda path: f"{path};jsessionid=1",
    "an end that is none": lambda path: f"{path}%00",
    "a slash that is encoded": lambda path: "/" + path[1:].replace("/", "%2f"),
    "a file of ours": lambda path: f"{path}.css",
    "capital letters": lambda path: path.upper(),
    "a query that names an open path": lambda path: f"{path}?path=/health&_method=GET",
}
HEADERS: dict[str, dict[str, str]] = {
    "another method": {"x_http_method_override": "GET", "x_method_override": "GET", "x_http_method": "GET"},
    "another path": {"x_original_url": "/health", "x_rewrite_url": "/health", "x_forwarded_uri": "/health"},
    "from this machine": {"x_forwarded_for": "127.0.0.1", "x_real_ip": "127.0.0.1", "forwarded": "for=127.0.0.1"},
    "for this machine": {"x_forwarded_host": "localhost", "host": "localhost", "x_forwarded_proto": "https"},
    "known already": {"x_remote_user": "admin", "remote_user": "admin", "x_forwarded_user": "admin"},
    "half a proof": {"authorization": "Bearer", "cookie": "lamplighter_session="},
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
async def test_no_spelling_of_a_path_lets_a_stranger_in(ask: Ask, spelling: Callable[[str], str]) -> None:
    let_in = [path for path in CLOSED if (await ask(spelling(path))).status != 401]

    assert let_in == []


@pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
async def test_no_header_lets_a_stranger_in(ask: Ask, headers: dict[str, str]) -> None:
    let_in = [
        (method, path) for method, path, _ in GUARDED if (await ask(path, method=method, **headers)).status != 401
    ]

    assert let_in == []


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "PATCH", "DELETE"])
async def test_no_method_tells_a_stranger_what_there_is(ask: Ask, method: str) -> None:
    told = [path for path in CLOSED if (await ask(path, method=method)).status != 401]

    assert told == []


async def test_a_token_that_is_over_or_not_yet_valid_lets_nobody_in(ask: Ask) -> None:
    now = int(time.time())
    over = jwt.encode(claims(role="admin", exp=now - 3600), SECRET, algorithm="HS256")
    early = jwt.encode(claims(role="admin", nbf=now + 3600), SECRET, algorithm="HS256")

    for token in (over, early):
        known = ask.with_headers(authorization=f"Bearer {token}")
        assert [path for method, path, _ in GUARDED if (await known(path, method=method)).status != 401] == []


async def test_no_header_raises_a_role_or_turns_looking_into_changing(bearer: Callable[..., Ask]) -> None:
    override = {"x_http_method_override": "DELETE", "x_role": "admin", "x_forwarded_user": "admin"}
    lower = {Role.OPERATOR: bearer("viewer"), Role.ADMIN: bearer("operator")}

    for method, path, role in GUARDED:
        if role in lower:
            assert (await lower[role](path, method=method, **override)).status == 403, (method, path)
    made = await bearer("admin").post("/api/v1/sources", {"name": "a", "url": "https://a.example/"})
    where = f"/api/v1/sources/{made.json['id']}"
    assert (await bearer("admin")(where, **override)).status == 200
    assert (await bearer("admin").get(where)).json["url"] == "https://a.example/"
