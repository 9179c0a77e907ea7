"""The audit log, over the API."""

from datetime import UTC, datetime, timedelta

import pytest

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.store.access import audit_log
from tests.web.asgi_client import Ask

PATH = "/api/v1/audit"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
async def log(service: Service) -> None:
    """Four entries, an hour apart."""
    lines = [("anna", "job.pause", "a"), ("anna", "job.resume", "a"), ("ben", "job.pause", "b"), ("ben", "x.y", "b")]
    for hour, (actor, action, subject) in enumerate(lines):
        await service.db.write(
            lambda db, at=NOON + timedelta(hours=hour), line=(actor, action, subject): audit_log.write(
                db, Stamp(line[0], at), line[1], line[2], after={"n": 1}
            )
        )


@pytest.mark.parametrize(
    ("asked", "hours"),
    [
        pytest.param({}, [15, 14, 13, 12], id="all, the newest first"),
        pytest.param({"actor": "anna"}, [13, 12], id="by actor"),
        pytest.param({"action": "job.pause"}, [14, 12], id="by action"),
        pytest.param({"subject": "b", "actor": "ben"}, [15, 14], id="by subject and actor"),
        pytest.param({"since": "2026-03-01T13:00:00Z"}, [15, 14, 13], id="since, included"),
        pytest.param({"until": "2026-03-01T15:00:00+02:00"}, [12], id="until, excluded, in another zone"),
        pytest.param({"actor": "nobody"}, [], id="of nobody"),
    ],
)
@pytest.mark.usefixtures("log")
async def test_entries_are_found_by_what_is_asked(ask: Ask, asked: dict[str, str], hours: list[int]) -> None:
    reply = await ask.get(PATH, **asked)

    assert [datetime.fromisoformat(entry["at"]).hour for entry in reply.json["entries"]] == hours
    assert reply.json["total"] == len(hours)


@pytest.mark.usefixtures("log")
async def test_entries_come_in_parts_and_say_the_total(ask: Ask) -> None:
    reply = await ask.get(PATH, limit=1, offset=1)

    assert [entry["action"] for entry in reply.json["entries"]] == ["job.pause"]
    assert reply.json["entries"][0]["after"] == {"n": 1}
    assert (reply.json["total"], reply.json["limit"], reply.json["offset"]) == (4, 1, 1)


@pytest.mark.parametrize(
    "asked", [{"since": "yesterday"}, {"since": "2026-03-01T12:00:00"}, {"actor": "a\x00"}, {"limit": 0}]
)
async def test_what_cannot_be_asked_is_refused(ask: Ask, asked: dict[str, str]) -> None:
    assert (await ask.get(PATH, **asked)).status == 422
