"""Backups of the database: made while the service runs, listed, fetched, deleted; and the way back to one."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel

from lamplighter.model.access import Role
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/backups", tag="backups")

BackupName = Annotated[Line, Path(min_length=1, max_length=255)]


class BackupShape(BaseModel):
    """A backup as the API shows it."""

    name: str
    made_at: datetime
    size_bytes: int
    #: None when nothing says so
    schema_revision: str | None
    program_version: str | None


class OrderShape(BaseModel):
    """A backup that is being made."""

    ordered_by: str
    since: datetime
    done_bytes: int
    #: None while nobody knows
    total_bytes: int | None


class BackupList(BaseModel):
    """A part of all backups."""

    backups: list[BackupShape]
    #: None when none is being made
    under_way: OrderShape | None
    #: why the last one that was ordered failed; None when it did not
    trouble: str | None
    #: why the last restore that was ordered came to nothing; None when it did not
    restore_trouble: str | None
    total: int
    limit: int
    offset: int


class RestoreShape(BaseModel):
    """A backup that is about to take the place of the database."""

    backup: str
    ordered_by: str
    since: datetime


_ORDER = {"ordered_by": "token:ci", "since": "2026-03-01T08:00:00Z", "done_bytes": 0, "total_bytes": None}
_RESTORE = {"backup": "lamplighter-20260301T080000Z.db", "ordered_by": "token:ci", "since": "2026-03-02T08:00:00Z"}
_QUIET = ("under_way", "trouble", "restore_trouble")
_BACKUP = {
    "name": "lamplighter-20260301T080000Z.db",
    "made_at": "2026-03-01T08:00:00Z",
    "size_bytes": 48_234_496,
    "schema_revision": "0013",
    "program_version": "0.7.0",
}


@ROUTES.get(
    "",
    role=Role.ADMIN,
    response_model=BackupList,
    example={"backups": [_BACKUP], "total": 1, "limit": 50, "offset": 0} | dict.fromkeys(_QUIET),
)
async def list_backups(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The backups in the folder of this process, the newest first, and the one that is being made."""
    maker = view.backup_maker
    found = maker.shelf.listed()
    rows = [
        {
            "name": each.name,
            "made_at": each.made_at,
            "size_bytes": each.size_bytes,
            "schema_revision": each.schema,
            "program_version": each.version,
        }
        for each in found[offset : offset + limit]
    ]
    under_way = {name: getattr(maker.order, name) for name in OrderShape.model_fields} if maker.order else None
    shown = listed("backups", rows, total=len(found), limit=limit, offset=offset)
    return shown | {"under_way": under_way, "trouble": maker.trouble, "restore_trouble": view.restore_desk.trouble}


@ROUTES.post("", role=Role.ADMIN, status=202, errors=(409,), response_model=OrderShape, example=_ORDER)
async def make_backup(view: View, caller: Asking) -> Any:
    """Have a backup made, in the background; 409 while another one is."""
    order = view.backup_maker.take_order(actor=caller.name, now=view.clock.now())
    return {name: getattr(order, name) for name in OrderShape.model_fields}


@ROUTES.get("/{name}", role=Role.ADMIN, response_class=Response, success="The file.")
async def download_backup(name: BackupName, view: View, caller: Asking) -> Response:
    """The file of a backup; that somebody took it is noted in the audit log."""
    found = await view.backup_maker.hand_out(name, actor=caller.name)
    headers = {"Cache-Control": "no-store"}
    return FileResponse(found.path, filename=found.name, media_type="application/octet-stream", headers=headers)


@ROUTES.delete("/{name}", role=Role.ADMIN, status=204, response_model=None)
async def delete_backup(name: BackupName, view: View, caller: Asking) -> None:
    """Delete a backup for good."""
    await view.backup_maker.remove(name, actor=caller.name)


@ROUTES.post(
    "/{name}/restore", role=Role.ADMIN, status=202, errors=(409,), response_model=RestoreShape, example=_RESTORE
)
async def restore_backup(name: BackupName, view: View, caller: Asking) -> Any:
    """Put a backup in the place of the database: the service stops, restores it, and starts again by itself.

    409 while other processes use the database, a backup is being made, or another one is restored.
    """
    order = await view.restore_desk.take_order(name, actor=caller.name, now=view.clock.now())
    return {"backup": order.backup.name, "ordered_by": order.ordered_by, "since": order.since}
