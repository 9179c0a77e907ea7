"""Passwords, tokens and secrets appear in no log line, no answer and no entry of the audit log."""

import json
from collections.abc import Callable

import structlog
from structlog.testing import capture_logs

from lamplighter.app import Service
from lamplighter.model.access import Role
from lamplighter.store.access import audit_log
from tests.web.access.clients import PASSWORD, SECRET, Visitor
from tests.web.access.conftest import AddUser
from tests.web.asgi_client import Ask

HIDDEN = ("a password of Ben's", "v4lu3-of-a-s3cret", PASSWORD, SECRET, "a typed password")


async def test_what_is_secret_stays_secret(
    bearer: Callable[..., Ask], visitor: Visitor, add_user: AddUser, service: Service
) -> None:
    admin, answers = bearer("admin"), []
    await add_user("anna", Role.ADMIN)
    with capture_logs(processors=[structlog.processors.format_exc_info]) as lines:
        made = await admin.post("/api/v1/tokens", {"name": "ci", "role": "viewer"})
        answers += [
            await admin.post("/api/v1/users", {"name": "ben", "role": "viewer", "password": HIDDEN[0]}),
            await admin.post("/api/v1/users", {"name": "cy", "role": "none", "password": HIDDEN[0]}),
            await admin.post("/api/v1/users", {"name": "cy", "role": "viewer", "passwort": HIDDEN[0]}),
            await admin.patch("/api/v1/users/ben", {"password": HIDDEN[0] + "!"}),
            await admin.put("/api/v1/secrets/key", {"value": HIDDEN[1], "hosts": ["a.example"]}),
            await admin.put("/api/v1/secrets/key", {"value": HIDDEN[1] * 500, "hosts": ["a.example"]}),
            await admin.put("/api/v1/secrets/key", {"vaule": HIDDEN[1], "hosts": ["a.example"]}),
            await admin.put("/api/v1/secrets/key", {"value": HIDDEN[1] + "\n", "hosts": ["a.example"]}),
            await admin.get("/api/v1/secrets"),
            await admin.get("/api/v1/tokens"),
            await admin.get("/api/v1/users"),
            await visitor.log_in("anna", "a typed password"),
            await visitor.log_in("a typed password", "b"),
            await visitor.log_in("anna"),
            await visitor.get("/"),
            await admin.get("/api/v1/audit"),
        ]
    token = made.json["token"]
    async with service.db.read() as db:
        entries = await audit_log.listed(db, audit_log.AuditFilter(), limit=100, offset=0)

    # The form shows again what was typed as the name, to the browser where it was typed.
    told = [reply.text for reply in answers if 'value="a typed password"' not in reply.text]
    everything = "\n".join([*told, json.dumps(lines, default=str), repr(entries)])
    assert made.status == 201
    assert [hidden for hidden in (*HIDDEN, token, token[12:]) if hidden in everything] == []
