"""What a search server has to be told enters the outbox by itself, whichever way a record changes or goes away."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.access import Stamp
from lamplighter.model.search_index import IndexOrder
from lamplighter.operations.records import records as record_operations
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import purging
from lamplighter.store.records import index_outbox, index_state, presence, records
from lamplighter.store.records.index_outbox import PendingDocument
from lamplighter.store.schema import postgres_script, tables
from lamplighter.store.sources import source_removal
from tests.moments import NOON
from tests.store.given_rows import a_source, write
from tests.store.records.given_records import found, posting

LATER = NOON + timedelta(hours=1)
Change = Callable[[Connection], Awaitable[object]]


async def _two_records(db: Database, *, is_on: bool = True) -> None:
    """Records 1 and 2 of source 1, of which the server was told."""
    source_id = await write(db, a_source)
    await write(db, records.put, [found(source_id, None, posting(number)) for number in (1, 2)], now=NOON)
    if is_on:
        await write(db, index_state.turn_on, "meilisearch")
    await write(db, index_outbox.clear)


async def _entered(db: Database) -> list[PendingDocument]:
    async with db.read() as connection:
        return await index_outbox.due(connection, now=LATER, limit=100)


async def _ids(db: Database) -> list[int]:
    return [each.record_id for each in await _entered(db)]


def _of_source(**values: Any) -> Change:
    return lambda db: db.execute(sa.update(tables.sources).values(**values))


def _of_second(**values: Any) -> Change:
    return lambda db: db.execute(sa.update(tables.records).where(tables.records.c.id == 2).values(**values))


async def _changed(db: Connection) -> None:
    await records.put(db, [found(1, None, posting(2, title="Another", content_hash="v2"))], now=LATER)


async def _removed(db: Connection) -> None:
    await record_operations.remove(db, f"{2:064}", reason="asked for", stamp=Stamp("test", LATER))


@pytest.mark.parametrize(
    ("change", "entered"),
    [
        pytest.param(_changed, [2], id="changed"),
        pytest.param(_of_second(gone_at=NOON), [2], id="gone"),
        pytest.param(_of_second(price=3.0), [2], id="another price"),
        pytest.param(_of_second(last_seen_at=LATER, missing_count=1, is_listed=True), [], id="seen again"),
        pytest.param(_of_second(title="Posting 2"), [], id="written as it was"),
        pytest.param(lambda db: records.touch(db, [1, 2], now=LATER), [], id="touched"),
        pytest.param(lambda db: records.delete(db, 2), [2], id="deleted"),
        pytest.param(_removed, [2], id="removed by a person"),
        pytest.param(lambda db: purging.remove(db, tables.records, [1, 2]), [1, 2], id="purged"),
        pytest.param(lambda db: source_removal.remove_some(db, 1, limit=10), [1, 2], id="removed with its source"),
        pytest.param(lambda db: db.execute(sa.delete(tables.sources)), [1, 2], id="taken along by its source"),
        pytest.param(_of_source(deleted_at=NOON), [1, 2], id="source deleted"),
        pytest.param(_of_source(name="Other"), [1, 2], id="source renamed"),
        pytest.param(_of_source(name="a.example", priority=7, updated_at=LATER), [], id="source edited otherwise"),
    ],
)
async def test_whatever_the_server_would_be_wrong_about_enters_the_outbox(
    db: Database, change: Change, entered: list[int]
) -> None:
    await _two_records(db)

    await db.write(change)

    assert await _ids(db) == entered


async def test_a_restored_source_and_a_returning_record_enter_too(db: Database) -> None:
    await _two_records(db)
    await db.write(_of_source(deleted_at=NOON))
    await db.write(_of_second(gone_at=NOON))
    await write(db, index_outbox.clear)

    await write(db, presence.revive, [2], now=LATER)
    returned = await _ids(db)
    await db.write(_of_source(deleted_at=None))

    assert (returned, await _ids(db)) == ([2], [1, 2])


async def test_nothing_enters_while_the_switch_is_off(db: Database) -> None:
    await _two_records(db, is_on=False)

    await db.write(_changed)
    await write(db, records.delete, 1)

    assert await _ids(db) == []


async def test_what_is_rolled_back_never_entered(db: Database) -> None:
    await _two_records(db)

    async def change_and_fail(connection: Connection) -> None:
        await _changed(connection)
        raise LookupError

    with pytest.raises(LookupError):
        await db.write(change_and_fail)

    assert await _ids(db) == []


async def test_a_record_that_changes_often_waits_once_and_counts_its_changes(db: Database) -> None:
    await _two_records(db)

    for title in ("A", "B", "C"):
        await db.write(_of_second(title=title))

    assert await _entered(db) == [PendingDocument(2, 3, 0)]


async def test_a_change_during_delivery_is_not_taken_for_delivered(db: Database) -> None:
    await _two_records(db)
    await write(db, index_outbox.enter, [1, 2], now=NOON)
    sent = await _entered(db)

    await db.write(_of_second(title="Another"))
    await write(db, index_outbox.settle, sent)

    assert await _entered(db) == [PendingDocument(2, 2, 0)]


async def test_a_change_voids_the_wait_for_a_task_and_the_giving_up(db: Database) -> None:
    await _two_records(db)
    await write(db, index_outbox.enter, [1, 2], now=NOON)
    one, two = await _entered(db)
    await write(db, index_outbox.wait_for, [one], ticket="7")
    given_up = {"detail": "no", "due_at": LATER, "counts": True, "parked_at": NOON}
    await write(db, index_outbox.put_off, [two], **given_up)
    waiting = await _ids(db)

    await db.write(lambda connection: connection.execute(sa.update(tables.records).values(title="Another")))

    assert (waiting, await _entered(db)) == ([], [PendingDocument(1, 2, 0), PendingDocument(2, 2, 0)])


async def test_what_was_put_off_waits_until_it_is_due_and_says_why(db: Database) -> None:
    await _two_records(db)
    await write(db, index_outbox.enter, [1], now=NOON)

    refused = await _entered(db)
    await write(db, index_outbox.put_off, refused, detail="too long", due_at=LATER, counts=True, parked_at=None)

    async with db.read() as connection:
        assert await index_outbox.due(connection, now=NOON, limit=9) == []
        assert await index_outbox.due(connection, now=LATER, limit=9) == [PendingDocument(1, 1, 1)]


async def test_the_tally_tells_what_waits_and_what_was_given_up(db: Database) -> None:
    await _two_records(db)
    await write(db, index_outbox.enter, [1, 2], now=NOON)
    _, two = await _entered(db)

    await write(db, index_outbox.put_off, [two], detail="no", due_at=NOON, counts=True, parked_at=NOON)

    async with db.read() as connection:
        assert await index_outbox.tally(connection) == (1, 1, NOON)
        assert await index_outbox.parked(connection, limit=9) == [(2, 1, NOON, "no")]


_OBJECTS = """
    SELECT proname, prosrc FROM pg_proc WHERE proname LIKE 'index_outbox%'
    UNION ALL SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname LIKE 'index_outbox%' ORDER BY 1, 2"""


async def test_the_script_for_postgresql_makes_the_same_triggers_as_the_migrations(
    postgres_db: str, migrated_postgres: str
) -> None:
    async with Database(postgres_db) as scripted, Database(migrated_postgres) as migrated:
        async with scripted.exclusive() as connection:
            driver = (await connection.get_raw_connection()).driver_connection  # type: ignore[attr-defined]
            await driver.execute(postgres_script.text().replace("BEGIN;", "").replace("COMMIT;", ""))

        found = []
        for db in (scripted, migrated):
            async with db.read() as connection:
                found.append([tuple(row) for row in await connection.execute(sa.text(_OBJECTS))])

    assert found[0] == found[1]
    assert len(found[0]) == 7


async def test_only_one_at_a_time_has_the_lease(db: Database) -> None:
    taken = [await write(db, index_state.take, who, now=NOON, until=LATER) for who in ("a", "b", "a")]
    lost = await write(db, index_state.take, "b", now=LATER, until=LATER + timedelta(hours=1))

    assert (taken, lost) == ([True, False, True], True)
    assert not await write(db, index_state.keep, "a", until=LATER)


async def test_who_leads_does_not_wait_for_the_lease_of_who_led_before(db: Database) -> None:
    await write(db, index_state.take, "round-1", now=NOON, until=LATER)

    refused = await write(db, index_state.take, "order-1", now=NOON, until=LATER)
    taken = await write(db, index_state.take, "round-2", now=NOON, until=LATER, over="round-")

    assert (refused, taken) == (False, True)


async def test_another_server_has_to_be_filled_anew(db: Database) -> None:
    turned = [await write(db, index_state.turn_on, engine) for engine in ("one", "one", "other")]

    async with db.read() as connection:
        state = await index_state.get(connection)
    assert turned == [True, False, True]
    assert (state.engine, state.ordered) == ("other", IndexOrder.REINDEX)


async def test_a_comparison_does_not_take_the_place_of_an_ordered_reindex(db: Database) -> None:
    await write(db, index_state.order, IndexOrder.REINDEX)
    await write(db, index_state.order, IndexOrder.RECONCILE)

    async with db.read() as connection:
        assert (await index_state.get(connection)).ordered is IndexOrder.REINDEX
