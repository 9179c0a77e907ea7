"""The search server is told of everything once it is there; whatever happens on the way, nothing is lost or doubled."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.adapters.search.search_http import SearchTimeouts
from lamplighter.crawl.records import index_deliver, index_lease, index_round
from lamplighter.errors import NotPossible
from lamplighter.model.search_index import IndexOrder
from lamplighter.store.records import index_documents, index_outbox, index_state, records
from lamplighter.store.schema import tables
from tests.contracts.search_servers import BRISK, RECORDS, Searching, many, opened, searching, server_at
from tests.moments import NOON
from tests.service.processes import Fleet
from tests.service.waiting import until
from tests.store.given_rows import a_source, write
from tests.store.records.given_records import found

SERVERS = ("meilisearch", "elasticsearch")


@pytest.fixture(params=SERVERS)
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Searching]:
    """A search server of each kind, over an empty database."""
    async with opened(request.param, request, tmp_path) as made:
        yield made


@pytest.fixture
async def meili(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Searching]:
    """Meilisearch, whose tasks are done when it pleases."""
    async with opened("meilisearch", request, tmp_path) as made:
        yield made


@pytest.fixture(autouse=True)
def without_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was refused is tried again at once, and numbers are compared in every round."""
    for name in ("FIRST_BACKOFF", "SERVER_BACKOFF"):
        monkeypatch.setattr(index_deliver, name, timedelta())
    monkeypatch.setattr(index_deliver, "PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(index_round, "COUNT_SECONDS", 0.0)


async def _tally(index: Searching) -> tuple[int, int]:
    async with index.db.read() as db:
        tally = await index_outbox.tally(db)
    return tally.pending, tally.parked


async def _is_told(index: Searching) -> bool:
    """Makes a round, and says whether nothing is left to be done."""
    assert index.round is not None
    assert index.server is not None
    await index.round.make_round()
    async with index.db.read() as db:
        ordered = (await index_state.get(db)).ordered
    return ordered is None and index.server.trouble is None and (await _tally(index))[0] == 0


async def _count(index: Searching) -> int:
    assert index.server is not None
    return await index.server.count()


async def _delete(index: Searching, number: int) -> None:
    one = tables.records.c.canonical_hash == f"{number:064}"
    await index.db.write(lambda db: db.execute(sa.delete(tables.records).where(one)))


async def _set_title(index: Searching, title: str) -> None:
    await index.db.write(lambda db: db.execute(sa.update(tables.records).values(title=title)))


async def test_i5_a_server_that_is_away_at_the_start_is_told_when_it_comes(index: Searching) -> None:
    await index.stub.stop()
    await index.keep()
    away = await index.asked(), index.server.trouble

    await index.stub.start()
    await until(lambda: _is_told(index))

    assert away[0] == ("database", [4, 3, 2, 1])
    assert away[1] is not None
    assert (await index.asked())[0] == index.stub.__class__.__name__.lower()
    assert await _count(index) == 4


async def test_i5_a_server_that_goes_away_midway_misses_nothing(index: Searching) -> None:
    await index.keep(RECORDS[:2])
    await index.stub.stop()
    await index.keep(RECORDS[2:], source="b")
    await _delete(index, 1)
    pending = await _tally(index)

    await index.stub.start()
    await until(lambda: _is_told(index))

    assert pending == (3, 0)
    engine, numbers = await index.asked()
    assert (engine != "database", numbers) == (True, [4, 3, 2])


async def test_a_server_that_was_not_filled_yet_is_not_asked(index: Searching) -> None:
    await index.keep(RECORDS[:2])
    await write(index.db, index_state.turn_on, "another one, which has something else in it")

    filling = (await index.asked())[0]
    await until(lambda: _is_told(index))

    assert (filling, (await index.asked())[0]) == ("database", index.server.engine)


async def test_a_search_waits_for_a_slow_server_once_and_not_for_long(index: Searching) -> None:
    await index.keep()
    index.stub.slow_seconds = 30
    async with AsyncExitStack() as stack:
        hasty = SearchTimeouts(search=0.2, cooldown=60)
        server = await server_at(index.stub.__class__.__name__.lower(), index.stub.url, stack, patience=hasty)
        impatient = searching(index.db, server, index.stub)
        asked = len(index.stub.seen)

        answers = [await impatient.asked() for _ in range(3)]

        assert answers == [("database", [4, 3, 2, 1])] * 3
        assert len(index.stub.seen) == asked + 1


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
async def test_a_server_that_answers_nonsense_for_a_while_is_told_later(index: Searching, status: int) -> None:
    index.stub.broken = status
    await index.keep()

    index.stub.broken = None
    await until(lambda: _is_told(index))

    assert await _count(index) == 4


async def test_i5_what_was_only_accepted_is_not_taken_for_told(meili: Searching) -> None:
    await meili.keep(RECORDS[:1])
    meili.stub.may_work.clear()

    await meili.keep(RECORDS[1:], source="b")
    async with meili.db.read() as db:
        tickets = await index_outbox.tickets(db)
    accepted = await _tally(meili)
    meili.stub.may_work.set()
    await until(lambda: _is_told(meili))

    assert (len(tickets), accepted) == (1, (3, 0))
    assert await _count(meili) == 4


async def test_a_restart_goes_on_waiting_for_the_task_and_sends_nothing_again(meili: Searching) -> None:
    await meili.keep(RECORDS[:1])
    meili.stub.may_work.clear()
    await meili.keep(RECORDS[1:], source="b")
    sent = len(meili.stub.tasks)

    async with AsyncExitStack() as stack:
        server = await server_at("meilisearch", meili.stub.url, stack, patience=BRISK)
        restarted = searching(meili.db, server, meili.stub)
        meili.stub.may_work.set()
        await until(lambda: _is_told(restarted))

        assert len(meili.stub.tasks) == sent
        assert await _count(restarted) == 4


async def test_a_task_that_the_server_forgot_is_sent_again(meili: Searching) -> None:
    await meili.keep(RECORDS[:1])
    meili.stub.may_work.clear()
    await meili.keep(RECORDS[1:], source="b")

    meili.stub.wipe()
    meili.stub.may_work.set()
    await until(lambda: _is_told(meili))

    assert (await meili.asked()) == ("meilisearch", [4, 3, 2, 1])


async def test_i5_a_task_that_fails_for_the_servers_own_reasons_is_tried_until_it_succeeds(meili: Searching) -> None:
    await meili.keep(RECORDS[:1])
    meili.stub.unwell_tasks = 20

    await meili.keep(RECORDS[1:], source="b")
    await until(lambda: _is_told(meili))

    assert await _count(meili) == 4


async def test_one_poison_document_among_500_is_parked_with_its_reason_and_keeps_nobody_out(index: Searching) -> None:
    await index.keep(RECORDS[:1])
    index.stub.poison = {250}

    await index.keep(many(500, start=2), source="b")
    await until(lambda: _is_told(index))

    assert await _tally(index) == (0, 1)
    assert await _count(index) == 500
    async with index.db.read() as db:
        (parked,) = await index_outbox.parked(db, limit=9)
    assert parked.record_id == 250
    assert {"meilisearch": "_geo", "elasticsearch": "failed to parse"}[index.server.engine] in parked.detail


async def test_what_was_parked_is_tried_again_when_it_changes_or_somebody_asks(index: Searching) -> None:
    await index.keep(RECORDS[:1])
    index.stub.poison = {2, 3}
    await index.keep(RECORDS[1:3], source="b")
    await until(lambda: _is_told(index))
    index.stub.poison = set()

    await index.db.write(
        lambda db: db.execute(sa.update(tables.records).where(tables.records.c.id == 2).values(title="Better"))
    )
    await index.tell()
    changed = await _tally(index)
    await write(index.db, index_state.order, IndexOrder.RECONCILE)
    await until(lambda: _is_told(index))

    assert changed == (0, 1)
    assert (await _tally(index), await _count(index)) == ((0, 0), 3)


async def test_what_is_parked_stays_parked_however_often_the_numbers_are_compared(index: Searching) -> None:
    await index.keep(RECORDS[:1])
    index.stub.poison = {2}
    await index.keep(RECORDS[1:2], source="b")
    await until(lambda: _is_told(index))
    asked = len(index.stub.seen)

    for _ in range(3):
        await index.tell()

    assert await _tally(index) == (0, 1)
    assert not [each for each in index.stub.seen[asked:] if "_bulk" in each or each.endswith("/documents")]


async def test_i5_a_wiped_index_fills_itself_again(index: Searching) -> None:
    await index.keep(many(30))

    index.stub.wipe()
    wiped = await index.asked()
    await until(lambda: _is_told(index))

    assert wiped[0] == "database"
    assert len(wiped[1]) == 30
    assert await _count(index) == 30
    assert (await index.asked())[0] != "database"


async def test_an_index_that_lost_some_and_kept_others_too_long_is_corrected(index: Searching) -> None:
    await index.keep(many(40))
    assert index.server is not None
    await index.server.remove([7, 8])
    async with index.db.read() as db:
        (kept,) = await index_documents.of(db, [9])
    await index.server.put([replace(kept, id=900), replace(kept, id=10, stamp="0")])
    await asyncio.sleep(0.05)

    await write(index.db, index_state.order, IndexOrder.RECONCILE)
    await until(lambda: _is_told(index))

    held = await index.server.held(after=0, limit=100)
    assert [each.id for each in held] == list(range(1, 41))
    assert {each.stamp for each in held} == {"1"}


async def test_a_comparison_goes_through_more_than_one_piece(index: Searching, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_round, "AT_ONCE", 7)
    await index.keep(many(40))
    assert index.server is not None
    await index.server.remove([3, 14, 21, 40])
    await asyncio.sleep(0.05)

    await until(lambda: _is_told(index))

    assert await _count(index) == 40


async def test_a_hit_that_is_gone_is_not_shown_and_the_server_is_told(index: Searching) -> None:
    await index.keep()
    await index.db.write(lambda db: db.execute(sa.update(tables.index_state).values(is_on=False)))
    await _delete(index, 3)
    await index.db.write(lambda db: db.execute(sa.update(tables.index_state).values(is_on=True)))
    stale = await _count(index)

    engine, numbers = await index.asked()

    assert (stale, numbers) == (4, [4, 2, 1])
    assert engine != "database"
    assert await _tally(index) == (1, 0)
    await until(lambda: _is_told(index))
    assert await _count(index) == 3


async def test_a_reindex_takes_the_place_of_the_old_index_and_leaves_nothing_behind(index: Searching) -> None:
    await index.keep(many(30))
    before = set(index.stub.indexes)
    told: list[int] = []
    assert index.round is not None

    written = await index.round.carry_out(IndexOrder.REINDEX, told.append)

    assert (written, told) == (30, [30])
    assert await _count(index) == 30
    assert len(index.stub.indexes) == len(before)


async def test_a_change_during_a_reindex_is_in_the_new_index(index: Searching) -> None:
    await index.keep(many(30))
    assert index.round is not None

    def change(_: int) -> None:
        changes.append(asyncio.ensure_future(_set_title(index, "Changed meanwhile")))

    changes: list[Any] = []
    await index.round.carry_out(IndexOrder.REINDEX, change)
    await asyncio.gather(*changes)
    await until(lambda: _is_told(index))

    assert len((await index.asked("meanwhile"))[1]) == 30


async def test_an_interrupted_reindex_leaves_the_old_index_in_use(index: Searching) -> None:
    await index.keep(many(30))
    assert index.round is not None

    def die(_: int) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await index.round.carry_out(IndexOrder.REINDEX, die)

    assert await _count(index) == 30
    await index.round.carry_out(IndexOrder.REINDEX, lambda _: None)
    assert await _count(index) == 30


async def test_a_reindex_of_a_server_that_is_away_says_so(index: Searching) -> None:
    await index.keep()
    await index.stub.stop()
    assert index.round is not None

    with pytest.raises(NotPossible, match="search server"):
        await index.round.carry_out(IndexOrder.REINDEX, lambda _: None)


async def test_an_index_that_was_turned_off_is_neither_told_nor_asked(index: Searching) -> None:
    await index.keep()
    await until(lambda: _is_told(index))

    await index.db.write(index_state.turn_off)
    await _set_title(index, "Changed")
    for _ in range(3):
        assert index.round is not None
        await index.round.make_round()

    assert (await index.asked())[0] == "database"
    async with index.db.read() as db:
        assert not (await index_state.get(db)).is_on


async def test_a_lease_lasts_as_long_as_the_server_takes(meili: Searching, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_lease, "LEASE", timedelta(seconds=3))
    mine, rival = (index_lease.IndexLease(meili.db, clock=DatabaseClock(None)) for _ in range(2))

    async with mine.for_order() as is_mine:
        await asyncio.sleep(3.5)
        async with rival.for_order() as is_rivals:
            pass

    assert (is_mine, is_rivals) == (True, False)


async def test_two_processes_do_not_tell_at_the_same_time(meili: Searching) -> None:
    await meili.keep(RECORDS[:1])
    async with AsyncExitStack() as stack:
        server = await server_at("meilisearch", meili.stub.url, stack, patience=BRISK)
        rival = searching(meili.db, server, meili.stub)
        await write(meili.db, index_state.take, "rival", now=NOON.replace(year=2090), until=NOON.replace(year=2091))
        await meili.keep(RECORDS[1:], source="b")
        held = await _tally(meili)
        await write(meili.db, index_state.give_back, "rival")
        await until(lambda: _is_told(rival))

    assert held == (3, 0)
    assert await _count(meili) == 4


async def test_a_process_that_slept_beyond_its_lease_has_what_it_sent_told_once_more(index: Searching) -> None:
    await index.keep(RECORDS[:1])
    index.stub.slow_seconds = 0.3
    asked = len(index.stub.seen)
    slow = asyncio.create_task(index.keep(RECORDS[1:], source="b"))
    sending = ("/_bulk", "/documents")
    await until(lambda: _seen(index, asked, sending))

    rival = sa.update(tables.index_state).values(lease_owner="rival")
    await index.db.write(lambda db: db.execute(rival))
    index.stub.slow_seconds = 0
    await slow
    async with index.db.read() as db:
        waiting = await index_outbox.due(db, now=NOON, limit=9)
    await write(index.db, index_state.give_back, "rival")
    await until(lambda: _is_told(index))

    assert [(each.record_id, each.revision) for each in waiting] == [(2, 2), (3, 2), (4, 2)]
    assert await _count(index) == 4


async def _seen(index: Searching, after: int, endings: tuple[str, ...]) -> bool:
    return any(each.endswith(endings) for each in index.stub.seen[after:])


@pytest.mark.parametrize("kind", SERVERS)
async def test_h1_a_death_between_sending_and_noting_it_tells_twice_and_doubles_nothing(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    async with opened(kind, request, tmp_path) as index:
        async with AsyncExitStack() as stack:
            # As the worker's settings have it: another server would have to be filled anew.
            server = await server_at(kind, index.stub.url, stack, prefix="lamplighter", patience=BRISK)
            first = searching(index.db, server, index.stub)
            await first.keep(RECORDS[:1])
        source_id = await write(index.db, a_source, "b")
        new = [found(source_id, None, record) for record in RECORDS[1:]]
        await write(index.db, records.put, new, now=NOON)

        url = f"{kind}+{index.stub.url}"
        with Fleet(tmp_path, database_url=f"sqlite:///{index.db.path}", index_url=url) as fleet:
            died = fleet.start(crash_at="index.after_send")
            assert await asyncio.to_thread(died.wait, 60) == -signal.SIGKILL, fleet.log()[-2000:]
            pending = await _tally(index)
            fleet.start()
            await until(lambda: _is_empty(index))

        async with AsyncExitStack() as stack:
            server = await server_at(kind, index.stub.url, stack, prefix="lamplighter", patience=BRISK)
            held = await server.held(after=0, limit=100)
        assert pending == (3, 0)
        assert [each.id for each in held] == [1, 2, 3, 4]


async def _is_empty(index: Searching) -> bool:
    return await _tally(index) == (0, 0)


async def test_an_index_with_another_mapping_is_made_anew(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    async with opened("elasticsearch", request, tmp_path) as index:
        await index.keep()
        for each in index.stub.indexes.values():
            each.mapping["_meta"] = {}

        async with AsyncExitStack() as stack:
            server = await server_at("elasticsearch", index.stub.url, stack, patience=BRISK)
            restarted = searching(index.db, server, index.stub)
            await until(lambda: _is_told(restarted))

        assert all(each.mapping["_meta"] == {"lamplighter": 1} for each in index.stub.indexes.values())
        assert await _count(index) == 4


async def test_a_wiped_index_does_not_come_back_without_our_mapping(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    async with opened("elasticsearch", request, tmp_path) as index:
        await index.keep(RECORDS[:2])
        index.stub.wipe()

        await _set_title(index, "Changed")
        await until(lambda: _is_told(index))

        assert all(each.mapping["dynamic"] is False for each in index.stub.indexes.values())
        assert await _count(index) == 2


async def test_a_bulk_request_that_is_too_much_for_the_server_is_repeated(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    async with opened("elasticsearch", request, tmp_path) as index:
        index.stub.busy_items = 3

        await index.keep()
        await until(lambda: _is_told(index))

        assert (await _tally(index), await _count(index)) == ((0, 0), 4)
