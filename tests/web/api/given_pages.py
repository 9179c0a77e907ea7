"""Sources and pages that a crawl found, for the API to list."""

from typing import Any

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.sources import sources as stored_sources
from tests.store.given_rows import some_pages


async def a_source(service: Service, name: str = "a") -> tuple[int, str]:
    """A source with its crawl job; returns its number and its public id."""

    async def work(db: Any) -> tuple[int, str]:
        new = NewSource(url=f"https://{name}.example/", name=name)
        source_id = await sources.create(
            db, new, source_defaults=service.source_defaults, stamp=Stamp("test", service.clock.now())
        )
        source = await stored_sources.get(db, source_id)
        assert source is not None
        return source_id, source.public_id

    return await service.db.write(work)


async def found_pages(service: Service, source_id: int, *paths: str, **columns: Any) -> list[int]:
    """Pages of a.example that a crawl of the source found."""
    return await service.db.write(lambda db: some_pages(db, source_id, None, *paths, **columns))
