"""What was forbidden or ended for good stays so when an older backup is restored."""

import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from lamplighter.adapters.archive.file_archive import FileArchive
from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.adapters.key_ring import KeyFile
from lamplighter.model.access import Role, Stamp
from lamplighter.model.page import Phase
from lamplighter.operations.access import api_tokens
from lamplighter.operations.backup import backups
from lamplighter.operations.backup.backups import RestoreResult
from lamplighter.operations.hosts import purge, takedowns
from lamplighter.operations.records import records
from lamplighter.store.backup.backup_files import Backup
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.servers import postgres
from tests.store.given_rows import a_run, some_pages, write
from tests.store.records.given_records import found, posting, stored

LATER = NOON + timedelta(hours=1)
NOTHING = {"takedowns": 0, "sites_purged": 0, "records_removed": 0, "tokens_revoked": 0}
SITE = "https://a.example/"
TOKEN = api_tokens.make("ci", role=Role.VIEWER, stamp=Stamp("test", NOON))


@pytest.fixture
async def closed(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """A migrated database of each kind that nobody has open, and nobody has after the test."""
    if database_kind == "sqlite":
        shutil.copyfile(request.getfixturevalue("migrated_file"), tmp_path / "lamplighter.db")
        yield Database(f"sqlite:///{tmp_path / 'lamplighter.db'}")
        return
    server, like = (request.getfixturevalue(name) for name in ("postgres_url", "migrated_postgres"))
    url = await postgres.create_database(server, like=like)
    yield Database(url)
    await postgres.drop_database(url)


async def _a_site(db: Connection) -> None:
    source_id, run_id = await a_run(db)
    pages = await some_pages(db, source_id, run_id, "/1", "/2", phase=Phase.COMPLETED)
    for number, page_id in enumerate(pages):
        await stored(db, found(source_id, page_id, posting(number)))
    await api_tokens.add(db, TOKEN)


async def _backed_up(db: Database, folder: Path) -> Backup:
    """A backup of a database with a source, its running job, two records and a token."""
    async with db:
        await write(db, _a_site)
        made = await backups.make(db, backups.backup_folder_of(db, data_dir=folder, keep=3), now=NOON)
    return await backups.check(db, made.path)


async def _restored(db: Database, backup: Backup, folder: Path) -> RestoreResult:
    return await backups.restore(db, backup, vault=KeyFile(folder / "keys"), stamp=Stamp("test", LATER))


async def _all(db: Database, *what: sa.ColumnElement[object]) -> list[tuple[object, ...]]:
    async with db, db.read() as reading:
        return [tuple(row) for row in await reading.execute(sa.select(*what))]


async def test_a_takedown_stays_and_its_sources_stay_paused(closed: Database, tmp_path: Path) -> None:
    backup = await _backed_up(closed, tmp_path)
    async with closed:
        await write(closed, takedowns.add, SITE, reason="asked to", stamp=Stamp("anna", NOON))

    restored = await _restored(closed, backup, tmp_path)

    entry, job = tables.takedowns.c, tables.crawl_jobs.c
    assert restored.carried_over == NOTHING | {"takedowns": 1}
    assert await _all(closed, entry.domain_or_url, entry.reason, entry.created_at) == [(SITE, "asked to", NOON)]
    assert await _all(closed, job.state, job.pause_reason) == [("paused", "takedown")]
    assert len(await _all(closed, tables.records.c.id)) == 2


async def test_a_site_that_was_purged_is_not_there_again(closed: Database, tmp_path: Path) -> None:
    backup = await _backed_up(closed, tmp_path)
    async with closed:
        await write(closed, takedowns.add, SITE, stamp=Stamp("anna", NOON))
        await purge.purge(closed, FileArchive(tmp_path / "archive"), SITE, actor="anna", clock=DatabaseClock())

    restored = await _restored(closed, backup, tmp_path)

    assert restored.carried_over == NOTHING | {"takedowns": 1, "sites_purged": 1}
    assert await _all(closed, tables.records.c.id) == []
    assert await _all(closed, tables.pages.c.id) == []


async def test_a_site_that_was_purged_before_the_backup_and_came_back_is_left_alone(
    closed: Database, tmp_path: Path
) -> None:
    async with closed:
        await write(closed, takedowns.add, SITE, stamp=Stamp("anna", NOON))
        await purge.purge(closed, FileArchive(tmp_path / "archive"), SITE, actor="anna", clock=DatabaseClock())
        await write(closed, takedowns.remove, SITE, stamp=Stamp("anna", NOON))
    backup = await _backed_up(closed, tmp_path)

    restored = await _restored(closed, backup, tmp_path)

    assert restored.carried_over == NOTHING
    assert len(await _all(closed, tables.records.c.id)) == 2


async def test_a_record_that_was_removed_is_not_there_again(closed: Database, tmp_path: Path) -> None:
    backup = await _backed_up(closed, tmp_path)
    (_, kept), (canonical_hash, page_id) = sorted(
        await _all(closed, tables.records.c.canonical_hash, tables.records.c.page_id), key=str, reverse=True
    )
    async with closed:
        await write(closed, records.remove, canonical_hash, reason="a person asked", stamp=Stamp("anna", NOON))

    restored = await _restored(closed, backup, tmp_path)

    stone = tables.tombstones.c
    assert restored.carried_over == NOTHING | {"records_removed": 1}
    assert await _all(closed, tables.records.c.page_id) == [(kept,)]
    assert await _all(closed, stone.canonical_hash, stone.reason, stone.page_id, stone.created_at) == [
        (canonical_hash, "a person asked", page_id, NOON)
    ]


async def test_a_token_that_was_revoked_stays_void(closed: Database, tmp_path: Path) -> None:
    backup = await _backed_up(closed, tmp_path)
    async with closed:
        await write(closed, api_tokens.revoke, TOKEN.token.public_id, stamp=Stamp("anna", NOON))

    restored = await _restored(closed, backup, tmp_path)

    assert restored.carried_over == NOTHING | {"tokens_revoked": 1}
    assert await _all(closed, tables.api_tokens.c.revoked_at) == [(NOON,)]


async def test_what_the_backup_knows_is_not_carried_over(closed: Database, tmp_path: Path) -> None:
    async with closed:
        await write(closed, takedowns.add, SITE, stamp=Stamp("anna", NOON))
    backup = await _backed_up(closed, tmp_path)

    restored = await _restored(closed, backup, tmp_path)

    done = (tables.audit_log.c.action, tables.audit_log.c.after)
    assert restored.carried_over == NOTHING
    assert [after["carried_over"] for action, after in await _all(closed, *done) if action == "database.restore"] == [
        NOTHING
    ]


async def test_a_restore_into_nothing_carries_nothing_over(closed: Database, tmp_path: Path) -> None:
    backup = await _backed_up(closed, tmp_path)
    if closed.path is not None:
        closed.path.unlink()
    else:
        async with closed, closed.exclusive() as db:
            await db.run_sync(tables.metadata.drop_all)

    restored = await _restored(closed, backup, tmp_path)

    assert restored.carried_over == NOTHING
    assert len(await _all(closed, tables.records.c.id)) == 2


async def test_a_database_that_cannot_be_read_is_replaced_all_the_same(closed: Database, tmp_path: Path) -> None:
    backup = await _backed_up(closed, tmp_path)
    if closed.path is not None:
        closed.path.write_bytes(b"SQLite format 3\0" + b"\xff" * 8000)
    else:
        async with closed, closed.exclusive() as db:
            await db.execute(sa.text("ALTER TABLE takedowns RENAME COLUMN reason TO damaged"))

    restored = await _restored(closed, backup, tmp_path)

    assert restored.carried_over is None
    assert len(await _all(closed, tables.records.c.id)) == 2
