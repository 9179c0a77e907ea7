"""A source that has run in an installation, for tests to look at what it brought."""

from typing import Any

from lamplighter.operations import sources
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow
from tests.browser.window import Window
from tests.crawl.rounds import first_run
from tests.journeys.installation import Installation


async def crawled(installation: Installation, url: str, **more: Any) -> SourceRow:
    """Adds a source, as an operator would, and waits for its first run to end."""
    service = installation.service
    new = sources.NewSource(url=url, **more)

    async def step(db: Connection) -> SourceRow:
        await sources.create(db, new, norms=service.norms, actor="test", now=service.clock.now())
        return await sources.find_by_url(db, url)

    source = await service.db.write(step)
    service.bells.jobs.ring()
    await first_run(service, source.id)
    return source


async def barriers_in_both_lights(window: Window) -> list[str]:
    """What would keep somebody out of the page as it is now, light or dark."""
    found = []
    for light in ("light", "dark"):
        await window.page.emulate_media(color_scheme=light)
        found += [f"{light}: {each}" for each in await window.grave_barriers()]
    return found
