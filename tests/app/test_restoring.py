"""What becomes of an ordered restore that cannot be carried out."""

import os
from pathlib import Path

import pytest

from lamplighter import app
from lamplighter.app import restoring
from lamplighter.operations import backups, instances
from lamplighter.operations.restore_desk import RestoreOrder
from tests.crawl.rounds import quick_settings
from tests.moments import NOON


async def test_while_somebody_has_the_database_open_everything_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restoring, "_APART_SECONDS", 0)
    monkeypatch.setattr("lamplighter.store.sqlite_backup._LOCK_PATIENCE_SECONDS", 0)
    settings = quick_settings(tmp_path)
    async with app.open_service(settings) as service:
        made = await backups.make(service.db, service.backup_maker.shelf, now=NOON)
        order = RestoreOrder(backup=await backups.check(service.db, made.path), ordered_by="anna", since=NOON)

        trouble = await restoring.restore(settings, order)

        async with service.db.read() as db:
            assert await instances.everyone(db, now=NOON) == []
    assert trouble is not None
    assert "is in use" in trouble
    assert not [name for name in os.listdir(tmp_path) if "before-restore" in name]
