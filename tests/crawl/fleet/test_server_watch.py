"""Servers that do not answer are known within seconds, in this process and to the others."""

import json
from pathlib import Path

import pytest

from lamplighter.app import open_service
from lamplighter.model.fleet import Server
from lamplighter.rules.alerts.alert_findings import SERVERS
from lamplighter.settings import load
from tests.counting import shown
from tests.web.asgi_client import ask_of

#: nothing listens there
NOWHERE = "127.0.0.1:9"

MIRROR = {"events_url": f"redis://{NOWHERE}/0", "redis_storage_enabled": True, "redis_events_enabled": False}
#: the settings that name a server, and the server
NAMED = (
    ({"events_url": f"redis://{NOWHERE}/0"}, Server.REDIS),
    (MIRROR, Server.REDIS),
    ({"queue_url": f"amqp://guest:guest@{NOWHERE}/"}, Server.RABBITMQ),
    ({"index_url": f"meilisearch+http://{NOWHERE}"}, Server.SEARCH),
    ({"archive_url": "s3://pages/ours", "archive_s3_endpoint": f"http://{NOWHERE}"}, Server.ARCHIVE),
)


@pytest.mark.parametrize(("given", "server"), NAMED, ids=[f"{each[1]}-{number}" for number, each in enumerate(NAMED)])
async def test_what_does_not_answer_degrades_health_and_is_in_the_heartbeat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, object], server: Server
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    async with open_service(load({}, data_dir=tmp_path, **given), kind="serve") as service:
        await service.servers.look()
        ask = ask_of(service)
        health = json.loads((await ask("/health")).text)
        other = json.loads((await ask("/api/health")).text)
        start_page = (await ask("/")).text
        figures = service.servers.figures()

    assert f"{SERVERS[server][0][1:]} does not answer</strong>: {SERVERS[server][1]}" in start_page
    assert (health["status"], health["away"]) == ("degraded", [server])
    assert other["data"]["status"] == "degraded"
    assert "well" not in other["message"]
    assert figures == {f"away_{server}": 1.0}


async def test_a_mirror_that_cannot_be_reached_is_not_up_after_the_start(tmp_path: Path) -> None:
    async with open_service(load({}, data_dir=tmp_path, **MIRROR)) as service:
        before = service.mirroring.status()["state"]
        await service.servers.look()
        after = service.mirroring.status()["state"]

    assert (before, after) == ("unknown", "away")


async def test_without_other_servers_nothing_is_watched(tmp_path: Path) -> None:
    async with open_service(load({}, data_dir=tmp_path)) as service:
        await service.servers.look()
        health = json.loads((await ask_of(service)("/health")).text)

    assert (health["status"], health["away"], service.servers.figures()) == ("ok", [], {})


async def test_the_lag_counts_what_waits_while_the_stream_is_away(tmp_path: Path) -> None:
    async with open_service(load({}, data_dir=tmp_path, events_url=f"redis://{NOWHERE}/0"), kind="serve") as service:
        await service.leading.meter.read()

    assert shown("crawler_consumer_lag_messages") == 0
