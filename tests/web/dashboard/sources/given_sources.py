"""Sources with their jobs, for the dashboard to show."""

from datetime import timedelta
from typing import Any

from lamplighter.app import Store
from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.sources import source_list, sources
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.sources import sources as stored
from lamplighter.web.view import ServiceView
from tests.changing import add_job, set_job

PANEL = {"hx_request": "true", "hx_target": "panel"}


async def watched(store: Store, view: ServiceView, **values: object) -> Source:
    """A source with its job."""
    new = sources.NewSource(**{"url": "https://example.org/jobs", "name": "Quay Jobs", **values})

    async def step(db: Connection) -> Source:
        source_id = await sources.create(
            db, new, source_defaults=view.source_defaults, stamp=Stamp("test", store.clock.now())
        )
        return (await source_list.one(db, source_id)).source

    return await store.db.write(step)


def path_of(source: Source) -> str:
    """Where its page is."""
    return f"/sources/{source.public_id}"


async def add_source(store: Store, name: str = "Quay Jobs", **values: Any) -> str:
    """A source with its job; returns its public id."""
    new = sources.NewSource(**{"url": f"https://{name.replace(' ', '-').lower()}.example/jobs", "name": name, **values})
    now = store.clock.now()

    async def add(db: Any) -> str:
        source_id = await sources.add(db, new, stamp=Stamp("test", now))
        await add_job(db, source_id=source_id, priority=50, interval=timedelta(hours=6), next_run_at=now, now=now)
        found = await stored.get(db, source_id)
        assert found is not None
        return found.public_id

    return await store.db.write(add)


async def change_job(store: Store, public_id: str, **values: Any) -> None:
    """Changes columns of the job of a source."""
    now = store.clock.now()

    async def change(db: Any) -> None:
        job = await crawl_jobs.of_source(db, (await sources.find(db, public_id)).id)
        await set_job(db, job.id, now=now, **values)

    await store.db.write(change)
