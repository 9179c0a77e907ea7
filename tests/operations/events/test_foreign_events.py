"""What events that others publish do to our sources."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from lamplighter.crawl.events.event_effects import EventEffects
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.event import Delivery, Event, SourceFact
from lamplighter.operations.events import foreign_events
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema import tables
from tests.clocks import At
from tests.contracts.event_carriers import Carrier, through_outbox
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON

SOURCE = "550e8400-e29b-41d4-a716-446655440000"
CREATED = {
    "name": "Example News",
    "url": "https://example.com",
    "rate_limit": 10,
    "max_depth": 3,
    "enabled": True,
    "selectors": {"title": "h1.article-title", "body": "div.article-body"},
    "priority": "high",
}
MINUTE = timedelta(minutes=1)


@pytest.fixture
async def carrier(db: Database) -> AsyncIterator[Carrier]:
    """Whoever settles events."""
    async with through_outbox(db, clock=At()) as opened:
        yield opened


async def _hear(
    carrier: Carrier,
    fact: SourceFact,
    payload: dict[str, Any],
    *,
    source: str = SOURCE,
    at: datetime = NOON,
    event_id: UUID | None = None,
) -> tuple[str | None, str | None]:
    """What becomes of somebody else's event."""
    event = Event(id=str(event_id or uuid4()), type=fact, source=source, at=at, payload=payload)
    await carrier.deliver.settle([Delivery(position="1-0", tries=1, event=event)])
    (row,) = await carrier.rows(tables.events, tables.events.c.event_id == event.id)
    assert (row.is_foreign, row.source_public_id, row.stream_id) == (True, source, "1-0")
    return row.result, row.detail


async def _the_source(carrier: Carrier) -> Any:
    (source,) = await carrier.rows(tables.sources)
    return source


async def _the_job(carrier: Carrier) -> Any:
    (job,) = await carrier.rows(tables.crawl_jobs)
    return job


async def test_a_source_that_was_created_elsewhere_is_watched_under_the_same_id(carrier: Carrier) -> None:
    result = await _hear(carrier, SourceFact.CREATED, CREATED | {"unheard_of": 1})

    source = await _the_source(carrier)
    assert result == ("success", None)
    assert (source.public_id, source.name, source.url, source.priority) == (
        SOURCE,
        "Example News",
        "https://example.com/",
        75,
    )
    assert source.recipe == {"details": {"title": "h1.article-title", "text": "div.article-body"}}
    assert source.min_delay_ms == 100
    assert (await _the_job(carrier)).state == "pending"


@on_sqlite
async def test_created_disabled_it_gets_no_job(carrier: Carrier) -> None:
    await _hear(carrier, SourceFact.CREATED, CREATED | {"enabled": False, "rate_limit": 0})

    assert (await _the_source(carrier)).enabled is False
    assert await carrier.rows(tables.crawl_jobs) == []


@pytest.mark.parametrize("who", [{"disabled_by": "system"}, {"toggled_by": "system"}])
@on_sqlite
async def test_disabling_pauses_the_job_and_enabling_lets_it_begin_again(carrier: Carrier, who: dict[str, str]) -> None:
    await _hear(carrier, SourceFact.CREATED, CREATED)

    await _hear(carrier, SourceFact.DISABLED, {"reason": "rate_limit_exceeded"} | who, at=NOON + MINUTE)
    disabled, paused = await _the_source(carrier), await _the_job(carrier)
    await _hear(carrier, SourceFact.ENABLED, {"reason": "over", "toggled_by": "user"}, at=NOON + 2 * MINUTE)

    assert (disabled.enabled, disabled.disabled_by, disabled.disabled_reason) == (
        False,
        "system",
        "rate_limit_exceeded",
    )
    assert (paused.state, paused.pause_reason) == ("paused", "source_disabled")
    assert (await _the_job(carrier)).state == "pending"


@on_sqlite
async def test_what_was_changed_elsewhere_is_changed_here_and_the_rest_stays(carrier: Carrier) -> None:
    await _hear(carrier, SourceFact.CREATED, CREATED)
    previous, current = {"rate_limit": 10, "max_depth": 3}, {"rate_limit": 5, "max_depth": 2}

    payload = {"changed_fields": ["rate_limit", "max_depth"], "previous": previous, "current": current}
    result = await _hear(carrier, SourceFact.UPDATED, payload)

    source = await _the_source(carrier)
    assert result == ("success", "max_depth 3 → 2, rate_limit 10 → 5")
    assert (source.min_delay_ms, source.max_depth, source.priority) == (200, 2, 75)
    assert [row.type for row in await carrier.rows(tables.events)] == ["SOURCE_CREATED", "SOURCE_UPDATED"]


async def test_deleting_hides_the_source_and_ends_its_job(carrier: Carrier) -> None:
    await _hear(carrier, SourceFact.CREATED, CREATED)

    payload = {"name": "Example News", "deletion_reason": "user_requested"}
    result = await _hear(carrier, SourceFact.DELETED, payload)

    assert result == ("success", "user_requested")
    assert (await _the_source(carrier)).deleted_at == NOON
    assert (await _the_job(carrier)).state == "cancelled"


@on_sqlite
async def test_an_event_that_comes_twice_has_one_effect(carrier: Carrier) -> None:
    event_id = uuid4()
    await _hear(carrier, SourceFact.CREATED, CREATED, event_id=event_id)
    before = await carrier.rows(tables.events)

    await _hear(carrier, SourceFact.CREATED, CREATED, event_id=event_id)

    assert await carrier.rows(tables.events) == before


@on_sqlite
async def test_a_source_is_never_overwritten_by_a_new_one(carrier: Carrier) -> None:
    await _hear(carrier, SourceFact.CREATED, CREATED)

    same_id = await _hear(carrier, SourceFact.CREATED, CREATED | {"url": "https://other.example/"})
    same_url = await _hear(carrier, SourceFact.CREATED, CREATED, source=str(uuid4()))

    assert (same_id[0], same_url[0]) == ("ignored", "ignored")
    assert "exists already" in (same_id[1] or "")
    assert "is already source" in (same_url[1] or "")
    assert (await _the_source(carrier)).url == "https://example.com/"


@pytest.mark.parametrize("fact", [SourceFact.UPDATED, SourceFact.ENABLED, SourceFact.DISABLED, SourceFact.DELETED])
@on_sqlite
async def test_what_is_told_of_a_source_that_we_do_not_have_is_ignored_with_a_reason(
    carrier: Carrier, fact: SourceFact
) -> None:
    result = await _hear(carrier, fact, {"current": {"priority": "low"}})

    assert result == ("ignored", f"there is no source {SOURCE}")
    assert (await carrier.carrier.figures()).dead_letters == 0


@pytest.mark.parametrize(
    ("fact", "payload", "reason"),
    [
        pytest.param(SourceFact.CREATED, CREATED | {"url": "ftp://x/"}, "ftp://x/", id="a URL that is none of ours"),
        pytest.param(SourceFact.CREATED, {"name": "x"}, "url is missing", id="no URL"),
        pytest.param(SourceFact.CREATED, CREATED | {"priority": "urgent"}, "urgent", id="an unknown priority"),
        pytest.param(SourceFact.CREATED, CREATED | {"max_depth": "deep"}, "deep", id="no depth"),
        pytest.param(SourceFact.DISABLED, {"reason": 7}, "payload.reason", id="a reason that is no text"),
        pytest.param(SourceFact.UPDATED, {"current": []}, "payload.current", id="no changes"),
    ],
)
@on_sqlite
async def test_what_no_source_could_be_is_refused_and_changes_nothing(
    carrier: Carrier, fact: SourceFact, payload: dict[str, Any], reason: str
) -> None:
    if fact is not SourceFact.CREATED:
        await carrier.add()
        await carrier.settle()
    before = [await carrier.rows(table) for table in (tables.sources, tables.crawl_jobs)]
    source = before[0][0].public_id if before[0] else SOURCE

    result, detail = await _hear(carrier, fact, payload, source=source)

    assert result == "error"
    assert reason in (detail or "")
    assert [await carrier.rows(table) for table in (tables.sources, tables.crawl_jobs)] == before


@pytest.mark.parametrize(
    "selectors",
    [{"title": "//h1"}, {"title": {"css": "h1"}}, {"article": ["h1"]}],
    ids=["no CSS", "an unknown map", "list"],
)
@on_sqlite
async def test_a_source_with_selectors_that_cannot_be_used_is_created_without_them_and_says_so(
    carrier: Carrier, selectors: dict[str, Any]
) -> None:
    result, detail = await _hear(carrier, SourceFact.CREATED, CREATED | {"selectors": selectors})

    assert result == "success"
    assert "created without its selectors" in (detail or "")
    assert (await _the_source(carrier)).recipe == {}


@on_sqlite
async def test_of_several_toggles_the_latest_holds_in_whichever_order_they_come(carrier: Carrier) -> None:
    await _hear(carrier, SourceFact.CREATED, CREATED)

    later = await _hear(carrier, SourceFact.ENABLED, {}, at=NOON + 2 * MINUTE)
    earlier = await _hear(carrier, SourceFact.DISABLED, {}, at=NOON + MINUTE)

    assert (later[0], earlier[0]) == ("success", "ignored")
    assert (await _the_source(carrier)).enabled


@on_sqlite
async def test_what_may_be_our_own_word_of_long_ago_is_not_done_again(carrier: Carrier) -> None:
    await _hear(carrier, SourceFact.CREATED, CREATED)

    result = await _hear(carrier, SourceFact.DISABLED, {}, at=NOON - timedelta(days=8))

    assert result == ("ignored", f"it is of {NOON - timedelta(days=8):%Y-%m-%d}, older than what we remember")
    assert (await _the_source(carrier)).enabled


@on_sqlite
async def test_a_change_does_not_undo_a_later_one_that_came_first(carrier: Carrier) -> None:
    await _hear(carrier, SourceFact.CREATED, CREATED)

    await _hear(carrier, SourceFact.UPDATED, {"current": {"priority": "low"}}, at=NOON + 2 * MINUTE)
    await _hear(carrier, SourceFact.UPDATED, {"current": {"priority": "high", "name": "New"}}, at=NOON + MINUTE)

    source = await _the_source(carrier)
    assert (source.priority, source.name) == (25, "New")


@on_sqlite
async def test_what_was_deleted_before_it_was_heard_of_is_not_created(carrier: Carrier) -> None:
    await _hear(carrier, SourceFact.DELETED, {}, at=NOON + MINUTE)

    result = await _hear(carrier, SourceFact.CREATED, CREATED)

    assert result == ("ignored", "the source was deleted since")
    assert await carrier.rows(tables.sources) == []


async def test_what_was_told_of_a_source_before_it_was_heard_of_is_done_when_it_is_created(carrier: Carrier) -> None:
    disabled_id = uuid4()
    disabled = {"reason": "too many errors", "disabled_by": "system"}
    await _hear(carrier, SourceFact.DISABLED, disabled, at=NOON + MINUTE, event_id=disabled_id)
    await _hear(carrier, SourceFact.UPDATED, {"current": {"priority": "low"}}, at=NOON + MINUTE)
    await _hear(carrier, SourceFact.UPDATED, {"current": {"max_depth": "deep"}}, at=NOON + 2 * MINUTE)

    result = await _hear(carrier, SourceFact.CREATED, CREATED)

    source = await _the_source(carrier)
    assert result == ("success", None)
    assert (source.enabled, source.disabled_by, source.disabled_reason) == (False, "system", "too many errors")
    assert (source.priority, source.max_depth) == (25, 3), "what cannot be used does not stop the rest"
    assert (await _the_job(carrier)).state == "paused"
    (noted,) = await carrier.rows(tables.events, tables.events.c.event_id == str(disabled_id))
    assert (noted.result, noted.detail) == (
        "success",
        "it arrived before its source, and was applied when the source arrived",
    )


@on_sqlite
async def test_of_toggles_before_the_creation_the_latest_holds(carrier: Carrier) -> None:
    await _hear(carrier, SourceFact.ENABLED, {}, at=NOON + 2 * MINUTE)
    await _hear(carrier, SourceFact.DISABLED, {}, at=NOON + MINUTE)

    await _hear(carrier, SourceFact.CREATED, CREATED)

    assert (await _the_source(carrier)).enabled


@pytest.mark.parametrize("apart", [timedelta(0), MINUTE])
async def test_events_that_come_together_have_effect_in_the_order_of_their_times(
    carrier: Carrier, apart: timedelta
) -> None:
    disabled = Event(id=str(uuid4()), type=SourceFact.DISABLED, source=SOURCE, at=NOON - MINUTE + apart, payload={})
    created = Event(id=str(uuid4()), type=SourceFact.CREATED, source=SOURCE, at=NOON - MINUTE, payload=CREATED)

    await carrier.deliver.settle([Delivery(position="1-0", tries=1, event=event) for event in (disabled, created)])

    assert not (await _the_source(carrier)).enabled
    assert {row.result for row in await carrier.rows(tables.events, tables.events.c.is_foreign)} == {"success"}


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)  # where several write at a time
async def test_what_another_process_is_about_to_settle_of_a_source_is_waited_for(carrier: Carrier) -> None:
    disabled = Event(id=str(uuid4()), type=SourceFact.DISABLED, source=SOURCE, at=NOON, payload={})
    effects = EventEffects(
        source_defaults=carrier.source_defaults, foreign=foreign_events.apply, monotonic=carrier.clock.monotonic
    )
    is_settled, may_commit = asyncio.Event(), asyncio.Event()

    async def other_process(db: Connection) -> None:
        come = [Delivery(position="2-0", tries=1, event=disabled)]
        await effects.settle(db, come, now=NOON, delivered_at=NOON)
        is_settled.set()
        # Whoever does not wait for us has long gone on; whoever does, waits as long as we like.
        with suppress(TimeoutError):
            await asyncio.wait_for(may_commit.wait(), 0.5)

    async with asyncio.TaskGroup() as group:
        group.create_task(carrier.db.write(other_process))
        await is_settled.wait()
        await _hear(carrier, SourceFact.CREATED, CREATED, at=NOON - MINUTE)
        may_commit.set()

    assert not (await _the_source(carrier)).enabled


@on_sqlite
async def test_a_clock_that_is_ahead_does_not_silence_those_that_are_right(db: Database) -> None:
    clock = At()
    async with through_outbox(db, clock=clock) as carrier:
        await _hear(carrier, SourceFact.CREATED, CREATED)
        await _hear(carrier, SourceFact.DISABLED, {}, at=NOON + timedelta(days=365))
        clock.at = NOON + MINUTE

        result = await _hear(carrier, SourceFact.ENABLED, {}, at=NOON + MINUTE)

        assert result == ("success", None)


@on_sqlite
async def test_toggling_a_deleted_source_is_ignored_with_a_reason(carrier: Carrier) -> None:
    await _hear(carrier, SourceFact.CREATED, CREATED)
    await _hear(carrier, SourceFact.DELETED, {})

    result, detail = await _hear(carrier, SourceFact.ENABLED, {}, at=NOON + MINUTE)

    assert (result, "restore it first" in (detail or "")) == ("ignored", True)


@on_sqlite
async def test_where_new_sources_are_not_managed_by_themselves_neither_are_others(db: Database) -> None:
    async with through_outbox(db, clock=At(), source_defaults=SourceDefaults(auto_manage=False)) as carrier:
        await _hear(carrier, SourceFact.CREATED, CREATED)
        before = await carrier.rows(tables.crawl_jobs)
        await _hear(carrier, SourceFact.ENABLED, {}, at=NOON + MINUTE)

        assert before == []
        assert (await _the_job(carrier)).state == "pending"


@pytest.mark.parametrize(("said", "stored"), [(0, 3), (None, 3), ("page", 0), (-1, -1), (6, 6)])
async def test_an_event_says_a_depth_in_the_words_of_the_api(carrier: Carrier, said: Any, stored: int) -> None:
    await _hear(carrier, SourceFact.CREATED, CREATED | {"max_depth": said})

    assert (await _the_source(carrier)).max_depth == stored
