"""Who may ask the web server, and what do its answers forbid the browser?"""

import pytest
from starlette.datastructures import Headers

from lamplighter.web.rim import HEADERS, is_own_form
from tests.web.conftest import Ask


@pytest.mark.parametrize("path", ["/", "/bot", "/health", "/static/lamplighter.css", "/nowhere"])
async def test_every_answer_carries_the_security_headers(ask: Ask, path: str) -> None:
    reply = await ask(path)

    assert {name: reply.headers[name.lower()] for name in HEADERS} == HEADERS


async def test_no_page_may_run_a_script(ask: Ask) -> None:
    policy = (await ask("/")).headers["content-security-policy"]

    assert policy.startswith("default-src 'none';")
    assert "script-src" not in policy
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
    ("headers", "expected"),
    [
        pytest.param({"sec-fetch-site": "same-origin"}, True, id="the browser vouches"),
        pytest.param(
            {"sec-fetch-site": "cross-site", "origin": "http://127.0.0.1:8060"}, False, id="the browser warns"
        ),
        pytest.param({"sec-fetch-site": "same-site"}, False, id="another port of this machine"),
        pytest.param({"origin": "http://127.0.0.1:8060"}, True, id="an older browser, our page"),
        pytest.param({"origin": "http://evil.example"}, False, id="an older browser, a foreign page"),
        pytest.param({"origin": "null"}, False, id="a page that hides"),
        pytest.param({}, False, id="nobody vouches"),
    ],
)
def test_a_form_counts_only_when_it_stands_on_our_own_page(headers: dict[str, str], expected: bool) -> None:
    assert is_own_form(Headers({"host": "127.0.0.1:8060", **headers})) is expected
