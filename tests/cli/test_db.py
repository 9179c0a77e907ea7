"""The schema, backups and their way back."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from lamplighter.settings import load
from lamplighter.store import migrate
from lamplighter.store.database import Database
from tests.cli.conftest import Lamplighter

URL = "https://quay.example/jobs"


@pytest.fixture
def database(environment: dict[str, str]) -> Path:
    return Path(environment["LAMPLIGHTER_DATA_DIR"]) / "lamplighter.db"


def test_upgrading_creates_the_database_and_is_harmless_twice(lamplighter: Lamplighter, database: Path) -> None:
    before = lamplighter("db", "current", "--json").json
    answers = [lamplighter("db", "upgrade"), lamplighter("db", "upgrade")]

    assert before == {"current": None, "head": migrate.head()}
    assert [answer.code for answer in answers] == [0, 0]
    assert lamplighter("db", "current", "--json").json["current"] == migrate.head()
    assert database.exists()


def test_looking_does_not_create_a_database(lamplighter: Lamplighter, database: Path) -> None:
    lamplighter("db", "current")

    assert not database.exists()


def test_the_script_for_postgresql_is_printed_whole(lamplighter: Lamplighter) -> None:
    answer = lamplighter("db", "sql")

    assert answer.out == migrate.postgres_script()


def test_what_was_removed_after_a_backup_comes_back_with_it(
    lamplighter: Lamplighter, database: Path, tmp_path: Path
) -> None:
    lamplighter("sources", "add", URL)
    saved = lamplighter("db", "backup", tmp_path / "saved.db")
    lamplighter("sources", "remove", URL)

    restored = lamplighter("db", "restore", tmp_path / "saved.db")

    assert (saved.code, restored.code) == (0, 0)
    assert [source["url"] for source in lamplighter("sources", "list", "--json").json] == [URL]
    assert database.with_name("lamplighter.db.before-restore").exists()


def test_a_backup_finds_a_place_of_its_own_and_never_overwrites(lamplighter: Lamplighter) -> None:
    lamplighter("db", "upgrade")

    first = lamplighter("db", "backup")
    again = lamplighter("db", "backup", first.out.strip())

    assert Path(first.out.strip()).parent.name == "backups"
    assert again.code == 2


def test_without_a_database_there_is_nothing_to_back_up(lamplighter: Lamplighter, database: Path) -> None:
    assert lamplighter("db", "backup").code == 1
    assert not database.exists()


@pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\0" + bytes(100), None])
def test_a_file_that_is_no_backup_is_refused(
    lamplighter: Lamplighter, database: Path, tmp_path: Path, content: bytes | None
) -> None:
    lamplighter("db", "upgrade")
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
    lamplighter("db", "upgrade")
    lamplighter("db", "backup", tmp_path / "saved.db")

    async def restore_while_open() -> int:
        async with Database(load({}, data_dir=database.parent).resolved_database_url) as db:
            await migrate.current(db)
            return (await asyncio.to_thread(lamplighter, "db", "restore", tmp_path / "saved.db")).code

    assert asyncio.run(restore_while_open()) == 1


@pytest.mark.parametrize("words", [["backup"], ["restore", "file.db"]])
def test_postgresql_has_its_own_tools(lamplighter: Lamplighter, words: list[str]) -> None:
    answer = lamplighter("db", *words, LAMPLIGHTER_DATABASE_URL="postgresql+asyncpg://nobody@127.0.0.1:1/none")

    assert answer.code == 2
    assert "pg_dump" in answer.err
