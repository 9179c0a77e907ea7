"""Backups of the database: made while the service runs, listed, downloaded, deleted and restored."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from lamplighter.model.access import Role
from lamplighter.web.api.envelope import listed, part_of, taken_from
from lamplighter.web.routes import Routes
from lamplighter.web.values import Limit, Line, Offset
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/backups", tag="backups")
BackupName = Annotated[Line, Path(min_length=1, max_length=255)]


class BackupShape(BaseModel):
    """A backup in responses."""

    name: str = Field(examples=["lamplighter-20260301T080000Z.db"])
    made_at: datetime
    size_bytes: int
    #: None when unknown
    schema_revision: str | None = taken_from("schema", examples=["0013"])
    program_version: str | None = taken_from("version")


class OrderShape(BaseModel):
    """A backup in progress."""

    ordered_by: str = Field(examples=["token:ci"])
    since: datetime
    done_bytes: int
    #: None while unknown
    total_bytes: int | None


class RestoreShape(BaseModel):
    """A backup that is about to replace the database."""

    backup: str = taken_from("backup", "name")
    ordered_by: str
    since: datetime


#: the backup in progress, and why the last ordered backup or the last restore failed; else null
_ORDERED = {"under_way": OrderShape | None, "trouble": str | None, "restore_trouble": str | None}


@ROUTES.get("", role=Role.ADMIN, response_model=part_of("backups", BackupShape, **_ORDERED))
async def list_backups(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The backups in this process's folder, the newest first, and the one in progress."""
    maker = view.storage.backup_maker
    found = maker.backup_folder.listed()
    shown = listed("backups", found[offset : offset + limit], total=len(found), limit=limit, offset=offset)
    restore_trouble = view.storage.restore_orders.trouble
    return shown | {"under_way": maker.order, "trouble": maker.trouble, "restore_trouble": restore_trouble}


@ROUTES.post("", role=Role.ADMIN, status=202, errors=(409,), response_model=OrderShape)
async def make_backup(view: View, caller: Asking) -> Any:
    """Start a backup in the background; 409 while another one runs."""
    return view.storage.backup_maker.take_order(stamp=view.stamp(caller))


@ROUTES.get("/{name}", role=Role.ADMIN, response_class=Response, success="The file.")
async def download_backup(name: BackupName, view: View, caller: Asking) -> Response:
    """Download a backup; the audit log records the download."""
    found = await view.storage.backup_maker.hand_out(name, actor=caller.name)
    headers = {"Cache-Control": "no-store"}
    return FileResponse(found.path, filename=found.name, media_type="application/octet-stream", headers=headers)


@ROUTES.delete("/{name}", role=Role.ADMIN, status=204, response_model=None)
async def delete_backup(name: BackupName, view: View, caller: Asking) -> None:
    """Delete a backup for good."""
    await view.storage.backup_maker.remove(name, actor=caller.name)


@ROUTES.post("/{name}/restore", role=Role.ADMIN, status=202, errors=(409,), response_model=RestoreShape)
async def restore_backup(name: BackupName, view: View, caller: Asking) -> Any:
    """Replace the database by a backup: the service stops, restores it, and starts again by itself.

    409 while other processes use the database, or a backup or another restore is in progress.
    """
    return await view.storage.restore_orders.take_order(name, stamp=view.stamp(caller))
