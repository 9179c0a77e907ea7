"""Feed readers can send a name and a password only: feeds, and nothing else, take an API token as the password."""

from base64 import b64encode
from datetime import timedelta

import pytest

from lamplighter.app import Service
from lamplighter.model.access import Role
from lamplighter.store.access import api_tokens as stored
from tests.web.access.clients import PASSWORD
from tests.web.access.conftest import AddUser, MakeToken
from tests.web.asgi_client import Ask

FEEDS = [f"/api/v1/{kind}/feed.{form}" for kind in ("records", "changes") for form in ("rss", "atom", "json")]
CHALLENGE = 'Basic realm="lamplighter feeds", charset="UTF-8"'


def basic(password: str, name: str = "reader") -> str:
    return f"Basic {b64encode(f'{name}:{password}'.encode()).decode()}"


@pytest.mark.parametrize("path", FEEDS)
async def test_a_feed_takes_a_token_of_any_role_as_the_password_and_keeps_the_limits(
    ask: Ask, make_token: MakeToken, path: str
) -> None:
    token = await make_token("reader", role=Role.VIEWER)

    stranger = await ask(path)
    reader = await ask(path, authorization=basic(token.text))

    assert (stranger.status, stranger.headers["www-authenticate"]) == (401, CHALLENGE)
    assert reader.status == 200
    assert int(reader.headers["x-ratelimit-remaining"]) < int(reader.headers["x-ratelimit-limit"])


async def test_a_token_that_is_revoked_or_over_and_a_users_password_open_no_feed(
    ask: Ask, make_token: MakeToken, service: Service, add_user: AddUser
) -> None:
    revoked, over = await make_token("old"), await make_token("short", lasts=timedelta(seconds=-1))
    now = service.clock.now()
    await service.db.write(lambda db: stored.revoke(db, revoked.token.public_id, now=now))
    await add_user("anna", Role.ADMIN)

    for sent in (
        basic(revoked.text),
        basic(over.text),
        basic(PASSWORD, "anna"),
        basic(""),
        "Basic",
        "Basic %%%",
        f"Basic {b64encode(bytes([255, 254])).decode()}",
    ):
        reply = await ask(FEEDS[0], authorization=sent)
        assert (reply.status, reply.headers["www-authenticate"]) == (401, CHALLENGE), sent


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/me"),
        ("GET", "/api/v1/records"),
        ("GET", "/api/v1/records/export"),
        ("GET", "/"),
        ("GET", "/metrics"),
        ("POST", FEEDS[0]),
        ("HEAD", FEEDS[0]),
        ("GET", f"{FEEDS[0]}/"),
        ("POST", "/api/v1/sources"),
    ],
)
async def test_nothing_but_reading_a_feed_takes_a_password(
    ask: Ask, make_token: MakeToken, method: str, path: str
) -> None:
    token = await make_token("admin", role=Role.ADMIN)

    reply = await ask(path, method=method, authorization=basic(token.text))

    assert reply.status == 401
    assert reply.headers["www-authenticate"].startswith("Bearer")


async def test_a_browser_that_somebody_reads_in_is_not_asked_for_a_password(ask: Ask) -> None:
    reply = await ask(FEEDS[0], sec_fetch_mode="navigate")

    assert (reply.status, reply.headers["www-authenticate"]) == (401, 'Bearer realm="lamplighter"')
