"""A source that has run in an installation, for tests to look at what it brought."""

from typing import Any

from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.sources import sources
from lamplighter.store.engine.database import Connection
from tests.browser.window import Window
from tests.service.in_process import first_run
from tests.service.installation import Installation


async def crawled(installation: Installation, url: str, **more: Any) -> Source:
    """Adds a source, as an operator would, and waits for its first run to end."""
    service = installation.service
    new = sources.NewSource(url=url, **more)

    async def step(db: Connection) -> Source:
        await sources.create(db, new, source_defaults=service.source_defaults, stamp=Stamp("test", service.clock.now()))
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
