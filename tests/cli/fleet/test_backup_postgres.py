"""Backups of a PostgreSQL database by its own programs, and the way back from one."""

import asyncio
import json
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from lamplighter.errors import NotPossible
from lamplighter.store.backup import postgres_backup, postgres_programs, restore_marker
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import upkeep
from lamplighter.store.fleet.upkeep import Upkeep
from lamplighter.store.jobs import tallies
from lamplighter.store.schema import migrate
from tests.cli.conftest import Answer, Lamplighter
from tests.moments import NOON
from tests.servers import postgres

URL = "https://quay.example/jobs"
#: nobody needs it: the server of the tests trusts everybody on this machine
PASSWORD = "canary-hunter2"
On = Callable[..., Answer]


@pytest.fixture
def server(postgres_url: str) -> Iterator[Callable[..., str]]:
    """Makes databases, empty or with all tables."""
    made: list[str] = []

    def make(like: str | None = None) -> str:
        made.append(asyncio.run(postgres.create_database(postgres_url, like=like)))
        return made[-1].replace("://lamplighter@", f"://lamplighter:{PASSWORD}@")

    yield make
    for url in made:
        asyncio.run(postgres.drop_database(url))


@pytest.fixture
def on(lamplighter: Lamplighter) -> On:
    """Runs a command on a database."""
    return lambda url, *words: lamplighter(*words, LAMPLIGHTER_DATABASE_URL=url)


def _tables(url: str) -> list[str]:
    async def work() -> list[str]:
        async with Database(url) as db, db.read() as reading:
            names = await reading.scalars(sa.text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"))
            return sorted(names)

    return asyncio.run(work())


def _tallied(url: str) -> tuple[int, bool]:
    """How many sources there are without counting them, and whether that is right."""

    async def work() -> tuple[int, bool]:
        async with Database(url) as db, db.read() as reading:
            return await tallies.sources(reading), await tallies.are_right(reading, since=NOON)

    return asyncio.run(work())


def test_a_dump_comes_back_in_another_database(
    on: On, server: Callable[..., str], migrated_postgres: str, tmp_path: Path
) -> None:
    first, second = server(migrated_postgres), server()
    on(first, "sources", "add", URL)

    saved = on(first, "db", "backup")
    made = Path(saved.out.strip())
    tried = on(second, "db", "restore", made, "--dry-run")
    restored = on(second, "db", "restore", made)

    said = json.loads(made.with_name(made.name + ".json").read_text())
    assert (saved.code, tried.code, restored.code) == (0, 0, 0), restored.err
    assert made.parent == tmp_path / "data" / "backups"
    assert (stat.S_IMODE(made.stat().st_mode), said["schema"]) == (0o600, migrate.head())
    assert [source["url"] for source in on(second, "sources", "list", "--json").json] == [URL]
    assert _tables(first) == _tables(second)
    on(second, "sources", "add", URL + "/2")
    assert _tallied(second) == (2, True)


def test_a_restore_that_died_right_after_its_commit_is_settled_by_whoever_comes_next(
    on: On, server: Callable[..., str], migrated_postgres: str
) -> None:
    first, second = server(migrated_postgres), server()
    on(first, "sources", "add", URL)
    made = Path(on(first, "db", "backup").out.strip())
    asyncio.run(_put_back(second, made))
    by_then = _tables(second)

    listed = on(second, "sources", "list", "--json")

    assert [source["url"] for source in listed.json] == [URL]
    assert set(by_then) - set(_tables(first)) == {restore_marker.TABLE}
    assert _tables(second) == _tables(first)
    assert _settled_from(second) == made.name


async def _put_back(url: str, backup: Path) -> None:
    """Restores without what comes after."""
    async with Database(url) as db:
        await postgres_backup.put_back(db, backup)


def _settled_from(url: str) -> str:
    async def work() -> str:
        async with Database(url) as db, db.read() as reading:
            noted = await upkeep.last(reading, Upkeep.RESTORE)
            assert noted is not None
            return str(noted.figures["backup"])

    return asyncio.run(work())


def test_a_database_that_is_not_empty_is_replaced_only_when_that_is_said(
    on: On, server: Callable[..., str], migrated_postgres: str, tmp_path: Path
) -> None:
    url = server(migrated_postgres)
    on(url, "db", "backup", tmp_path / "saved.dump")
    on(url, "sources", "add", URL)

    refused = on(url, "db", "restore", tmp_path / "saved.dump")
    before = on(url, "sources", "list", "--json").json
    replaced = on(url, "db", "restore", tmp_path / "saved.dump", "--replace")

    assert (refused.code, "--replace" in refused.err, len(before)) == (1, True, 1)
    assert (replaced.code, on(url, "sources", "list", "--json").json) == (0, []), replaced.err
    assert _tallied(url) == (0, True)


def test_a_restore_that_fails_half_way_changes_nothing(
    on: On, server: Callable[..., str], migrated_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server(migrated_postgres)
    on(url, "sources", "add", URL)
    on(url, "db", "backup", tmp_path / "saved.dump")
    monkeypatch.setattr(postgres_backup, "EMPTY", "DROP TABLE records CASCADE;")

    answer = on(url, "db", "restore", tmp_path / "saved.dump", "--replace")

    assert (answer.code, "already exists" in answer.err) == (1, True)
    assert "records" in _tables(url)
    assert len(on(url, "sources", "list", "--json").json) == 1


@pytest.mark.parametrize(
    "spoil", [lambda dump: dump[: len(dump) // 2], lambda dump: b"PGDMP" + dump[5:99], lambda _: b""]
)
def test_a_dump_that_is_not_whole_is_refused(
    on: On, server: Callable[..., str], migrated_postgres: str, tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    url, file = server(migrated_postgres), tmp_path / "saved.dump"
    on(url, "db", "backup", file)
    file.write_bytes(spoil(file.read_bytes()))

    answer = on(url, "db", "restore", file, "--replace")

    assert answer.code == 2
    assert "is no backup of Lamplighter" in answer.err
    assert len(_tables(url)) > 10


def test_a_database_in_use_or_with_tables_of_others_is_left_alone(
    on: On, server: Callable[..., str], migrated_postgres: str, tmp_path: Path
) -> None:
    url, shared = server(migrated_postgres), server()
    on(url, "db", "backup", tmp_path / "saved.dump")
    asyncio.run(postgres.command(shared, "CREATE TABLE payroll (name text)"))

    async def restore_while_open() -> Answer:
        async with Database(url) as db, db.read() as reading:
            await reading.scalar(sa.text("SELECT 1"))
            return await asyncio.to_thread(on, url, "db", "restore", tmp_path / "saved.dump", "--replace")

    in_use = asyncio.run(restore_while_open())
    foreign = on(shared, "db", "restore", tmp_path / "saved.dump", "--replace")

    assert (in_use.code, "is in use" in in_use.err) == (1, True)
    assert (foreign.code, "payroll" in foreign.err) == (1, True)


def test_a_backup_of_the_other_kind_of_database_is_refused(
    on: On, lamplighter: Lamplighter, server: Callable[..., str], migrated_postgres: str, tmp_path: Path
) -> None:
    url = server(migrated_postgres)
    on(url, "db", "backup", tmp_path / "saved.dump")
    lamplighter("db", "upgrade")
    lamplighter("db", "backup", tmp_path / "saved.db")

    to_sqlite, to_postgres = (
        lamplighter("db", "restore", tmp_path / "saved.dump"),
        on(url, "db", "restore", tmp_path / "saved.db", "--replace"),
    )

    assert "is a backup of PostgreSQL" in to_sqlite.err
    assert "is a backup of SQLite" in to_postgres.err


def test_j9_the_password_is_neither_on_a_command_line_nor_in_what_is_said(
    on: On, server: Callable[..., str], migrated_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server(migrated_postgres)
    started: list[str] = []
    start = asyncio.create_subprocess_exec

    async def noted(*words: object, **options: object) -> object:
        started.extend(map(str, words))
        return await start(*words, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    made = Path(on(url, "db", "backup").out.strip())
    answers = [
        on(url, "db", "restore", made, "--replace"),
        on(url, "db", "restore", made),
        on(f"{url}_missing", "db", "backup"),
    ]

    assert any("pg_dump" in word for word in started)
    assert PASSWORD not in " ".join(started)
    assert all(PASSWORD not in answer.out + answer.err for answer in answers)
    assert PASSWORD not in made.with_name(made.name + ".json").read_text()
    assert PASSWORD.encode() not in made.read_bytes()


async def test_a_program_older_than_the_server_is_refused_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(NotPossible, match="the server of version 999"):
        await postgres_programs.program("pg_dump", server=999)

    monkeypatch.setattr(postgres_programs, "DEBIAN", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotPossible, match="postgresql-client"):
        await postgres_programs.program("pg_dump", server=15)


def test_what_a_url_says_reaches_the_programs_through_their_environment() -> None:
    url = sa.make_url("postgresql+asyncpg://lamp:p%40ss@db.example:5433/lamps?ssl=require")

    said = postgres_programs.environment(url)

    wanted = {"PGHOST": "db.example", "PGPORT": "5433", "PGUSER": "lamp", "PGPASSWORD": "p@ss", "PGDATABASE": "lamps"}
    assert wanted.items() <= said.items()
    assert said["PGSSLMODE"] == "require"


#: restores, and is dead where the rows of the first table would come: what psql has heard by then is whole statements
DYING = """
import asyncio, os, sys, lamplighter.store.engine.database as database
from pathlib import Path
import sqlalchemy as sa, lamplighter.store.backup.postgres_backup as postgres_backup

ROWS = b"FROM stdin;\\n"
COPIES = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%'"
db, write = database.Database(sys.argv[1]), asyncio.StreamWriter.write


def write_up_to_the_rows(writer, data):
    before, rows, _ = data.partition(ROWS)
    write(writer, before + rows)
    writer.is_last = bool(rows)


async def die_when_rows_are_waited_for(writer):
    while writer.is_last:
        await asyncio.sleep(0.05)
        async with db.read() as reading:
            if await reading.scalar(sa.text(COPIES)):
                os._exit(9)


async def work():
    async with db:
        await postgres_backup.put_back(db, Path(sys.argv[2]))


asyncio.StreamWriter.write, asyncio.StreamWriter.drain = write_up_to_the_rows, die_when_rows_are_waited_for
asyncio.run(work())
"""


async def _wait_until_unused(url: str) -> None:
    async with Database(url) as db:
        for _ in range(600):
            try:
                return await postgres_backup.refuse_while_used(db)
            except NotPossible:
                await asyncio.sleep(0.1)
        return await postgres_backup.refuse_while_used(db)


def test_who_is_killed_half_way_leaves_everything_as_it_was(
    on: On, server: Callable[..., str], migrated_postgres: str
) -> None:
    url = server(migrated_postgres)
    saved = on(url, "db", "backup").out.strip()
    on(url, "sources", "add", URL)

    died = subprocess.run([sys.executable, "-c", DYING, url, saved], check=False)
    asyncio.run(_wait_until_unused(url))

    assert died.returncode == 9
    assert [source["url"] for source in on(url, "sources", "list", "--json").json] == [URL]
