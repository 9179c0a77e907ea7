"""API tokens, over the API."""

from uuid import uuid4

import pytest

from tests.web.asgi_client import Ask

PATH = "/api/v1/tokens"


async def test_a_token_is_shown_once_used_and_revoked(ask: Ask) -> None:
    made = await ask.post(PATH, {"name": "ci", "role": "viewer", "expires_in_days": 7})
    program = {"authorization": f"Bearer {made.json['token']}"}
    used = await ask("/api/v1/me", **program)
    listed = await ask.get(PATH)
    revoked = await ask.delete(f"{PATH}/{made.json['id']}")
    again = await ask.delete(f"{PATH}/{made.json['id']}")

    assert made.status == 201
    assert len(made.json["token"]) == 48
    assert made.json["token"].startswith(made.json["prefix"])
    assert used.json == {"name": "token:ci", "role": "viewer"}
    assert listed.json["total"] == 1
    assert "token" not in listed.json["tokens"][0]
    assert listed.json["tokens"][0]["last_used_at"] is not None
    assert (revoked.status, again.status) == (204, 204)
    assert (await ask("/api/v1/me", **program)).status == 401
    assert (await ask.get(PATH)).json["tokens"][0]["revoked_at"] is not None


async def test_a_token_lasts_ninety_days_unless_it_is_said(ask: Ask) -> None:
    usual = (await ask.post(PATH, {"name": "a", "role": "viewer"})).json
    endless = (await ask.post(PATH, {"name": "b", "role": "viewer", "expires_in_days": None})).json

    assert usual["expires_at"] is not None
    assert endless["expires_at"] is None


async def test_who_made_and_revoked_it_is_in_the_audit_log_and_the_token_is_not(ask: Ask) -> None:
    made = await ask.post(PATH, {"name": "ci", "role": "viewer"})
    await ask.delete(f"{PATH}/{made.json['id']}")

    reply = await ask.get("/api/v1/audit", subject="token:ci")

    assert [entry["action"] for entry in reply.json["entries"]] == ["token.revoke", "token.create"]
    assert made.json["token"][12:] not in reply.text


@pytest.mark.parametrize(
    "body",
    [
        {"name": "", "role": "viewer"},
        {"name": " ", "role": "viewer"},
        {"name": "a" * 101, "role": "viewer"},
        {"name": "a", "role": "owner"},
        {"name": "a", "role": "viewer", "expires_in_days": 0},
        {"name": "a", "role": "viewer", "expires_in_days": 10**9},
    ],
)
async def test_what_cannot_be_used_is_refused(ask: Ask, body: dict[str, object]) -> None:
    assert (await ask.post(PATH, body)).status == 422


async def test_what_is_not_there_cannot_be_revoked(ask: Ask) -> None:
    assert (await ask.delete(f"{PATH}/{uuid4()}")).json["code"] == "token_not_found"
    assert (await ask.delete(f"{PATH}/1")).status == 422
