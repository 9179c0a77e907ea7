"""`/settings/retention`: what is kept, for how long, and how much of it there is."""

from fastapi import Response

from lamplighter.crawl.event_effects import RECEIPTS_KEPT
from lamplighter.model.access import Role
from lamplighter.operations import archive
from lamplighter.operations.archive import ArchiveStats
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.settings.tabs import tabs_for
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.words import byte_size

ROUTES = Routes("", tag="dashboard")
_PATH = "/settings/retention"


@ROUTES.get(_PATH, include_in_schema=False)
async def retention(visit: Visiting) -> Response:
    """What is kept, and the archive as it is."""
    view = visit.view
    return visit.page(
        "settings/retention.html",
        tabs=tabs_for(visit),
        settings=view.settings,
        stats=await _stats(visit),
        room=view.room(),
        receipts_kept=RECEIPTS_KEPT,
    )


@ROUTES.post(f"{_PATH}/sweep", role=Role.ADMIN, include_in_schema=False)
async def sweep(visit: Visiting) -> Response:
    """Forgets at once what need not be kept; the service does so every few minutes."""
    question = (
        "Sweep the archive now? Versions beyond what the settings keep are forgotten for good; the latest version of "
        "each page stays."
    )
    asked = visit.confirm(await visit.form(), question, label="Sweep", back=_PATH)
    if asked is not None:
        return asked
    view = visit.view
    done = await archive.sweep(view.db, view.sweep_archive, actor=visit.caller.name, clock=view.clock)
    said = f"{done.versions_forgotten:,} versions and {done.bodies_forgotten:,} bodies forgotten"
    return visit.done(f"{said}, {byte_size(done.bytes_freed)} freed.", to=_PATH)


async def _stats(visit: Visit) -> ArchiveStats | None:
    """What the archive holds; None while it does not answer, which is no reason to show nothing."""
    try:
        return await archive.stats(visit.view.db, visit.view.archive)
    except OSError:
        return None
