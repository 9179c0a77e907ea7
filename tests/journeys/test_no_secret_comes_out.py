"""Secrets of every kind, planted where operators keep them, are looked for wherever anything comes out."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.routing import APIRoute

from lamplighter import telemetry
from lamplighter.app import Service
from lamplighter.operations import warc_export
from lamplighter.store.page_versions import Wanted
from lamplighter.store.tables import metadata
from lamplighter.web.server import PARTS
from tests.journeys.installation import SECRET, Installation, running, until
from tests.origin import Answer, Origin
from tests.proxies.http_proxy import HttpProxy

CANARY = "canary7lantern"
#: nobody listens there
NOWHERE = "127.0.0.1:1"
JOBS = '{"jobs": [{"name": "Lamplighter", "link": "/jobs/1"}]}'
RECIPE = {
    "items": "jobs",
    "fields": {"title": "name", "url": "link"},
    "api": {"headers": {"Authorization": "Bearer {secret:site}"}},
}


def _everywhere() -> dict[str, Any]:
    """Settings with a secret wherever one can stand."""
    return {
        "events_url": f"redis://:{CANARY}-redis@{NOWHERE}/0",
        "queue_url": f"amqp://guest:{CANARY}-amqp@{NOWHERE}/",
        "index_url": f"meilisearch+http://{NOWHERE}",
        "index_key": f"{CANARY}-index",
        "smtp_url": f"smtp://post:{CANARY}-smtp@{NOWHERE}?from=lamp@example.org",
        "proxy_urls": f"socks5://pool:{CANARY}-pool@{NOWHERE}",
        "archive_format": "warc",
        "reconcile_minutes": 0.01,  # the stream being away, jobs are made by who compares
        "log_level": "debug",
        "run_log_level": "debug",
        "page_retries": 0,
        "request_retries": 0,
    }


async def _plant(ask: Installation, origin: Origin, exit_: HttpProxy) -> tuple[str, dict[str, Any]]:
    """Puts a secret into everything that takes one; the ids of what came of it, and what may show a secret once."""

    async def done(method: str, path: str, body: Any) -> Any:
        reply = await ask.ask(method, path, body, role="admin")
        assert reply.status < 300, (path, reply.status, reply.body)
        return reply.json

    token = await done("POST", "/api/v1/tokens", {"name": "ci", "role": "viewer"})
    await done("PUT", "/api/v1/secrets/site", {"value": f"{CANARY}-header"})
    domain = await done("POST", "/api/admin/domains", {"domain_name": origin.address})
    proxies = [
        await done("POST", "/api/admin/proxies", {"proxy_url": url})
        for url in (
            f"http://user:{CANARY}-proxy@127.0.0.1:{exit_.port}",
            f"socks5://user:{CANARY}-dead@{NOWHERE}",
        )
    ]
    domain_id, proxy_ids = domain["data"]["id"], [each["data"]["id"] for each in proxies]
    await done("POST", f"/api/admin/domains/{domain_id}/proxies", {"proxy_ids": proxy_ids})
    channel = await done(
        "POST",
        "/api/v1/notifications/channels",
        {
            "name": "ops",
            "kind": "webhook",
            "target": f"{origin.url}/hook/{CANARY}-target?key={CANARY}-query",
            "secret": f"{CANARY}-hmac",
        },
    )
    rule = await done("POST", "/api/v1/notifications/rules", {"channel_id": channel["id"], "kind": "records.new"})
    source = await done(
        "POST",
        "/api/v1/sources",
        {
            "name": "Board",
            "url": f"{origin.url}/jobs",
            "kind": "job",
            "recipe": RECIPE,
        },
    )
    known = {
        "source_id": source["id"],
        "host": origin.address,
        "domain_id": domain_id,
        "proxy_id": proxy_ids[0],
        "channel_id": channel["id"],
        "rule_id": rule["id"],
    }
    return token["token"], known


def _paths(known: dict[str, Any]) -> Iterator[str]:
    """Every address that can be looked at, with the ids of what there is."""
    for part in PARTS:
        for route in part.router.routes:
            if isinstance(route, APIRoute) and "GET" in route.methods and not _goes_on(route.path):
                yield re.sub(r"\{(\w+)[^}]*\}", lambda found: str(known.get(found[1], 1)), route.path)


def _goes_on(path: str) -> bool:
    """Whether what is answered there does not end."""
    return "/stream" in path or path.endswith(("crawler/events", "health/events", "metrics/events"))


async def _ids(ask: Installation) -> dict[str, Any]:
    """The ids of what the crawl brought."""
    job = (await ask.get("/api/v1/jobs"))["jobs"][0]["id"]
    run = (await ask.get(f"/api/v1/jobs/{job}/executions"))["executions"][0]["id"]
    record = (await ask.get("/api/v1/records"))["records"][0]["id"]
    told = (await ask.get("/api/v1/notifications/log"))["notifications"][0]["id"]
    return {"job_id": job, "run_id": run, "execution_id": run, "record_id": record, "notification_id": told}


async def _warc(service: Service) -> bytes:
    pieces = warc_export.export(service.db, service.archive, Wanted(), name="all.warc")
    return b"".join([piece.content async for piece in pieces])


async def _misuse(ask: Installation) -> bytes:
    """What is answered to secrets in the wrong place."""
    replies = [
        await ask.ask("POST", path, body, role="admin")
        for path, body in (
            ("/api/admin/proxies", {"proxy_url": f"gopher://user:{CANARY}-scheme@127.0.0.1:99"}),
            ("/api/admin/proxies", {"proxy_url": f"http://user:{CANARY}-port@127.0.0.1:999999"}),
            ("/api/v1/notifications/channels", {"name": "x", "kind": "webhook", "target": f"ftp://{CANARY}-ftp@x/"}),
            ("/api/v1/notifications/channels", {"name": "y", "kind": "slack", "target": "", "secret": f"{CANARY}-y"}),
            ("/api/v1/users", {"name": "a", "role": "none", "password": f"{CANARY}-password"}),
        )
    ]
    assert [reply.status for reply in replies if not 400 <= reply.status < 500] == []
    return b"\n".join(reply.body for reply in replies)


async def _rows(service: Service) -> bytes:
    """All that stands in the database, as it stands there."""
    async with service.db.read() as db:
        rows = [row for table in metadata.sorted_tables for row in (await db.execute(sa.select(table))).all()]
    return "\n".join(str(tuple(row)) for row in rows).encode()


def _files(folder: Path) -> bytes:
    """All that was written to the disk, unpacked; the key ring is what secrets are kept with."""
    written = [path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "keys"]
    return b"\n".join(gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body for body in written)


async def test_j9_a_secret_appears_nowhere(
    origin: Origin, tmp_path: Path, postgres_db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    origin.route("/jobs", headers={"Content-Type": "application/json"}, body=JOBS)
    origin.otherwise(Answer())  # the hook
    telemetry.configure("debug")
    seen: dict[str, bytes] = {}
    exit_ = HttpProxy(username="user", password=f"{CANARY}-proxy")
    dsn = sa.make_url(postgres_db).set(password=f"{CANARY}-dsn").render_as_string(hide_password=False)
    async with exit_, running(tmp_path, dsn, **_everywhere()) as installation:
        token, known = await _plant(installation, origin, exit_)

        async def is_read() -> bool:
            is_told = any(hit.path.startswith("/hook/") for hit in origin.log)
            return is_told and bool((await installation.get("/api/v1/records"))["total"])

        await until(is_read)
        known |= await _ids(installation)
        for path in sorted(set(_paths(known))):
            reply = await installation.ask("GET", path, role="admin")
            assert reply.status < 500, (path, reply.body)
            seen[path] = reply.body
        seen["misuse"] = await _misuse(installation)
        seen["database"] = await _rows(installation.service)
        seen["warc"] = await _warc(installation.service)
    seen["files"] = _files(tmp_path)
    seen["log"] = capsys.readouterr().err.encode()

    sent = {hit.headers.get("authorization") for hit in origin.hits("/jobs")}
    assert sent == {f"Bearer {CANARY}-header"}, "the secrets are really in use"
    assert {name for name, text in seen.items() if CANARY.encode() in text or token.encode() in text} == set()
    assert {name for name, text in seen.items() if SECRET.encode() in text} == set()
