"""Which bearers are believed: JWTs under our secret, and API tokens that are good."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import jwt
import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from lamplighter.app import Service
from lamplighter.model.access import Role, Stamp
from lamplighter.operations.access import api_tokens
from lamplighter.store.access import api_tokens as stored
from lamplighter.web.access.credentials import UnprovenCaller, prove
from tests.web.access.clients import SECRET, claims, jwt_part
from tests.web.access.conftest import MakeToken
from tests.web.asgi_client import Ask

ME = "/api/v1/me"


def signed(*, key: str = SECRET, algorithm: str = "HS256", **changes: Any) -> str:
    return jwt.encode(claims(**changes), key, algorithm=algorithm)


def unsigned(algorithm: str) -> str:
    return f"{jwt_part({'alg': algorithm, 'typ': 'JWT'})}.{jwt_part(claims(role='admin'))}."


def tampered() -> str:
    head, _, signature = signed().split(".")
    return f"{head}.{jwt_part(claims(role='admin'))}.{signature}"


@pytest.mark.parametrize(
    ("claimed", "expected"),
    [
        pytest.param({"role": "viewer"}, "viewer", id="a viewer"),
        pytest.param({"role": "admin"}, "admin", id="an admin"),
        pytest.param({}, "viewer", id="no role: a viewer"),
    ],
)
async def test_a_jwt_under_our_secret_says_who_asks(ask: Ask, claimed: dict[str, Any], expected: str) -> None:
    reply = await ask(ME, authorization=f"Bearer {signed(**claimed)}")

    assert reply.json == {"name": "jwt:program", "role": expected}
    assert reply.headers["cache-control"] == "no-store"


async def test_a_jwt_need_not_say_whom_it_speaks_for(ask: Ask) -> None:
    reply = await ask(ME, authorization=f"Bearer {signed(sub=None)}")

    assert reply.json["name"] == "jwt:unnamed"


@pytest.mark.parametrize(
    ("seconds", "status"),
    [
        pytest.param({"nbf": -5, "iat": -5, "exp": 60}, 200, id="within its time"),
        pytest.param({"exp": -5}, 200, id="over, within the leeway of clocks"),
        pytest.param({"nbf": 5}, 200, id="about to begin, within the leeway of clocks"),
        pytest.param({"exp": -60}, 401, id="over"),
        pytest.param({"nbf": 60}, 401, id="not yet valid"),
        pytest.param({"iat": 60}, 401, id="made in a minute"),
    ],
)
async def test_a_jwt_is_good_in_its_time(ask: Ask, seconds: dict[str, int], status: int) -> None:
    now = int(time.time())

    token = signed(**{claim: now + offset for claim, offset in seconds.items()})

    assert (await ask(ME, authorization=f"Bearer {token}")).status == status


@pytest.mark.parametrize(
    "authorization",
    [
        pytest.param(f"Bearer {unsigned('none')}", id="signed with nothing"),
        pytest.param(f"Bearer {unsigned('None')}", id="signed with Nothing"),
        pytest.param(f"Bearer {signed(algorithm='HS512', key=SECRET * 2)}", id="another algorithm"),
        pytest.param(f"Bearer {signed(key='x' + SECRET)}", id="another secret"),
        pytest.param(f"Bearer {signed(exp=None)}", id="without an end"),
        pytest.param(f"Bearer {signed(exp='tomorrow')}", id="an end that is no time"),
        pytest.param(f"Bearer {signed(exp=float('inf'))}", id="an end beyond numbers"),
        pytest.param(f"Bearer {signed(sub='')}", id="of an empty name"),
        pytest.param(f"Bearer {signed(sub=chr(10).join('ab'))}", id="of a name on two lines"),
        pytest.param(f"Bearer {signed(sub='a' * 101)}", id="of a name without end"),
        pytest.param(f"Bearer {signed(role='root')}", id="of an unknown role"),
        pytest.param(f"Bearer {signed(role=['admin'])}", id="of a list of roles"),
        pytest.param(f"Bearer {signed(role='ADMIN')}", id="of a role in capitals"),
        pytest.param(f"Bearer {signed(aud='another service')}", id="meant for another service"),
        pytest.param(f"Bearer {tampered()}", id="changed after signing"),
        pytest.param(f"Bearer {signed()}x", id="with something behind it"),
        pytest.param("Bearer a.b.c", id="three parts of nothing"),
        pytest.param("Bearer \xff\xfe", id="bytes"),
        pytest.param("Bearer ", id="nothing"),
        pytest.param("Basic YWRtaW46YWRtaW4=", id="another scheme"),
        pytest.param("Bearer lamp_" + "x" * 43, id="an unknown token"),
        pytest.param("Bearer lamp_", id="the beginning of a token"),
    ],
)
async def test_nothing_else_is_believed(ask: Ask, authorization: str) -> None:
    reply = await ask(ME, authorization=authorization)

    assert reply.status == 401
    assert reply.json["code"] == "not_authenticated"
    assert reply.headers["www-authenticate"] == 'Bearer realm="lamplighter", error="invalid_token"'


async def test_a_token_says_who_asks_and_when_it_was_used_to_the_minute(
    ask: Ask, make_token: MakeToken, service: Service
) -> None:
    new = await make_token("ci", role=Role.VIEWER)

    first = await ask(ME, authorization=f"Bearer {new.text}")
    async with service.db.read() as db:
        used = await api_tokens.holder_of(db, new.text)
    await ask(ME, authorization=f"Bearer {new.text}")
    async with service.db.read() as db:
        used_again = await api_tokens.holder_of(db, new.text)

    assert first.json == {"name": "token:ci", "role": "viewer"}
    assert used is not None
    assert used.last_used_at is not None
    assert used_again == used


async def test_a_token_that_is_over_or_revoked_proves_nothing(
    ask: Ask, make_token: MakeToken, service: Service
) -> None:
    now = service.clock.now()
    over = await make_token(stamp=Stamp("test", now - timedelta(days=2)), lasts=timedelta(days=1))
    revoked = await make_token()
    await service.db.write(lambda db: stored.revoke(db, revoked.token.public_id, now=now))

    replies = [await ask(ME, authorization=f"Bearer {new.text}") for new in (over, revoked)]

    assert [reply.status for reply in replies] == [401, 401]


async def test_a_token_of_one_part_is_not_another(ask: Ask, make_token: MakeToken) -> None:
    new = await make_token()

    for text in (new.text[:-1], new.text + "A", new.text.upper(), new.token.prefix):
        assert (await ask(ME, authorization=f"Bearer {text}")).status == 401


async def test_a_database_that_cannot_say_who_asks_lets_nobody_in(ask: Ask, service: Service) -> None:
    await service.db.write(lambda db: db.execute(sa.text("DROP TABLE api_tokens")))

    reply = await ask(ME, authorization="Bearer lamp_" + "x" * 43)

    assert (reply.status, reply.json["code"]) == (503, "unavailable")


async def test_of_two_authorizations_none_is_believed(web: FastAPI) -> None:
    good = (b"authorization", f"Bearer {signed()}".encode())
    scope = {"type": "http", "method": "GET", "path": ME, "headers": [good, (b"authorization", b"Bearer x")]}

    with pytest.raises(UnprovenCaller, match="one Authorization"):
        await prove(scope, web.state.auth)


async def test_who_says_nothing_is_asked_who_they_are(ask: Ask) -> None:
    reply = await ask(ME)

    assert reply.status == 401
    assert reply.headers["www-authenticate"] == 'Bearer realm="lamplighter"'


async def test_the_task_api_asks_in_its_own_form(ask: Ask) -> None:
    reply = await ask("/api/admin/nothing")

    assert reply.status == 401
    assert reply.json["error"]["code"] == "NOT_AUTHENTICATED"


async def test_a_page_sends_people_to_the_login(ask: Ask) -> None:
    reply = await ask("/?a=1&b=%20", accept="text/html,*/*")

    assert (reply.status, reply.headers["location"]) == (303, "/login?next=%2F%3Fa%3D1%26b%3D%2520")


async def test_the_api_never_sends_anybody_to_the_login(ask: Ask) -> None:
    assert (await ask(ME, accept="text/html")).status == 401


async def test_a_stranger_does_not_learn_which_paths_there_are(ask: Ask, bearer: Callable[..., Ask]) -> None:
    known = bearer("viewer")

    assert [(await ask(path)).status for path in ("/api/v1/nothing", "/nothing", ME)] == [401, 401, 401]
    assert (await ask(ME, method="PUT")).status == 401
    assert (await known("/api/v1/nothing")).status == 404
    reply = await known(ME, method="PUT")
    assert (reply.status, reply.headers["allow"]) == (405, "GET")
