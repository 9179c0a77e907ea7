"""Secrets, over the API: they go in and never come out."""

from pathlib import Path

import pytest

from lamplighter.app import Service
from tests.web.asgi_client import Ask

PATH = "/api/v1/secrets"


async def test_a_secret_is_kept_replaced_named_and_forgotten(ask: Ask, service: Service) -> None:
    first = await ask.put(f"{PATH}/Board-Key", {"value": "one"})
    await ask.put(f"{PATH}/board-key", {"value": "two"})
    known = service.secrets["board-key"]
    listed = await ask.get(PATH)
    removed = await ask.delete(f"{PATH}/board-key")

    assert (first.status, first.json["name"]) == (200, "board-key")
    assert known == "two"
    assert [row["name"] for row in listed.json["secrets"]] == ["board-key"]
    assert set(listed.json["secrets"][0]) == {"name", "updated_at"}
    assert listed.json["total"] == 1
    assert removed.status == 204
    assert "board-key" not in service.secrets
    assert (await ask.delete(f"{PATH}/board-key")).json["code"] == "secret_not_found"


async def test_who_set_it_is_in_the_audit_log_and_the_value_is_not(ask: Ask) -> None:
    await ask.put(f"{PATH}/key", {"value": "s3cr3t"})
    await ask.delete(f"{PATH}/key")

    reply = await ask.get("/api/v1/audit", subject="secret:key")

    assert [entry["action"] for entry in reply.json["entries"]] == ["secret.remove", "secret.set"]
    assert "s3cr3t" not in reply.text


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("1st", {"value": "a"}),
        ("a b", {"value": "a"}),
        ("a" * 65, {"value": "a"}),
        ("key", {"value": ""}),
        ("key", {"value": "é"}),
        ("key", {"value": "two\nlines"}),
        ("key", {"value": "a" * 4001}),
        ("key", {"value": 12345}),
        ("key", {}),
    ],
)
async def test_what_no_header_could_carry_is_refused(ask: Ask, name: str, body: dict[str, object]) -> None:
    assert (await ask.put(f"{PATH}/{name}", body)).status == 422


async def test_a_value_of_another_kind_does_not_come_back(ask: Ask) -> None:
    assert "12345" not in (await ask.put(f"{PATH}/key", {"value": 12345})).text


async def test_keys_that_cannot_be_used_are_a_clear_error(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("no key\n")

    reply = await ask.put(f"{PATH}/key", {"value": "a"})

    assert reply.status == 422
    assert "base64" in reply.json["detail"]
