"""Does the health check tell a monitor what it needs?"""

import asyncio
import json
import socket
from pathlib import Path

import pytest
from fastapi import FastAPI

from lamplighter import __version__
from lamplighter.app import Service, Store, open_service
from lamplighter.crawl.fleet.disk_watch import DiskState
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.settings import load
from lamplighter.web.server import WebServer
from tests.servers import postgres
from tests.web.asgi_client import Ask, ask_of

#: and waits until they are gone: one that is only told to go may still answer as before
_END_OTHERS = (
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


async def test_a_service_whose_database_answers_is_well(ask: Ask) -> None:
    reply = await ask("/health")
    told = json.loads(reply.text)

    assert reply.status == 200
    assert told.pop("disk")["state"] in ("ok", "low")
    assert told == {
        "status": "ok",
        "away": [],
        "version": __version__,
        "database": "sqlite",
        "sources": 0,
        "records": 0,
        "active_hosts": 0,
        "instances": {"alive": 0, "lost": 0},
        "queue": {"state": "embedded"},
        "mirror": {"state": "off"},
        "archive": {"state": "ok"},
        "index": {"state": "embedded", "engine": "database", "pending": 0, "parked": 0},
        "events": {"engine": "outbox", "state": "closed", "outbox": 0, "lag": 0, "pending": 0, "dead_letters": 0},
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/health", {"status": "ok"}),
        ("/api/health", {"status": "healthy", "timestamp": ..., "version": None, "services": None}),
    ],
)
async def test_strangers_see_the_status_alone(ask: Ask, path: str, expected: dict[str, object]) -> None:
    told = (await ask(path, client="192.0.2.7")).json

    told = told.get("data", told)
    assert {name: ... if name == "timestamp" else value for name, value in told.items()} == expected


async def test_strangers_see_that_it_is_unavailable_and_not_why(ask: Ask, store: Store) -> None:
    async with store.db.exclusive() as db:
        await db.run_sync(lambda connection: connection.exec_driver_sql("DROP TABLE records"))

    reply = await ask("/health", client="192.0.2.7")

    assert (reply.status, reply.json) == (503, {"status": "unavailable"})


async def test_it_counts_what_is_stored(ask: Ask, store: Store) -> None:
    new = sources.NewSource(url="https://example.org/jobs")
    await store.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", store.clock.now())))

    assert json.loads((await ask("/health")).text)["sources"] == 1


async def test_a_service_whose_database_is_broken_is_unavailable_and_says_why(ask: Ask, store: Store) -> None:
    async with store.db.exclusive() as db:
        await db.run_sync(lambda connection: connection.exec_driver_sql("DROP TABLE records"))

    reply = await ask("/health")

    assert reply.status == 503
    assert json.loads(reply.text)["reason"].startswith("the database does not answer")


@pytest.mark.parametrize("path", ["/health", "/api/health"])
async def test_i1_a_service_whose_database_takes_no_writes_is_unavailable(
    path: str, tmp_path: Path, migrated_postgres_db: str
) -> None:
    server, _, name = migrated_postgres_db.rpartition("/")
    async with open_service(load({}, data_dir=tmp_path, database_url=migrated_postgres_db)) as service:
        ask = ask_of(service)
        before = await ask(path)
        await postgres.command(f"{server}/postgres", f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        await postgres.command(migrated_postgres_db, _END_OTHERS)
        during = await ask(path)
        await postgres.command(f"{server}/postgres", f"ALTER DATABASE {name} RESET default_transaction_read_only")
        await postgres.command(migrated_postgres_db, _END_OTHERS)
        after = await ask(path)

    assert (before.status, during.status, after.status) == (200, 503, 200)


async def test_too_little_disk_space_degrades_it_and_strangers_see_that(ask: Ask, service: Service) -> None:
    service.storing.disk.state = DiskState(free_bytes=100 << 20, least_bytes=512 << 20, is_low=True)

    known = json.loads((await ask("/health")).text)
    to_strangers = await ask("/health", client="192.0.2.7")
    other = json.loads((await ask("/api/health")).text)

    assert (known["status"], known["away"]) == ("degraded", [])
    assert (to_strangers.status, to_strangers.json) == (200, {"status": "degraded"})
    assert other["data"]["status"] == "degraded"
    assert other["message"] == "There is too little disk space: nothing is fetched."


async def test_it_tells_when_what_is_fetched_could_not_be_kept(ask: Ask, service: Service) -> None:
    service.storing.archiving.trouble = "the S3 archive of bucket secret does not answer"
    service.storing.disk.state = DiskState(free_bytes=100 << 20, least_bytes=512 << 20, is_low=True)

    told = json.loads((await ask("/health")).text)
    other = json.loads((await ask("/api/health")).text)

    assert (told["status"], told["away"]) == ("degraded", ["archive"])
    assert (other["data"]["status"], other["message"].partition(".")[0]) == ("degraded", "These do not answer: archive")
    assert "The archive on S3 does not answer" in (await ask("/")).text
    assert told["archive"] == {"state": "away"}
    assert told["disk"] == {"state": "low", "free_mb": 100, "least_free_mb": 512}


@pytest.mark.parametrize("path", ["/health", "/api/health"])
async def test_who_asks_for_the_headers_alone_gets_them_as_with_get_and_no_body(web: FastAPI, path: str) -> None:
    got, head = [await _sent(web, f"{method} {path}") for method in ("GET", "HEAD")]

    assert (got[0], head[0]) == (b"HTTP/1.1 200 OK", b"HTTP/1.1 200 OK")
    assert (len(got[1]) > 0, head[1]) == (True, b"")


async def test_headers_alone_say_that_the_database_is_broken(ask: Ask, store: Store) -> None:
    async with store.db.exclusive() as db:
        await db.run_sync(lambda connection: connection.exec_driver_sql("DROP TABLE records"))

    assert (await ask("/health", method="HEAD")).status == 503


async def _sent(web: FastAPI, wanted: str) -> tuple[bytes, bytes]:
    """What a server answers over the wire: its first line, and the body."""
    server = WebServer(web, grace_seconds=30)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        writer.write(f"{wanted} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        server.should_exit = True
        await serving
    return head.partition(b"\r\n")[0], body
