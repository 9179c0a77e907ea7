"""`/settings/storage`: what there is, how long it is kept, and the backups of the database."""

from typing import Any

from fastapi import Response
from fastapi.responses import FileResponse

from lamplighter.errors import BadInput, NotPossible
from lamplighter.model.access import Role
from lamplighter.operations import archive, storage
from lamplighter.operations.archive import ArchiveStats
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.settings.tabs import tabs_for
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.words import byte_size

ROUTES = Routes("", tag="dashboard")
_PATH = "/settings/storage"


@ROUTES.get(_PATH, include_in_schema=False)
async def shown(visit: Visiting) -> Response:
    """What there is and how long it is kept; for admins also the backups."""
    return await _page(visit)


@ROUTES.post(f"{_PATH}/sweep", role=Role.ADMIN, include_in_schema=False)
async def sweep(visit: Visiting) -> Response:
    """Forgets at once what need not be kept of the archive; the service does so every few minutes."""
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


@ROUTES.get(f"{_PATH}/backups", role=Role.ADMIN, include_in_schema=False)
async def backups(visit: Visiting) -> Response:
    """The backups alone, for a script that follows one being made; whoever comes without one sees the whole page."""
    if not visit.is_partial:
        return await _page(visit)
    return visit.part("settings/backups.html", **_backups(visit))


@ROUTES.post(f"{_PATH}/backups", role=Role.ADMIN, include_in_schema=False)
async def back_up(visit: Visiting) -> Response:
    """Has a backup made in the background."""
    try:
        visit.view.backup_maker.take_order(actor=visit.caller.name, now=visit.now)
    except NotPossible as error:
        return visit.done(f"{error}.".capitalize(), to=_PATH)
    return visit.done("A backup is being made.", to=_PATH)


@ROUTES.get(f"{_PATH}/backups/{{name}}", role=Role.ADMIN, include_in_schema=False)
async def download(name: str, visit: Visiting) -> Response:
    """The file of a backup, to be kept elsewhere."""
    found = await visit.view.backup_maker.hand_out(name, actor=visit.caller.name)
    return FileResponse(
        found.path,
        filename=found.name,
        media_type="application/octet-stream",
        headers={"Cache-Control": "no-store"},
    )


@ROUTES.post(f"{_PATH}/backups/{{name}}/delete", role=Role.ADMIN, include_in_schema=False)
async def delete(name: str, visit: Visiting) -> Response:
    """Deletes a backup for good."""
    found = visit.view.backup_maker.shelf.find(name)
    question = f"Delete the backup {found.name} ({byte_size(found.size_bytes)}) for good?"
    asked = visit.confirm(await visit.form(), question, label="Delete", back=_PATH)
    if asked is not None:
        return asked
    await visit.view.backup_maker.remove(name, actor=visit.caller.name)
    return visit.done(f"{found.name} is deleted.", to=_PATH)


@ROUTES.post(f"{_PATH}/backups/{{name}}/restore", role=Role.ADMIN, include_in_schema=False)
async def restore(name: str, visit: Visiting) -> Response:
    """Puts a backup in the place of the database, for which the service stops and starts again."""
    desk = visit.view.restore_desk
    try:
        found = await desk.check(name, now=visit.now)
        question = (
            f"Restore {found.name}? All that came since {found.made_at:%Y-%m-%d %H:%M} UTC is put aside. The service "
            "stops, restores it and starts again."
        )
        asked = visit.confirm(await visit.form(), question, label="Restore", back=_PATH)
        if asked is not None:
            return asked
        await desk.take_order(name, actor=visit.caller.name, now=visit.now)
    except (NotPossible, BadInput) as error:
        return visit.done(f"{error}.", to=_PATH)
    return visit.done(f"{found.name} is being restored.", to=_PATH)


async def _page(visit: Visit) -> Response:
    view = visit.view
    async with view.db.read() as db:
        held = await storage.held(db)
    return visit.page(
        "settings/storage.html",
        tabs=tabs_for(visit),
        held=held,
        stats=await _stats(visit),
        room=view.room(),
        rules=storage.rules(view.settings),
        **(_backups(visit) if visit.may(Role.ADMIN) else {}),
    )


def _backups(visit: Visit) -> dict[str, Any]:
    maker = visit.view.backup_maker
    return {
        "backups": maker.shelf.listed(),
        "folder": maker.shelf.folder,
        "order": maker.order,
        "backup_trouble": maker.trouble,
        "restore_order": visit.view.restore_desk.order,
        "restore_trouble": visit.view.restore_desk.trouble,
        "is_sqlite": visit.view.db.is_sqlite,
        "has_key_file": visit.view.settings.encryption_keys is None,
    }


async def _stats(visit: Visit) -> ArchiveStats | None:
    """What the archive holds; None while it does not answer, which is no reason to show nothing."""
    try:
        return await archive.stats(visit.view.db, visit.view.archive)
    except OSError:
        return None
