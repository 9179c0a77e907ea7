"""What a source has brought, for tests to look at: records that changed, pages that were different before."""

from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from lamplighter.app import Store
from lamplighter.model.access import Stamp
from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.model.record import Record, RecordKind
from lamplighter.model.source import Source
from lamplighter.operations.runs import runs
from lamplighter.operations.sources import sources
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.pages import bodies, page_versions, pages
from lamplighter.store.pages.page_versions import NewVersion
from lamplighter.store.pages.pages import NewPage
from lamplighter.store.records import record_changes, records
from lamplighter.store.records.records import NewRecord
from lamplighter.web import page_ids
from lamplighter.web.view import ServiceView
from tests.captures import capture


async def a_source(store: Store, view: ServiceView, **values: Any) -> Source:
    """A source with its job."""
    new = sources.NewSource(**{"url": "https://example.org/jobs", "name": "Quay Jobs", **values})

    async def step(db: Connection) -> Source:
        await sources.create(db, new, source_defaults=view.source_defaults, stamp=Stamp("test", store.clock.now()))
        return await sources.find_by_url(db, new.url)

    return await store.db.write(step)


async def a_record(store: Store, source: Source, **values: Any) -> Any:
    """A record of the source, as stored."""
    given = {"kind": RecordKind.JOB, "url": "https://example.org/1", "canonical_hash": "a", "content_hash": "b"}
    record = Record(**{**given, "title": "Harbour pilot", **values})
    find = NewRecord(source.id, None, urls.url_key(record.url), True, record)

    async def step(db: Connection) -> Any:
        await records.put(db, [find], now=store.clock.now())
        return await records.get(db, record.canonical_hash)

    return await store.db.write(step)


async def a_run(store: Store, view: ServiceView, source: Source) -> int:
    """An open run of the source."""
    now = store.clock.now()
    return await store.db.write(
        lambda db: runs.run_now(
            db, source.id, now=now, deadline=timedelta(hours=1), source_defaults=view.source_defaults
        )
    )


async def changed(store: Store, record: Any, run_id: int | None = None, **fields: Sequence[Any]) -> None:
    """The record read differently: field=(before, after)."""
    lines = [
        {
            "record_id": record.id,
            "run_id": run_id,
            "page_id": None,
            "at": store.clock.now(),
            "field": name,
            "before": before,
            "after": after,
        }
        for name, (before, after) in fields.items()
    ]
    await store.db.write(lambda db: record_changes.write(db, lines))


async def a_page_that_was(store: Store, view: ServiceView, source: Source, *contents: bytes) -> UUID:
    """A page of the source with one version for each of these contents; returns the id by which it is asked for."""
    now, url = store.clock.now(), source.url
    key = urls.url_key(url)

    async def page(db: Connection) -> int:
        host = urls.parse(url).host_key
        new = NewPage(
            source_id=source.id,
            run_id=None,
            host_id=(await hosts.ensure(db, [host], now=now))[host],
            url=url,
            url_key=key,
            role=PageRole.SEED,
            depth=0,
            rank=50_000,
            phase=Phase.COMPLETED,
            created_at=now,
        )
        await pages.add(db, [new])
        return (await pages.known(db, [key]))[key][source.id].id

    page_id = await store.db.write(page)
    for number, content in enumerate(contents):
        await _become(store, view, page_id, content, url=url, number=number)
    return page_ids.shown(page_id)


async def _become(store: Store, view: ServiceView, page_id: int, content: bytes, *, url: str, number: int) -> None:
    at = store.clock.now() + timedelta(hours=number)
    (kept,) = await view.storage.archive.put([capture(content, url=url, at=at)])
    digest = sha256(content).hexdigest()
    body = bodies.NewBody(digest, kept.key, kept.segment, kept.size, len(content))

    async def step(db: Connection) -> None:
        held = await bodies.hold(db, [body], hashes=[digest])
        await page_versions.add(db, [NewVersion(page_id, held[digest].id, 200, at)])
        saved = {"page": page_id, "body_hash": digest, "body_key": kept.key, "content_type": "text/html"}
        await pages.save(db, [saved | {"fetched_at": at, "status": 200}])

    await store.db.write(step)
