"""`/settings/storage`: storage use, retention and database backups."""

from typing import Any

from fastapi import Response
from fastapi.responses import FileResponse

from lamplighter.errors import BadInput, NotPossible
from lamplighter.model.access import Role
from lamplighter.operations.archive import archive, storage
from lamplighter.operations.archive.archive import ArchiveStats
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.settings.tabs import settings_page
from lamplighter.web.routes import Pages
from lamplighter.web.words import byte_size

ROUTES = Pages()
_PATH = "/settings/storage"


@ROUTES.get(_PATH)
async def shown(request: ThisRequest) -> Response:
    """Storage use and retention; for admins also the backups."""
    return await _page(request)


@ROUTES.post(f"{_PATH}/sweep", role=Role.ADMIN)
async def sweep(request: ThisRequest) -> Response:
    """Cleans up the archive now; the service does this every few minutes."""
    question = (
        "Clean up the archive now? Versions beyond the retention settings are deleted for good; the latest version of "
        "each page stays."
    )
    request.confirm(await request.form(), question, label="Clean up", back=_PATH)
    view = request.view
    done = await archive.sweep(view.db, view.storage.sweep_archive, actor=request.caller.name, clock=view.clock)
    said = f"Deleted versions: {done.versions_forgotten:,}, bodies: {done.bodies_forgotten:,}"
    return request.done(f"{said}, {byte_size(done.bytes_freed)} freed.", to=_PATH)


@ROUTES.get(f"{_PATH}/backups", role=Role.ADMIN)
async def backups(request: ThisRequest) -> Response:
    """The refreshed backups for a script; without a script, the whole page."""
    if not request.is_partial:
        return await _page(request)
    return request.part("settings/backups.html", **_backups(request))


@ROUTES.post(f"{_PATH}/backups", role=Role.ADMIN)
async def back_up(request: ThisRequest) -> Response:
    """Starts a backup in the background."""
    try:
        request.view.storage.backup_maker.take_order(stamp=request.stamp)
    except NotPossible as error:
        return request.done(f"{error}.".capitalize(), to=_PATH)
    return request.done("The backup was started.", to=_PATH)


@ROUTES.get(f"{_PATH}/backups/{{name}}", role=Role.ADMIN)
async def download(name: str, request: ThisRequest) -> Response:
    """Downloads the file of a backup."""
    found = await request.view.storage.backup_maker.hand_out(name, actor=request.caller.name)
    headers = {"Cache-Control": "no-store"}
    return FileResponse(found.path, filename=found.name, media_type="application/octet-stream", headers=headers)


@ROUTES.post(f"{_PATH}/backups/{{name}}/delete", role=Role.ADMIN)
async def delete(name: str, request: ThisRequest) -> Response:
    """Deletes a backup for good."""
    found = request.view.storage.backup_maker.backup_folder.find(name)
    question = f"Delete the backup {found.name} ({byte_size(found.size_bytes)}) for good?"
    request.confirm(await request.form(), question, label="Delete", back=_PATH)
    await request.view.storage.backup_maker.remove(name, actor=request.caller.name)
    return request.done(f"{found.name} was deleted.", to=_PATH)


@ROUTES.post(f"{_PATH}/backups/{{name}}/restore", role=Role.ADMIN)
async def restore(name: str, request: ThisRequest) -> Response:
    """Restores a backup; the service stops and starts again."""
    orders = request.view.storage.restore_orders
    try:
        found = await orders.check(name, now=request.now)
        question = (
            f"Restore {found.name}? All changes since {found.made_at:%Y-%m-%d %H:%M} UTC are undone. The service "
            "stops, restores it and starts again."
        )
        request.confirm(await request.form(), question, label="Restore", back=_PATH)
        await orders.take_order(name, stamp=request.stamp)
    except (NotPossible, BadInput) as error:
        return request.done(f"{error}.", to=_PATH)
    return request.done(f"{found.name} is being restored.", to=_PATH)


async def _page(request: PageRequest) -> Response:
    view = request.view
    held = await view.read(lambda db: storage.held(db))
    return settings_page(
        request,
        "settings/storage.html",
        held=held,
        stats=await _stats(request),
        room=view.storage.room(),
        rules=storage.rules(view.settings),
        **(_backups(request) if request.may(Role.ADMIN) else {}),
    )


def _backups(request: PageRequest) -> dict[str, Any]:
    maker = request.view.storage.backup_maker
    return {
        "backups": maker.backup_folder.listed(),
        "folder": maker.backup_folder.folder,
        "order": maker.order,
        "backup_trouble": maker.trouble,
        "restore_order": request.view.storage.restore_orders.order,
        "restore_trouble": request.view.storage.restore_orders.trouble,
        "is_sqlite": request.view.db.is_sqlite,
        "has_key_file": request.view.settings.encryption_keys is None,
    }


async def _stats(request: PageRequest) -> ArchiveStats | None:
    """Archive statistics, None while the archive is down."""
    try:
        return await archive.stats(request.view.db, request.view.storage.archive)
    except OSError:
        return None
