"""Versions of pages over the API: listed, and handed out as nothing but bytes."""

from hashlib import sha256

from lamplighter.app import Service
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import bodies, page_versions
from lamplighter.store.pages.bodies import NewBody
from lamplighter.store.pages.page_versions import NewVersion
from lamplighter.web import page_ids
from tests.captures import capture
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.web.asgi_client import Ask

SCRIPT = b"<script>alert(document.domain)</script>"


async def _page_that_was(service: Service, *contents: bytes) -> str:
    source_id, run_id = await write(service.db, a_run)
    (page_id,) = await write(service.db, some_pages, source_id, run_id, "/1")
    for content in contents:
        (kept,) = await service.storing.archive.put([capture(content)])
        new = NewBody(sha256(content).hexdigest(), kept.key, kept.segment, kept.size, len(content))

        async def work(db: Connection, new: NewBody = new) -> None:
            held = await bodies.hold(db, [new], hashes=[new.hash])
            await page_versions.add(db, [NewVersion(page_id, held[new.hash].id, 200, NOON)])

        await service.db.write(work)
    return f"/api/v1/pages/{page_ids.shown(page_id)}/versions"


async def test_versions_are_listed_the_latest_first(ask: Ask, service: Service) -> None:
    path = await _page_that_was(service, b"one", SCRIPT)

    listed = (await ask.get(path)).json
    part = (await ask.get(path, limit=1, offset=1)).json

    assert (listed["total"], [one["number"] for one in listed["versions"]]) == (2, [2, 1])
    latest = listed["versions"][0]
    assert (latest["size_bytes"], latest["sha256"]) == (len(SCRIPT), sha256(SCRIPT).hexdigest())
    assert (latest["superseded_at"], listed["versions"][1]["superseded_at"] is None) == (None, False)
    assert [one["number"] for one in part["versions"]] == [1]


async def test_what_a_version_said_is_saved_and_never_shown(ask: Ask, service: Service) -> None:
    path = await _page_that_was(service, b"one", SCRIPT)

    reply = await ask(f"{path}/2/content")

    assert (reply.status, reply.text) == (200, SCRIPT.decode())
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-disposition"].startswith("attachment")
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["content-security-policy"].startswith("sandbox")


async def test_what_is_not_there_is_not_found(ask: Ask, service: Service) -> None:
    path = await _page_that_was(service, b"one")
    for segment in await service.storing.archive.segments():
        await service.storing.archive.remove(segment.name)
    await service.storing.archive.get(await _key(service))  # what is read is remembered no longer

    replies = [
        await ask(f"{path}/1/content"),
        await ask(f"{path}/2/content"),
        await ask(f"/api/v1/pages/{page_ids.shown(999)}/versions"),
    ]

    assert [reply.status for reply in replies] == [404, 404, 404]
    assert "version 1" in replies[0].json["detail"]


async def _key(service: Service) -> str:
    async with service.db.read() as db:
        (version,), _ = await page_versions.of_page(db, 1, limit=1, offset=0)
    return version.key
