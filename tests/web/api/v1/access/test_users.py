"""Users, over the API."""

import asyncio

import pytest

from lamplighter.app import Service
from lamplighter.errors import NotPossible
from lamplighter.model.access import Role, Stamp
from lamplighter.operations.access import users
from lamplighter.store.access import users as stored
from tests.web.asgi_client import Ask, Reply

PATH = "/api/v1/users"


async def add(ask: Ask, name: str, role: str = "operator") -> Reply:
    return await ask.post(PATH, {"name": name, "role": role, "password": "four plain words"})


async def test_a_user_is_added_shown_changed_and_removed(ask: Ask) -> None:
    added = await add(ask, " Anna@Example.org ", "viewer")
    changed = await ask.patch(f"{PATH}/anna@example.org", {"role": "operator", "enabled": False})
    shown = await ask.get(PATH)
    removed = await ask.delete(f"{PATH}/anna@example.org")

    assert (added.status, added.json["name"], added.json["role"]) == (201, "anna@example.org", "viewer")
    assert (changed.json["role"], changed.json["enabled"]) == ("operator", False)
    assert shown.json == {"users": [changed.json], "total": 1, "limit": 50, "offset": 0}
    assert set(changed.json) == {"name", "role", "enabled", "created_at", "last_login_at"}
    assert changed.json["created_at"].endswith("Z")
    assert (removed.status, removed.text) == (204, "")
    assert (await ask.get(PATH)).json["total"] == 0


async def test_every_change_is_in_the_audit_log_without_the_password(ask: Ask) -> None:
    await add(ask, "anna")
    await ask.patch(f"{PATH}/anna", {"role": "viewer", "password": "other plain words"})
    await ask.delete(f"{PATH}/anna")

    entries = (await ask.get("/api/v1/audit", subject="user:anna")).json["entries"]

    assert [entry["action"] for entry in entries] == ["user.remove", "user.change", "user.add"]
    assert entries[1]["before"] == {"role": "operator"}
    assert entries[1]["after"] == {"role": "viewer", "password": "changed"}
    assert {entry["actor"] for entry in entries} == {"local"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param({"name": "a b", "role": "viewer", "password": "x" * 12}, "name", id="a space in the name"),
        pytest.param({"name": "é", "role": "viewer", "password": "x" * 12}, "name", id="not ASCII"),
        pytest.param({"name": "a\x00", "role": "viewer", "password": "x" * 12}, "name", id="no text"),
        pytest.param({"name": "a", "role": "root", "password": "x" * 12}, "role", id="an unknown role"),
        pytest.param({"name": "a", "role": "viewer", "password": "x" * 11}, "password", id="a short password"),
        pytest.param({"name": "a", "role": "viewer", "password": "x" * 1001}, "password", id="a long password"),
        pytest.param({"name": "a", "role": "viewer"}, "password", id="none"),
        pytest.param({"name": "a", "role": "viewer", "password": "x" * 12, "is_admin": True}, "is_admin", id="more"),
    ],
)
async def test_what_cannot_be_used_is_named(ask: Ask, body: dict[str, object], field: str) -> None:
    reply = await ask.post(PATH, body)

    assert reply.status == 422
    assert reply.json["errors"][0]["field"] == field


async def test_a_name_is_taken_once(ask: Ask) -> None:
    await add(ask, "anna")

    reply = await add(ask, "ANNA")

    assert (reply.status, reply.json["code"]) == (409, "user_exists")


async def test_who_is_not_there_cannot_be_changed(ask: Ask) -> None:
    assert (await ask.patch(f"{PATH}/nobody", {"enabled": False})).json["code"] == "user_not_found"
    assert (await ask.delete(f"{PATH}/nobody")).status == 404
    assert (await ask.delete(f"{PATH}/a\x00")).status == 422


async def test_the_last_admin_stays(ask: Ask) -> None:
    await add(ask, "anna", "admin")
    await add(ask, "ben", "admin")
    await ask.patch(f"{PATH}/ben", {"enabled": False})

    refused = [
        await ask.delete(f"{PATH}/anna"),
        await ask.patch(f"{PATH}/anna", {"role": "operator"}),
        await ask.patch(f"{PATH}/anna", {"enabled": False}),
    ]
    kept = await ask.patch(f"{PATH}/anna", {"role": "admin", "enabled": True})

    assert [(reply.status, reply.json["code"]) for reply in refused] == [(409, "last_admin")] * 3
    assert kept.status == 200


async def test_two_admins_cannot_remove_each_other_at_once(service: Service) -> None:
    now = service.clock.now()
    for name in ("anna", "ben"):
        await service.db.write(
            lambda db, name=name: users.add(db, name, role=Role.ADMIN, password_hash="x", stamp=Stamp("test", now))
        )

    results = await asyncio.gather(
        *(
            service.db.write(lambda db, name=name: users.remove(db, name, stamp=Stamp("test", now)))
            for name in ("anna", "ben")
        ),
        return_exceptions=True,
    )

    assert sorted(type(result) for result in results if result is not None) == [NotPossible]
    async with service.db.read() as db:
        assert await stored.count(db) == 1


async def test_users_are_paged_by_name(ask: Ask, service: Service) -> None:
    now = service.clock.now()
    for name in ("c", "a", "b"):
        await service.db.write(
            lambda db, name=name: users.add(db, name, role=Role.VIEWER, password_hash="x", stamp=Stamp("test", now))
        )

    reply = await ask.get(PATH, limit=2, offset=1)

    assert [user["name"] for user in reply.json["users"]] == ["b", "c"]
    assert reply.json["total"] == 3
    assert (await ask.get(PATH, limit=251)).status == 422
