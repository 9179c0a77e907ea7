"""An installation in which something has happened: a site was crawled, and lists have something to show."""

from datetime import datetime

from lamplighter.model.access import Role, Stamp
from lamplighter.operations.access import api_tokens, secrets, users
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.sources import sources, tags
from lamplighter.store.engine.database import Connection
from lamplighter.store.records import records
from tests.browser.crawled_source import crawled
from tests.origin import Origin
from tests.service.in_process import crawl_again
from tests.service.installation import Installation, until
from tests.service.sites import LISTING


async def furnish(installation: Installation, board: Origin) -> str:
    """Fills it; returns the public id of the source that was crawled."""
    service = installation.service
    now = service.clock.now()

    async def step(db: Connection) -> str:
        for url, name, labels in (
            (f"{board.url}/jobs", "Quay Jobs", ("harbour",)),
            ("https://tide.example/news", "Tide Tables", ("harbour", "news")),
        ):
            new = sources.NewSource(url=url, name=name, tags=labels)
            await sources.create(db, new, source_defaults=service.source_defaults, stamp=Stamp("test", now))
        await _one_of_everything(db, now=now, sealed=secrets.seal(service.vault, "v4lu3"))
        return str((await sources.find_by_url(db, f"{board.url}/jobs")).public_id)

    public_id = await service.db.write(step)

    async def has_records() -> bool:
        async with service.db.read() as db:
            return await records.count(db) > 0

    await until(has_records)
    return public_id


async def let_drift(installation: Installation, board: Origin) -> None:
    """Crawls a page, and crawls it again after all that it listed is gone: it has two versions, and a problem."""
    board.page("/quay", LISTING)
    source = await crawled(installation, f"{board.url}/quay", name="Quay", max_depth=0)
    board.page("/quay", "<html><body><p>We have a new look.</p></body></html>")
    await crawl_again(installation.service, source.id, number=2)


async def _one_of_everything(db: Connection, *, now: datetime, sealed: bytes) -> None:
    said = {"policy": "fixed", "interval_minutes": "60", "windows": "mon-fri 09:00-17:30 Europe/Berlin"}
    await tags.put(db, "news", said, stamp=Stamp("test", now))
    await takedowns.add(db, "left-alone.example", stamp=Stamp("test", now), reason="its owner asked")
    await secrets.put(db, "reliefweb", sealed, hosts=["api.reliefweb.example"], stamp=Stamp("test", now))
    await api_tokens.add(db, api_tokens.make("ci", role=Role.VIEWER, stamp=Stamp("test", now)))


async def let_in(installation: Installation, name: str, role: Role, password_hash: str) -> None:
    """Adds somebody who may log in."""
    now = installation.service.clock.now()
    await installation.service.db.write(
        lambda db: users.add(db, name, role=role, password_hash=password_hash, stamp=Stamp("test", now))
    )
