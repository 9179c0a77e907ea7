"""Secrets, over the API: they go in and never come out."""

from pathlib import Path

import pytest

from lamplighter.app import Service
from lamplighter.errors import SecretRefused
from tests.web.asgi_client import Ask

PATH = "/api/v1/secrets"


async def test_a_secret_is_kept_replaced_named_and_forgotten(ask: Ask, service: Service) -> None:
    first = await ask.put(f"{PATH}/Board-Key", {"value": "one", "hosts": ["API.example.org:443", "b.example:8443"]})
    await ask.put(f"{PATH}/board-key", {"value": "two"})
    known = service.secrets.value_at("api.example.org", "board-key")
    listed = await ask.get(PATH)
    removed = await ask.delete(f"{PATH}/board-key")

    assert (first.status, first.json["name"]) == (200, "board-key")
    assert known == "two"
    assert [row["name"] for row in listed.json["secrets"]] == ["board-key"]
    assert set(listed.json["secrets"][0]) == {"name", "hosts", "updated_at"}
    assert listed.json["secrets"][0]["hosts"] == ["api.example.org", "b.example:8443"]
    assert listed.json["total"] == 1
    assert removed.status == 204
    assert "board-key" not in service.secrets
    assert (await ask.delete(f"{PATH}/board-key")).json["code"] == "secret_not_found"


async def test_who_set_it_is_in_the_audit_log_and_the_value_is_not(ask: Ask) -> None:
    await ask.put(f"{PATH}/key", {"value": "s3cr3t", "hosts": ["api.example.org"]})
    await ask.delete(f"{PATH}/key")

    reply = await ask.get("/api/v1/audit", subject="secret:key")

    assert [entry["action"] for entry in reply.json["entries"]] == ["secret.remove", "secret.set"]
    assert "s3cr3t" not in reply.text


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("1st", {"value": "a", "hosts": ["a.example"]}),
        ("a b", {"value": "a", "hosts": ["a.example"]}),
        ("a" * 65, {"value": "a", "hosts": ["a.example"]}),
        ("key", {"value": "", "hosts": ["a.example"]}),
        ("key", {"value": "é", "hosts": ["a.example"]}),
        ("key", {"value": "two\nlines", "hosts": ["a.example"]}),
        ("key", {"value": "a" * 4001, "hosts": ["a.example"]}),
        ("key", {"value": 12345, "hosts": ["a.example"]}),
        ("key", {}),
        ("key", {"value": "a"}),
        ("key", {"value": "a", "hosts": []}),
        ("key", {"value": "a", "hosts": ["https://api.example.org/"]}),
        ("key", {"value": "a", "hosts": ["api.example.org/v1"]}),
        ("key", {"value": "a", "hosts": ["*"]}),
    ],
)
async def test_what_no_header_could_carry_or_says_no_host_is_refused(
    ask: Ask, name: str, body: dict[str, object]
) -> None:
    assert (await ask.put(f"{PATH}/{name}", body)).status == 422


async def test_a_value_of_another_kind_does_not_come_back(ask: Ask) -> None:
    assert "12345" not in (await ask.put(f"{PATH}/key", {"value": 12345})).text


async def test_keys_that_cannot_be_used_are_a_clear_error(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("no key\n")

    reply = await ask.put(f"{PATH}/key", {"value": "a", "hosts": ["a.example"]})

    assert reply.status == 422
    assert "base64" in reply.json["detail"]


async def test_the_hosts_of_a_secret_change_without_its_value(ask: Ask, service: Service) -> None:
    await ask.put(f"{PATH}/key", {"value": "s3cr3t", "hosts": ["a.example"]})

    reply = await ask.patch(f"{PATH}/key", {"hosts": ["b.example"]})

    assert (reply.status, reply.json["hosts"]) == (200, ["b.example"])
    assert service.secrets.value_at("b.example", "key") == "s3cr3t"
    with pytest.raises(SecretRefused, match=r"not sent to a\.example: it is for b\.example"):
        service.secrets.value_at("a.example", "key")
    actions = [entry["action"] for entry in (await ask.get("/api/v1/audit", subject="secret:key")).json["entries"]]
    assert actions == ["secret.bind", "secret.set"]
    assert (await ask.patch(f"{PATH}/other", {"hosts": ["b.example"]})).json["code"] == "secret_not_found"
