"""Migrations: equal to the tables, safe to repeat, never backwards."""

import shutil
import sqlite3
import subprocess
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from lamplighter.errors import SchemaTooNew
from lamplighter.model.record_search import RecordFilter, RecordOrder, SortKey
from lamplighter.rules.records import search_query
from lamplighter.rules.schedule import reasons
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import tallies
from lamplighter.store.records import record_search
from lamplighter.store.schema import migrate, postgres_script, tables
from lamplighter.store.schema.record_text_ddl import is_other_than_text
from tests.servers import postgres
from tests.store.schema.old_rows import NOW, OLD_ROWS, first_schema_with_a_record, insert

pytestmark = pytest.mark.migrates


def _differences(connection: sa.Connection) -> list[object]:
    opts = {"compare_type": True, "compare_server_default": False, "include_name": is_other_than_text}
    context = MigrationContext.configure(connection, opts=opts)
    return list(compare_metadata(context, tables.metadata))


async def test_migrations_lead_to_exactly_the_tables(empty_db: Database) -> None:
    async with empty_db.exclusive() as connection:
        await connection.run_sync(migrate.migrate_to, "head")
        differences = await connection.run_sync(_differences)

    assert differences == []


async def test_upgrading_twice_changes_nothing(db: Database) -> None:
    before = await migrate.current(db)

    await migrate.upgrade(db)

    assert await migrate.current(db) == before == migrate.head()


async def test_a_newer_schema_is_refused_by_name(db: Database) -> None:
    async with db.exclusive() as connection:
        await connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(SchemaTooNew, match="9999"):
        await migrate.upgrade(db)


async def test_the_script_for_postgresql_can_be_applied_twice(postgres_db: str) -> None:
    async with Database(postgres_db) as db:
        for _ in range(2):
            async with db.exclusive() as connection:
                raw = await connection.get_raw_connection()
                driver = raw.driver_connection
                assert driver is not None
                await driver.execute(postgres_script.text().replace("BEGIN;", "").replace("COMMIT;", ""))

        async with db.read() as connection:
            differences = await connection.run_sync(_differences)

        assert differences == []
        assert await migrate.current(db) == migrate.head()


async def test_the_script_brings_an_older_schema_with_rows_to_the_newest(postgres_db: str) -> None:
    async with Database(postgres_db) as db:
        async with db.exclusive() as connection:
            await connection.run_sync(first_schema_with_a_record)
            driver = (await connection.get_raw_connection()).driver_connection  # type: ignore[attr-defined]
            await driver.execute(postgres_script.text().replace("BEGIN;", "").replace("COMMIT;", ""))

        async with db.read() as connection:
            differences = await connection.run_sync(_differences)
            kept = (await connection.execute(sa.text("SELECT revision, is_listed, missing_count FROM records"))).one()
            job = (await connection.execute(sa.select(tables.crawl_jobs))).one()

    assert differences == []
    assert tuple(kept) == (1, False, 0)
    assert job.last_run_at is not None
    assert (job.last_outcome, job.last_drifted) == ("warn", False)


async def test_records_of_an_older_schema_are_kept_and_pages_are_read_once_more(empty_db: Database) -> None:
    async with empty_db.exclusive() as connection:
        await connection.run_sync(first_schema_with_a_record)

    await migrate.upgrade(empty_db)

    async with empty_db.read() as connection:
        differences = await connection.run_sync(_differences)
        kept = (await connection.execute(sa.select(tables.records))).one()
        page = (await connection.execute(sa.select(tables.pages))).one()
    assert differences == []
    assert (kept.title, kept.revision, kept.is_listed, kept.gone_at) == ("Lamplighter", 1, False, None)
    assert page.content_hash is None


async def _found(connection: Connection, typed: str) -> int:
    wanted = RecordFilter(text=search_query.parse(typed))
    return (await record_search.find(connection, wanted, RecordOrder(by=SortKey.RELEVANCE))).total


async def test_what_pages_of_an_older_schema_have_is_their_first_version(empty_db: Database) -> None:
    twin = OLD_ROWS["pages"] | {"url_key": "'k2'", "url": "'https://a.example/2'"}
    held = {"body_hash": "'same'", "fetched_at": NOW, "size_bytes": "99"}
    rows = {"pages": OLD_ROWS["pages"] | held | {"body_key": "'0a:7:12'"}}
    async with empty_db.exclusive() as connection:
        await connection.run_sync(first_schema_with_a_record, rows)
        await connection.run_sync(insert, "pages", twin | held | {"body_key": "'0b:0:12'"})

    await migrate.upgrade(empty_db)

    async with empty_db.read() as connection:
        body = (await connection.execute(sa.select(tables.bodies))).one()
        versions = (await connection.execute(sa.select(tables.page_versions).order_by("page_id"))).all()
        keys = set(await connection.scalars(sa.select(tables.pages.c.body_key)))
    assert (body.hash, body.key, body.segment, body.stored_bytes, body.size_bytes) == ("same", "0a:7:12", "0a", 12, 99)
    assert [(one.page_id, one.number, one.body_id, one.superseded_at) for one in versions] == [
        (1, 1, body.id, None),
        (2, 1, body.id, None),
    ]
    assert keys == {"0a:7:12"}


async def test_records_of_an_older_schema_can_be_searched(empty_db: Database) -> None:
    async with empty_db.exclusive() as connection:
        await connection.run_sync(first_schema_with_a_record)

    await migrate.upgrade(empty_db)

    async with empty_db.read() as connection:
        assert await _found(connection, "lamplighter") == 1
        price = await connection.scalar(sa.select(tables.records.c.price))
    assert price == 2.5


_TEXT_OBJECTS = """
    SELECT proname, prosrc FROM pg_proc WHERE proname LIKE 'record_text%'
    UNION ALL SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname LIKE 'record_text%'
    UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'record_text'
    UNION ALL SELECT relname, array_to_string(reloptions, ',') FROM pg_class WHERE relname = 'records'
    ORDER BY 1, 2"""


async def test_the_script_makes_records_searchable_as_the_migrations_do(postgres_db: str, postgres_url: str) -> None:
    async with postgres.fresh_database(postgres_url) as other, Database(postgres_db) as one, Database(other) as two:
        await migrate.upgrade(one)
        async with two.exclusive() as connection:
            await connection.run_sync(first_schema_with_a_record)
            driver = (await connection.get_raw_connection()).driver_connection  # type: ignore[attr-defined]
            await driver.execute(postgres_script.text().replace("BEGIN;", "").replace("COMMIT;", ""))

        async with one.read() as migrated, two.read() as scripted:
            objects = [(await db.execute(sa.text(_TEXT_OBJECTS))).all() for db in (migrated, scripted)]
            found = await _found(scripted, "lamplighter")

    assert objects[0] == objects[1] != []
    assert found == 1


async def test_sources_and_jobs_of_an_older_schema_keep_their_intervals_and_learn_their_hosts(
    empty_db: Database,
) -> None:
    async with empty_db.exclusive() as connection:
        await connection.run_sync(first_schema_with_a_record)

    await migrate.upgrade(empty_db)

    async with empty_db.read() as connection:
        source = (await connection.execute(sa.select(tables.sources))).one()
        job = (await connection.execute(sa.select(tables.crawl_jobs))).one()
        began = await connection.scalar(sa.select(tables.crawl_runs.c.started_at))
    assert job.last_run_at == began is not None
    assert (source.interval_seconds, source.recurring, source.policy, source.windows) == (60, True, None, [])
    assert (job.interval_seconds, job.recurring, job.host_id, job.cost, job.state) == (60, True, 1, 1.0, "scheduled")
    assert reasons.sentence(job.next_run_reason) == "planned by an earlier version"


async def test_jobs_of_an_older_schema_know_how_their_latest_run_ended(empty_db: Database) -> None:
    run = OLD_ROWS["crawl_runs"]
    others = [
        run | {"number": "2", "outcome": "'fail'", "has_drifted": "true"},
        run | {"number": "3", "outcome": "'cancelled'"},
        run | {"number": "4", "outcome": "'ok'", "trigger": "'tasks'"},
        {name: value for name, value in run.items() if name not in ("finished_at", "outcome")} | {"number": "5"},
    ]
    never_ran = OLD_ROWS["crawl_jobs"] | {"public_id": "'j2'", "source_id": "2"}
    never_asked = OLD_ROWS["sources"] | {"public_id": "'s2'", "url": "'https://b.example/'"}
    async with empty_db.exclusive() as connection:
        await connection.run_sync(first_schema_with_a_record)
        await connection.run_sync(migrate.migrate_to, "0011")
        for row in others:
            await connection.run_sync(insert, "crawl_runs", row | {"public_id": f"'n{row['number']}'"})
        await connection.run_sync(insert, "sources", never_asked)
        await connection.run_sync(insert, "crawl_jobs", never_ran)

    await migrate.upgrade(empty_db)

    async with empty_db.read() as connection:
        jobs = (await connection.execute(sa.select(tables.crawl_jobs).order_by(tables.crawl_jobs.c.id))).all()
    assert [(job.last_outcome, job.last_drifted) for job in jobs] == [("fail", True), (None, False)]


async def test_only_jobs_of_an_older_schema_that_ran_well_or_found_something_have_their_baseline(
    empty_db: Database,
) -> None:
    def older(connection: sa.Connection) -> None:
        first_schema_with_a_record(connection)
        migrate.migrate_to(connection, "0020")
        for number, outcome in enumerate(("'fail'", "NULL", "'ok'"), 2):
            source = {"public_id": f"'s{number}'", "url": f"'https://s{number}.example/'"}
            job = {"public_id": f"'j{number}'", "source_id": f"{number}", "last_outcome": outcome, "last_run_at": NOW}
            insert(connection, "sources", OLD_ROWS["sources"] | source)
            insert(connection, "crawl_jobs", OLD_ROWS["crawl_jobs"] | job)

    async with empty_db.exclusive() as connection:
        await connection.run_sync(older)

    await migrate.upgrade(empty_db)

    async with empty_db.read() as connection:
        jobs = (await connection.execute(sa.select(tables.crawl_jobs).order_by(tables.crawl_jobs.c.id))).all()
    assert [job.baseline_at is not None for job in jobs] == [True, False, False, True]


def _an_older_schema_with_tasks(connection: sa.Connection) -> None:
    first_schema_with_a_record(connection)
    migrate.migrate_to(connection, "0021")
    other = {"url_key": "'k2'", "url": "'https://a.example/2'"}
    insert(connection, "pages", OLD_ROWS["pages"] | other)
    for page_id, frequency in (("1", "3600"), ("2", "NULL")):
        task = {"page_id": page_id, "frequency_seconds": frequency, "priority": "50", "scheduled_at": NOW}
        insert(connection, "page_orders", task | {"created_by": "'system'"})


async def _recurring(db: Database) -> list[bool]:
    async with db.read() as connection:
        orders = tables.page_orders
        return list(await connection.scalars(sa.select(orders.c.is_recurring).order_by(orders.c.page_id)))


async def test_tasks_of_an_older_schema_recur_if_they_have_a_frequency(empty_db: Database) -> None:
    async with empty_db.exclusive() as connection:
        await connection.run_sync(_an_older_schema_with_tasks)

    await migrate.upgrade(empty_db)

    assert await _recurring(empty_db) == [True, False]


async def test_the_script_leaves_tasks_of_the_newest_schema_as_they_are(postgres_db: str) -> None:
    script = postgres_script.text().replace("BEGIN;", "").replace("COMMIT;", "")
    async with Database(postgres_db) as db:
        async with db.exclusive() as connection:
            await connection.run_sync(_an_older_schema_with_tasks)
            driver = (await connection.get_raw_connection()).driver_connection  # type: ignore[attr-defined]
            await driver.execute(script)
        before = await _recurring(db)
        async with db.exclusive() as connection:
            await connection.execute(sa.update(tables.page_orders).values(is_recurring=False))
            driver = (await connection.get_raw_connection()).driver_connection  # type: ignore[attr-defined]
            await driver.execute(script)
        after = await _recurring(db)

    assert (before, after) == ([True, False], [False, False])


def _an_older_schema_with_a_deleted_source(connection: sa.Connection) -> None:
    first_schema_with_a_record(connection)
    migrate.migrate_to(connection, "0013")
    deleted = {"public_id": "'s2'", "url": "'https://b.example/'", "deleted_at": NOW}
    insert(connection, "sources", OLD_ROWS["sources"] | deleted)
    insert(connection, "crawl_jobs", OLD_ROWS["crawl_jobs"] | {"public_id": "'j2'", "source_id": "2"})


async def _tallied(db: Database) -> tuple[int, dict[bool, int], bool]:
    """How many sources there are, how many jobs that are listed or not, and whether that is right."""
    async with db.read() as connection:
        jobs = {each.is_shown: number for each, number in (await tallies.jobs(connection)).items()}
        are_right = await tallies.are_right(connection, since=datetime(1970, 1, 1, tzinfo=UTC))
        return await tallies.sources(connection), jobs, are_right


async def test_what_an_older_schema_holds_is_tallied(empty_db: Database) -> None:
    async with empty_db.exclusive() as connection:
        await connection.run_sync(_an_older_schema_with_a_deleted_source)

    await migrate.upgrade(empty_db)

    assert await _tallied(empty_db) == (1, {True: 1, False: 1}, True)


async def test_the_script_tallies_what_an_older_schema_holds(postgres_db: str) -> None:
    async with Database(postgres_db) as db:
        async with db.exclusive() as connection:
            await connection.run_sync(_an_older_schema_with_a_deleted_source)
            driver = (await connection.get_raw_connection()).driver_connection  # type: ignore[attr-defined]
            await driver.execute(postgres_script.text().replace("BEGIN;", "").replace("COMMIT;", ""))

        assert await _tallied(db) == (1, {True: 1, False: 1}, True)


@pytest.mark.skipif(shutil.which("psql") is None, reason="psql is missing: apt-get install postgresql-client")
def test_psql_accepts_the_script_twice(postgres_url: str) -> None:
    url = sa.make_url(postgres_url).set(drivername="postgresql").render_as_string(hide_password=False)

    for _ in range(2):
        applied = subprocess.run(
            ["psql", "--quiet", "--set", "ON_ERROR_STOP=1", url],
            input=postgres_script.text(),
            capture_output=True,
            text=True,
        )
        assert applied.returncode == 0, applied.stderr


async def test_an_sqlite_database_is_backed_up_before_it_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "lamplighter.db"
    with sqlite3.connect(path) as old:
        old.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        old.execute("CREATE TABLE keepsake (word TEXT)")
        old.execute("INSERT INTO keepsake VALUES ('lamp')")
    old.close()
    async with Database(f"sqlite:///{path}") as db:
        backup = await migrate.upgrade(db)

    assert backup is not None
    with sqlite3.connect(backup) as copy:
        assert copy.execute("SELECT word FROM keepsake").fetchall() == [("lamp",)]
    copy.close()


def test_the_newest_schema_is_that_of_the_last_migration() -> None:
    scripts = ScriptDirectory(str(files("lamplighter.store") / "migrations"))

    assert migrate.head() == scripts.get_current_head()
