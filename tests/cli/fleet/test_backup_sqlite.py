"""Backups of an SQLite database, and the way back from one."""

import asyncio
import json
import shutil
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lamplighter import __version__
from lamplighter.adapters.key_ring import KeyFile
from lamplighter.settings import load
from lamplighter.store.access import secrets
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import migrate
from tests.cli.conftest import Lamplighter

URL = "https://quay.example/jobs"


@pytest.fixture
def database(environment: dict[str, str], migrated_file: Path) -> Path:
    """An empty database with all tables."""
    path = Path(environment["LAMPLIGHTER_DATA_DIR"]) / "lamplighter.db"
    path.parent.mkdir(parents=True)
    shutil.copyfile(migrated_file, path)
    return path


def test_what_was_removed_after_a_backup_comes_back_with_it(
    lamplighter: Lamplighter, database: Path, tmp_path: Path
) -> None:
    lamplighter("sources", "add", URL)
    saved = lamplighter("db", "backup", tmp_path / "saved.db")
    lamplighter("sources", "remove", URL, "--yes")

    restored = lamplighter("db", "restore", tmp_path / "saved.db")

    assert (saved.code, restored.code) == (0, 0)
    assert [source["url"] for source in lamplighter("sources", "list", "--json").json] == [URL]
    assert database.with_name("lamplighter.db.before-restore").exists()


def test_it_is_said_what_was_carried_over_and_what_is_lost(
    lamplighter: Lamplighter, database: Path, tmp_path: Path
) -> None:
    lamplighter("db", "backup", tmp_path / "saved.db")
    lamplighter("hosts", "takedown", "quay.example")

    carried = lamplighter("db", "restore", tmp_path / "saved.db")
    database.write_bytes(b"SQLite format 3\0" + b"\xff" * 8000)
    lost = lamplighter("db", "restore", tmp_path / "saved.db")

    assert "Carried over from the replaced database: takedowns 1." in carried.err
    assert (lost.code, "the replaced database cannot be read" in " ".join(lost.err.split())) == (0, True)


def test_a_backup_finds_a_place_of_its_own_and_never_overwrites(lamplighter: Lamplighter, database: Path) -> None:
    first, second = (Path(lamplighter("db", "backup").out.strip()) for _ in range(2))
    again = lamplighter("db", "backup", first)

    assert first.parent == second.parent == database.with_name("backups")
    assert first != second
    assert again.code == 2


def test_a_backup_is_private_whole_and_says_what_it_is(lamplighter: Lamplighter, database: Path) -> None:
    answer = lamplighter("db", "backup")

    made = Path(answer.out.strip())
    said = json.loads(made.with_name(made.name + ".json").read_text())
    assert sorted(path.name for path in made.parent.iterdir()) == [made.name, f"{made.name}.json"]
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert (said["schema"], said["version"]) == (migrate.head(), __version__)
    assert datetime.now(UTC) - datetime.fromisoformat(said["made_at"]) < timedelta(minutes=5)
    assert str(database.with_name("keys")) in answer.err


def test_the_newest_backups_are_kept_and_files_of_others_are_left_alone(
    lamplighter: Lamplighter, database: Path
) -> None:
    folder = database.with_name("backups")
    folder.mkdir()
    (folder / "mine-20200101T000000Z.db").write_text("mine")
    (folder / "lamplighter-notes.db").write_text("notes")

    made = [Path(lamplighter("db", "backup", LAMPLIGHTER_KEEP_BACKUPS="2").out.strip()) for _ in range(4)]

    left = {path.name for path in folder.iterdir() if path.suffix != ".json"}
    assert left == {made[2].name, made[3].name, "mine-20200101T000000Z.db", "lamplighter-notes.db"}
    assert len(list(folder.glob("*.json"))) == 2


def test_without_a_database_there_is_nothing_to_back_up(lamplighter: Lamplighter, tmp_path: Path) -> None:
    assert lamplighter("db", "backup").code == 1
    assert not (tmp_path / "data" / "lamplighter.db").exists()


def test_a_dry_run_says_what_could_be_done_and_does_nothing(
    lamplighter: Lamplighter, database: Path, tmp_path: Path
) -> None:
    lamplighter("db", "backup", tmp_path / "saved.db")
    before = sorted(path.name for path in database.parent.iterdir())

    answer = lamplighter("db", "restore", tmp_path / "saved.db", "--dry-run")

    assert (answer.code, "could be restored" in answer.out) == (0, True)
    assert sorted(path.name for path in database.parent.iterdir()) == before


def test_a_dry_run_looks_into_a_backup_beside_a_running_service(
    lamplighter: Lamplighter, database: Path, tmp_path: Path
) -> None:
    lamplighter("db", "backup", tmp_path / "saved.db")

    with closing(sqlite3.connect(database)) as service:
        service.execute("SELECT count(*) FROM sources").fetchone()
        tried = lamplighter("db", "restore", tmp_path / "saved.db", "--dry-run")
        restored = lamplighter("db", "restore", tmp_path / "saved.db")

    assert (tried.code, restored.code) == (0, 1)
    assert "could be restored, with the service stopped; nothing was changed." in tried.out
    assert "is in use; stop the service first" in restored.err


def test_a_restored_database_is_as_private_as_its_backup(
    lamplighter: Lamplighter, database: Path, tmp_path: Path
) -> None:
    lamplighter("db", "backup", tmp_path / "saved.db")

    lamplighter("db", "restore", tmp_path / "saved.db")

    assert stat.S_IMODE(database.stat().st_mode) == 0o600


def test_every_replaced_database_is_kept(lamplighter: Lamplighter, database: Path, tmp_path: Path) -> None:
    lamplighter("db", "backup", tmp_path / "saved.db")

    for _ in range(2):
        lamplighter("db", "restore", tmp_path / "saved.db")

    kept = sorted(path.name for path in database.parent.iterdir() if "before-restore" in path.name)
    assert kept == ["lamplighter.db.before-restore", "lamplighter.db.before-restore-2"]
    assert not list(database.parent.glob("*.restoring*"))


def test_a_backup_of_a_newer_program_is_refused(lamplighter: Lamplighter, database: Path, tmp_path: Path) -> None:
    lamplighter("db", "backup", tmp_path / "saved.db")
    with sqlite3.connect(tmp_path / "saved.db") as saved:
        saved.execute("UPDATE alembic_version SET version_num = '9999'")
    saved.close()

    answer = lamplighter("db", "restore", tmp_path / "saved.db")

    assert answer.code == 1
    assert "9999" in answer.err
    assert not list(database.parent.glob("*before-restore*"))


def test_after_a_restore_without_the_keys_it_is_said_which_secrets_cannot_be_read(
    lamplighter: Lamplighter, database: Path, tmp_path: Path
) -> None:
    asyncio.run(_store_secret(database))
    lamplighter("db", "backup", tmp_path / "saved.db")
    with_keys = lamplighter("db", "restore", tmp_path / "saved.db")
    database.with_name("keys").unlink()

    without = lamplighter("db", "restore", tmp_path / "saved.db")

    assert "Warning" not in with_keys.err
    assert "no key opens 1 stored secrets" in without.err
    assert "harbour" in without.err


async def _store_secret(database: Path) -> None:
    vault = KeyFile(database.with_name("keys"))
    async with Database(f"sqlite:///{database}") as db:
        await db.write(
            lambda writing: secrets.put(writing, "harbour", vault.encrypt("wick"), hosts=[], now=datetime.now(UTC))
        )


@pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\0" + bytes(100), None])
def test_a_file_that_is_no_backup_is_refused(
    lamplighter: Lamplighter, database: Path, tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "file.db").write_bytes(content)
    before = database.read_bytes()

    answer = lamplighter("db", "restore", tmp_path / "file.db")

    assert answer.code == 2
    assert database.read_bytes() == before


def test_the_database_of_another_program_is_refused(lamplighter: Lamplighter, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE things (name)")
    other.close()

    answer = lamplighter("db", "restore", tmp_path / "other.db")

    assert answer.code == 2
    assert "is no backup of Lamplighter" in answer.err


def test_a_database_in_use_is_not_replaced(lamplighter: Lamplighter, database: Path, tmp_path: Path) -> None:
    lamplighter("db", "backup", tmp_path / "saved.db")

    async def restore_while_open() -> int:
        async with Database(load({}, data_dir=database.parent).resolved_database_url) as db:
            await migrate.current(db)
            return (await asyncio.to_thread(lamplighter, "db", "restore", tmp_path / "saved.db")).code

    assert asyncio.run(restore_while_open()) == 1
