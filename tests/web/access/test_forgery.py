"""What can another site do through the browser of somebody who is logged in?"""

from collections.abc import Callable

import pytest
from starlette.datastructures import Headers

from lamplighter.model.access import Role
from lamplighter.settings import load
from lamplighter.web.access.forgery import foreign_sender
from tests.web.access.clients import Visitor, form_token
from tests.web.access.conftest import AddUser
from tests.web.asgi_client import Ask

OURS = "http://127.0.0.1:8060"


@pytest.mark.parametrize(
    ("headers", "from_page", "from_program"),
    [
        pytest.param({"sec-fetch-site": "same-origin", "origin": OURS}, True, True, id="our own page"),
        pytest.param({"sec-fetch-site": "none"}, True, True, id="the address bar"),
        pytest.param({"sec-fetch-site": "cross-site", "origin": OURS}, False, False, id="the browser warns"),
        pytest.param({"sec-fetch-site": "same-site"}, False, False, id="another port of this machine"),
        pytest.param({"sec-fetch-site": "same-origin", "origin": "http://evil.example"}, False, False, id="at odds"),
        pytest.param({"origin": OURS}, True, True, id="an older browser, our page"),
        pytest.param({"origin": "http://evil.example"}, False, False, id="an older browser, a foreign page"),
        pytest.param({"origin": "https://127.0.0.1:8060"}, False, False, id="another scheme"),
        pytest.param({"origin": "http://127.0.0.1"}, False, False, id="another port"),
        pytest.param({"origin": OURS + ".evil.example"}, False, False, id="a name that begins like ours"),
        pytest.param({"origin": "null"}, False, False, id="a page that hides"),
        pytest.param({"origin": ""}, False, False, id="an empty origin"),
        pytest.param({}, False, True, id="nobody vouches"),
    ],
)
def test_a_form_counts_only_when_it_stands_on_our_own_page(
    headers: dict[str, str], from_page: bool, from_program: bool
) -> None:
    given = Headers({"host": "127.0.0.1:8060", **headers})

    verdicts = [foreign_sender(given, load({}), scheme="http", must_say=must_say) for must_say in (True, False)]

    assert [verdict is None for verdict in verdicts] == [from_page, from_program]


def test_behind_a_proxy_our_own_pages_are_those_of_the_public_address() -> None:
    given = Headers({"host": "lamp.example.org", "origin": "https://lamp.example.org"})

    alone = foreign_sender(given, load({}), scheme="http", must_say=True)
    told = foreign_sender(given, load({}, public_url="https://lamp.example.org/"), scheme="http", must_say=True)

    assert "LAMPLIGHTER_PUBLIC_URL" in (alone or "")
    assert told is None


TOKEN = {"name": "made by a page", "role": "viewer"}


async def test_a_session_changes_something_with_its_own_token_only(visitor: Visitor, add_user: AddUser) -> None:
    await add_user("anna", Role.ADMIN)
    await add_user("ben", Role.ADMIN)
    await visitor.log_in("ben")
    bens = form_token(await visitor.get("/"))
    await visitor.log_in("anna")
    own = form_token(await visitor.get("/"))

    async def logged_out(**fields: str) -> int:
        return (await visitor.submit("/logout", fields)).status

    assert await logged_out() == 403
    assert await logged_out(csrf_token="") == 403
    assert await logged_out(csrf_token=bens) == 403
    assert await logged_out(csrf_token=own[:-1]) == 403
    assert await logged_out(csrf_token=own) == 303


async def test_a_script_of_ours_sends_the_token_in_a_header(visitor: Visitor, add_user: AddUser) -> None:
    await add_user("anna", Role.ADMIN)
    await visitor.log_in("anna")
    own = form_token(await visitor.get("/"))
    json = {"body": b'{"name": "a", "role": "viewer"}', "method": "POST", "content_type": "application/json"}

    without = await visitor.ask("/api/v1/tokens", **json, **visitor.cookie_header())
    with_token = await visitor.ask("/api/v1/tokens", **json, **visitor.cookie_header(), x_csrf_token=own)
    from_elsewhere = await visitor.ask(
        "/api/v1/tokens", **json, **visitor.cookie_header(), x_csrf_token=own, origin="http://evil.example"
    )

    assert (without.status, without.json["code"]) == (403, "csrf_token")
    assert with_token.status == 201
    assert (from_elsewhere.status, from_elsewhere.json["code"]) == (403, "foreign_sender")


async def test_looking_needs_no_token(visitor: Visitor, add_user: AddUser) -> None:
    await add_user("anna")
    await visitor.log_in("anna")

    assert (await visitor.get("/", sec_fetch_site="cross-site")).status == 200


async def test_the_fields_of_a_form_arrive_after_the_guard_has_looked_into_it(
    visitor: Visitor, add_user: AddUser
) -> None:
    await add_user("anna")
    await visitor.log_in("anna")
    own = form_token(await visitor.get("/"))
    body = (
        f'--x\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n{own}\r\n'
        '--x\r\nContent-Disposition: form-data; name="everywhere"\r\n\r\n1\r\n--x--\r\n'
    ).encode()
    old = dict(visitor.cookies)

    reply = await visitor.ask(
        "/logout",
        method="POST",
        body=body,
        content_type="multipart/form-data; boundary=x",
        sec_fetch_site="same-origin",
        **visitor.cookie_header(),
    )
    visitor.cookies = old

    assert reply.status == 303
    assert (await visitor.get("/api/v1/me")).status == 401


async def test_the_token_of_a_form_is_found_beside_a_field_of_more_than_a_million_bytes(
    visitor: Visitor, add_user: AddUser
) -> None:
    await add_user("anna")
    await visitor.log_in("anna")
    own = form_token(await visitor.get("/"))

    reply = await visitor.submit("/sources/import/preview", {"csrf_token": own, "text": "[" * 1_500_000})

    assert reply.status == 422
    assert "the file is not JSON" in reply.text


async def test_a_page_learns_the_token_of_its_session_and_a_program_gets_none(
    visitor: Visitor, add_user: AddUser, bearer: Callable[..., Ask]
) -> None:
    await add_user("anna", Role.ADMIN)
    await visitor.log_in("anna")

    token = (await visitor.get("/api/v1/me")).headers["x-csrf-token"]
    given = {"method": "PUT", "body": b"{}", "content_type": "application/json", **visitor.cookie_header()}
    refused = await visitor.ask("/api/v1/tags/harbour", **given)
    done = await visitor.ask("/api/v1/tags/harbour", **given, x_csrf_token=token)

    assert (refused.status, done.status) == (403, 200)
    assert "x-csrf-token" not in (await bearer("admin")("/api/v1/me")).headers
