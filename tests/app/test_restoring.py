"""What becomes of an ordered restore that cannot be carried out."""

import os
from pathlib import Path

import pytest

from lamplighter import app
from lamplighter.app import restoring
from lamplighter.operations.backup import backups
from lamplighter.operations.backup.restore_orders import RestoreOrder
from lamplighter.operations.fleet import instances
from lamplighter.store.backup import sqlite_backup
from tests.moments import NOON
from tests.service.in_process import quick_settings


async def test_while_somebody_has_the_database_open_everything_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restoring, "APART_SECONDS", 0)
    monkeypatch.setattr(sqlite_backup, "LOCK_PATIENCE_SECONDS", 0)
    settings = quick_settings(tmp_path)
    async with app.open_service(settings) as service:
        made = await backups.make(service.db, service.storing.backup_maker.backup_folder, now=NOON)
        order = RestoreOrder(backup=await backups.check(service.db, made.path), ordered_by="anna", since=NOON)

        trouble = await restoring.restore(settings, order)

        async with service.db.read() as db:
            assert await instances.everyone(db, now=NOON) == []
    assert trouble is not None
    assert "is in use" in trouble
    assert not [name for name in os.listdir(tmp_path) if "before-restore" in name]
