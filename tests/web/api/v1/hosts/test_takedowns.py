"""/api/v1/takedowns."""

import asyncio
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from lamplighter.app import Service, Store
from lamplighter.crawl.jobs import job_keeper
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from tests.origin import Origin
from tests.service.in_process import first_run, watch
from tests.service.sites import job_board
from tests.web.api.given_sources import on_sqlite, watched
from tests.web.asgi_client import Ask

PATH = "/api/v1/takedowns"


async def _job_of(service: Service, url: str) -> int:
    async def work(db: Connection) -> int:
        source_id = await sources.add(db, NewSource(url=url), stamp=Stamp("test", service.clock.now()))
        await job_keeper.match(db, source_id, source_defaults=service.source_defaults, now=service.clock.now())
        return source_id

    return await service.db.write(work)


async def _states(store: Store) -> list[tuple[str, str | None]]:
    job = tables.crawl_jobs
    async with store.db.read() as db:
        return [
            (row.state, row.pause_reason)
            for row in await db.execute(sa.select(job.c.state, job.c.pause_reason).order_by(job.c.id))
        ]


async def test_a_takedown_pauses_the_sources_it_covers_and_taking_it_back_lets_them_go_on(
    ask: Ask, service: Service, store: Store
) -> None:
    for url in ("https://jobs.example.org/a", "https://notexample.org/", "https://two.example/b"):
        await _job_of(service, url)

    added = await ask.post(PATH, {"domain_or_url": "Example.org", "reason": "its owner asked"})
    again = await ask.post(PATH, {"domain_or_url": "example.org"})
    while_down = await _states(store)
    listed = await ask.get(PATH, search="example")
    removed = await ask.delete(PATH, domain_or_url="example.org")
    unknown = await ask.delete(PATH, domain_or_url="example.org")

    assert (added.status, added.json["domain_or_url"], added.json["sources_paused"]) == (201, "example.org", 1)
    assert (again.json["was_listed"], again.json["reason"]) == (True, "its owner asked")
    assert while_down == [("paused", "takedown"), ("pending", None), ("pending", None)]
    assert [each["domain_or_url"] for each in listed.json["takedowns"]] == ["example.org"]
    assert removed.json == {"domain_or_url": "example.org", "sources_resumed": 1}
    assert await _states(store) == [("pending", None)] * 3
    assert (unknown.status, unknown.json["code"]) == (404, "takedown_not_found")


async def test_a_source_stays_paused_while_another_entry_covers_it(ask: Ask, service: Service, store: Store) -> None:
    await _job_of(service, "https://example.org/jobs")
    await ask.post(PATH, {"domain_or_url": "example.org"})
    await ask.post(PATH, {"domain_or_url": "https://example.org/jobs"})

    removed = await ask.delete(PATH, domain_or_url="example.org")

    assert removed.json["sources_resumed"] == 0
    assert await _states(store) == [("paused", "takedown")]


async def test_what_is_neither_domain_nor_url_is_refused(ask: Ask) -> None:
    for entry in ("*.org", "example.org/path", "ftp://example.org/", "", "a\x00.example"):
        assert (await ask.post(PATH, {"domain_or_url": entry})).status == 422, entry
        assert (await ask.post(f"{PATH}/purge-preview", {"domain_or_url": entry})).status == 422, entry


async def test_only_what_is_on_the_list_can_be_purged(ask: Ask) -> None:
    reply = await ask.post(f"{PATH}/purge", {"domain_or_url": "example.org"})

    assert (reply.status, reply.json["code"]) == (404, "takedown_not_found")


async def test_a_purge_leaves_nothing_of_the_site_and_everything_of_the_others(
    ask: Ask, service: Service, store: Store, settings: Settings, origin: Origin, origin_factory: Any
) -> None:
    other = await origin_factory(host="127.0.0.2")
    for site in (origin, other):
        job_board(site, postings=3, per_page=3)
        await _crawled(service, site)
    doomed = await _body_keys(service, origin)

    counted = await ask.post(f"{PATH}/purge-preview", {"domain_or_url": origin.host})
    done = await ask.post(PATH, {"domain_or_url": origin.host, "purge": True})
    again = await ask.post(f"{PATH}/purge", {"domain_or_url": origin.host})

    expected = {"pages": 4, "bodies": 4, "records": 3, "changes": 0, "log_lines": 1}
    assert counted.json["purged"] == done.json["purged"] == expected
    assert again.json["purged"] == dict.fromkeys(expected, 0)
    async with store.db.read() as db:
        for table in (tables.pages, tables.records):
            assert {other.host in url for url in await db.scalars(sa.select(table.c.url))} == {True}
        assert await db.scalar(sa.select(sa.func.count()).select_from(tables.sightings)) > 0
        robots = list(await db.scalars(sa.select(tables.robots_files.c.origin)))
        line = (
            await db.execute(sa.select(tables.audit_log).where(tables.audit_log.c.action == "takedown.purge"))
        ).first()
    assert robots == [other.url]
    assert line is not None
    assert line.after == expected
    on_disk = await asyncio.to_thread(_on_disk, settings.data_dir / "archive", doomed)
    assert [set(frame) for frame in on_disk] == [{0}] * 4
    assert [await service.storing.archive.get(key) for key in doomed] == [None] * 4
    # The other site sent the very same bytes; what is kept of them is now all its own.
    captures = [await service.storing.archive.capture(key) for key in await _body_keys(service, other)]
    assert [capture.url.startswith(other.url) for capture in captures if capture is not None] == [True] * 4


async def _crawled(service: Service, site: Origin) -> None:
    service.stopping.clear()
    rounds = asyncio.create_task(service.run())
    await first_run(service, await watch(service, site.url + "/jobs"))
    service.stopping.set()
    await rounds


async def _body_keys(service: Service, site: Origin) -> list[str]:
    page = tables.pages
    query = sa.select(page.c.body_key).where(page.c.url.startswith(site.url), page.c.body_key.is_not(None))
    async with service.db.read() as db:
        return list(await db.scalars(query))


def _on_disk(folder: Path, keys: list[str]) -> list[bytes]:
    frames = []
    for key in keys:
        segment, offset, length, _ = key.split(":")
        frames.append((folder / f"{segment}.seg").read_bytes()[int(offset) : int(offset) + int(length)])
    return frames


@on_sqlite
async def test_k3_nobody_opens_a_run_of_what_is_taken_down_alone_or_among_many(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    taken = (await ask.get(f"/api/v1/sources/{source.source_id}")).json["url"]
    await ask.post(PATH, {"domain_or_url": taken})

    alone = [
        await ask.post(f"{source.path}/force-run"),
        await ask.post("/admin/crawl/run", {"source_id": source.source_id}),
    ]
    jobs = (await ask.post("/api/v1/jobs/bulk", {"action": "force-run", "filter": {}})).json
    sources = (await ask.post("/api/v1/sources/bulk", {"action": "run", "filter": {}})).json

    assert [(reply.status, reply.json["code"]) for reply in alone] == [(409, "taken_down")] * 2
    assert "takedown list; lift the takedown first" in str(jobs)
    assert "takedown list; lift the takedown first" in str(sources)
    assert (await ask.get(source.path)).json["actions"] == ["cancel"]
    async with service.db.read() as db:
        assert (await db.execute(sa.select(tables.crawl_runs))).all() == []


@on_sqlite
async def test_k3_no_job_of_what_is_taken_down_is_tried_again_or_ordered(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    taken = (await ask.get(f"/api/v1/sources/{source.source_id}")).json["url"]
    failed = sa.update(tables.crawl_jobs).values(state="failed", next_run_at=None)
    await service.db.write(lambda db: db.execute(failed))
    await ask.post(PATH, {"domain_or_url": taken})

    replies = [
        await ask.post(f"{source.path}/retry"),
        await ask.post("/api/v1/jobs", {"source_id": source.source_id}),
    ]

    assert [(reply.status, reply.json["code"]) for reply in replies] == [(409, "taken_down")] * 2
    assert (await ask.get(source.path)).json["status"] == "failed"
