"""Who may ask the web server, and what do its answers forbid the browser?"""

import dataclasses
from typing import Any

import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from lamplighter.web.security_headers import HEADERS
from lamplighter.web.server import make_app
from lamplighter.web.static_files import static_files
from lamplighter.web.view import ServiceView
from tests.web.access.clients import SECRET
from tests.web.asgi_client import Ask


@pytest.fixture
def ask_prod(view: ServiceView) -> Ask:
    """Asks an installation that others can reach."""
    settings = view.settings.model_copy(update={"auth_jwt_secret": SecretStr(SECRET)})
    return Ask(make_app(dataclasses.replace(view, settings=settings)))


@pytest.mark.parametrize("path", ["/", "/bot", "/health", static_files().path("lamplighter.css"), "/nowhere"])
async def test_every_answer_carries_the_security_headers(ask: Ask, path: str) -> None:
    reply = await ask(path)

    assert {name: reply.headers[name.lower()] for name in HEADERS} == HEADERS


async def test_no_page_may_run_a_script_but_our_own(ask: Ask) -> None:
    policy = (await ask("/")).headers["content-security-policy"]

    assert policy.startswith("default-src 'none';")
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("host", ["127.0.0.1:8060", "localhost:8060", "localhost", "[::1]:8060", "127.3.2.1"])
async def test_a_loopback_name_is_served(ask: Ask, host: str) -> None:
    assert (await ask("/health", host=host)).status == 200


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("evil.example:8060", id="a foreign name that leads here"),
        pytest.param("127.0.0.1.evil.example", id="a name that begins like an address"),
        pytest.param("localhost.evil.example", id="a name that begins like ours"),
        pytest.param("[::1]evil.example", id="something behind the bracket"),
        pytest.param("10.0.0.5:8060", id="an address of another machine"),
        pytest.param("", id="none"),
    ],
)
async def test_a_request_under_a_foreign_name_is_refused(ask: Ask, host: str) -> None:
    reply = await ask("/", host=host)

    assert reply.status == 400
    assert "content-security-policy" in reply.headers


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("lamp.example.org", 200),
        ("lamp.example.org:8443", 200),
        ("[2001:db8::1]:8060", 200),
        ("evil.example/..", 400),
        ("evil.example\r\nX-Injected: 1", 400),
        ("a@evil.example", 400),
        ("a b", 400),
        ("<script>", 400),
        ("", 400),
    ],
)
async def test_where_people_log_in_any_name_that_is_one_will_do(ask_prod: Ask, host: str, status: int) -> None:
    assert (await ask_prod("/health", host=host)).status == status


async def test_a_request_calls_the_server_by_one_name(web: FastAPI) -> None:
    sent: list[dict[str, Any]] = []
    hosts = [(b"host", b"127.0.0.1:8060"), (b"host", b"evil.example")]
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/health",
        "scheme": "http",
        "query_string": b"",
        "headers": hosts,
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await web(scope, receive, send)

    assert sent[0]["status"] == 400
