"""What was read becomes durable: every record is accounted for, with its history and where it stands."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lamplighter.crawl.pages.page_results import PageResult, unstorable
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.model.record import Record, RejectedRecord
from lamplighter.operations.records import records as operations
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import record_changes, sightings
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema import tables
from tests.crawl.runs.runs_without_site import SITE, Site, read
from tests.moments import NOON
from tests.store.given_rows import write
from tests.store.records.given_records import posting

NO_TITLE = RejectedRecord(reason=f"job record without a title, found on {SITE}/")


def _adds_up(run: CrawlRun) -> bool:
    tally = run.tally
    kept = tally.records_inserted + tally.records_updated + tally.records_unchanged
    return tally.records_found == kept + tally.records_skipped + tally.records_failed


async def _history(site: Site) -> list[tuple[str, Any, Any]]:
    return [(line.field, line.before, line.after) for line in await site.rows(tables.record_changes)]


async def test_records_are_inserted_then_as_before_then_changed(db: Database) -> None:
    site = Site(db)

    runs = [
        await site.run({"/": read([posting(1, content_hash=version)], text=version)}) for version in ("a", "a", "b")
    ]

    counted = [(run.tally.records_inserted, run.tally.records_unchanged, run.tally.records_updated) for run in runs]
    assert counted == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


async def test_a_change_is_written_down_field_by_field(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read([posting(1)])})
    changed = posting(1, title="Senior posting", fields={"salary": {"min": 2}}, content_hash="v2")

    run = await site.run({"/": read([changed])})

    (line, *_) = await site.rows(tables.record_changes)
    assert await _history(site) == [
        ("title", "Posting 1", "Senior posting"),
        ("fields.salary", {"min": 1.5}, {"min": 2}),
    ]
    assert (line.run_id, line.at) == (run.id, site.clock.now())


async def test_a_poorer_telling_of_another_page_changes_nothing(db: Database) -> None:
    site = Site(db)
    await site.run({"/1": read([posting(1, quality=0.9)])})

    run = await site.run({"/": read([posting(1, quality=0.3, title="Cut off…", content_hash="v2")])})

    assert (run.tally.records_unchanged, run.tally.records_updated) == (1, 0)
    assert await _history(site) == []


async def test_a_fuller_telling_of_another_page_is_kept_and_is_no_change(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read([posting(1, quality=0.3, title="Cut off…", content_hash="v0")])})

    run = await site.run({"/1": read([posting(1, quality=0.9)])})

    assert [row.title for row in await site.rows(tables.records)] == ["Posting 1"]
    assert (run.tally.records_unchanged, run.tally.records_updated) == (1, 0)
    assert await _history(site) == []


async def test_of_two_tellings_in_one_batch_the_fuller_is_kept_and_both_pages_show_it(db: Database) -> None:
    site = Site(db)

    run = await site.run(
        {
            "/": read([posting(1, quality=0.3, title="Cut off…", content_hash="v0")]),
            "/1": read([posting(1, quality=0.9)]),
        }
    )

    (record,) = await site.rows(tables.records)
    async with db.read() as connection:
        shown = await sightings.of_record(connection, record.id)
    assert record.title == "Posting 1"
    assert sorted((page.url, page.is_own) for page in shown) == [(f"{SITE}/", False), (f"{SITE}/1", True)]
    assert record.is_listed
    assert _adds_up(run)


async def test_a_list_is_not_the_own_page_of_what_has_no_address_of_its_own(db: Database) -> None:
    site = Site(db)

    await site.run({"/list": read([posting(1, url=f"{SITE}/list")])})

    (sighting,) = await site.rows(tables.sightings)
    assert not sighting.is_own


async def test_what_was_removed_is_skipped_with_date_and_reason(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read([posting(1), posting(2)])})
    await write(db, operations.remove, f"{1:064}", reason="its author asked", stamp=Stamp("test", NOON))

    run = await site.run({"/": read([posting(1), posting(2)], text="again")})

    assert [row.title for row in await site.rows(tables.records)] == ["Posting 2"]
    assert (run.tally.records_found, run.tally.records_unchanged, run.tally.records_skipped) == (2, 1, 1)
    assert await site.log(run.id) == ["skipped Posting 1: removed on 2026-03-14: its author asked"]


async def test_what_wants_to_be_forgotten_by_now_is_never_inserted(db: Database) -> None:
    site = Site(db)

    run = await site.run({"/": read([posting(1, expires_at=NOON), posting(2, expires_at=NOON + timedelta(days=9))])})

    assert [row.title for row in await site.rows(tables.records)] == ["Posting 2"]
    assert run.tally.records_skipped == 1
    assert await site.log(run.id) == ["skipped Posting 1: its page asked for it to be forgotten by 2026-03-14"]


async def test_a_wish_to_be_forgotten_reaches_a_record_that_is_otherwise_as_before(db: Database) -> None:
    site = Site(db)
    await site.run({"/1": read([posting(1)])})
    soon = NOON + timedelta(days=9)

    await site.run({"/1": read([posting(1, expires_at=soon)], text="again")})
    submitted = (await site.rows(tables.records))[0].expires_at
    await site.run({"/1": read([posting(1)], text="once more")})
    lifted = (await site.rows(tables.records))[0].expires_at

    assert (submitted, lifted) == (soon, None)


async def test_a_record_known_before_is_marked_when_its_wish_has_already_passed(db: Database) -> None:
    site = Site(db)
    await site.run({"/1": read([posting(1)])})

    run = await site.run({"/1": read([posting(1, expires_at=NOON)], text="again")})

    (record,) = await site.rows(tables.records)
    assert (record.expires_at, run.tally.records_skipped) == (NOON, 1)


async def test_many_skips_for_one_reason_are_one_line_with_the_count(db: Database) -> None:
    site = Site(db)

    few = await site.run({"/": read(skipped=[NO_TITLE] * 20)})
    many = await site.run({"/": read(skipped=[NO_TITLE] * 21, text="again")})

    assert len(await site.log(few.id)) == 20
    assert await site.log(many.id) == ["skipped 21 records: job record without a title, found on …"]
    assert (many.tally.empty_titles, many.tally.records_skipped) == (21, 21)


async def test_records_of_a_page_that_cannot_be_stored_are_counted_as_failed(db: Database) -> None:
    site = Site(db)
    run_id = await site.open()
    reading = await site.reading(run_id, "/", read([posting(1), posting(2)], skipped=[NO_TITLE]))

    left = unstorable(PageResult(None, reading), ValueError("no")).reading
    assert left is not None
    await site.commit([left])

    async with db.read() as connection:
        run = await crawl_runs.get(connection, run_id)
    assert run is not None
    assert (run.tally.records_found, run.tally.records_failed, run.tally.pages_failed) == (3, 3, 1)
    assert _adds_up(run)
    assert run.message is not None
    assert run.message.startswith("unstorable")


_RECORDS = st.builds(
    lambda number, version, quality, expires: posting(
        number, content_hash=version, quality=quality, expires_at=NOON if expires else None
    ),
    st.integers(0, 6),
    st.sampled_from(["v1", "v2"]),
    st.sampled_from([0.3, 0.6]),
    st.booleans(),
)
_PAGES = st.dictionaries(
    st.sampled_from(["/", "/list", "/1", "/2"]),
    st.tuples(st.lists(_RECORDS, max_size=6), st.integers(0, 3), st.sampled_from([None, "a login page"])),
    min_size=1,
)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(_PAGES, min_size=1, max_size=3))
async def test_every_record_found_is_accounted_for(
    db: Database, rounds: list[dict[str, tuple[list[Record], int, str | None]]]
) -> None:
    await write(db, _clear)
    site = Site(db)

    for number, shown in enumerate(rounds):
        run = await site.run(
            {
                path: read(records, skipped=[NO_TITLE] * skipped, obstacle=obstacle, text=str(number))
                for path, (records, skipped, obstacle) in shown.items()
            }
        )

        readable = [(records, skipped) for records, skipped, obstacle in shown.values() if obstacle is None]
        things = {record.canonical_hash for records, _ in readable for record in records}
        assert run.tally.records_found == len(things) + sum(skipped for _, skipped in readable)
        assert _adds_up(run)


async def test_k1_two_workers_with_the_same_record_count_one_insertion_between_them(db: Database) -> None:
    sites = [Site(db, "a"), Site(db, "b")]
    run_ids = [await site.open() for site in sites]
    batches = [
        [await site.reading(run_id, "/", read([posting(number) for number in range(30)]))]
        for site, run_id in zip(sites, run_ids, strict=True)
    ]

    await asyncio.gather(*(site.commit(batch) for site, batch in zip(sites, batches, strict=True)))

    runs = [row for row in await sites[0].rows(tables.crawl_runs) if row.id in run_ids]
    assert sum(run.records_inserted for run in runs) == 30
    assert sum(run.records_unchanged for run in runs) == 30
    assert len(await sites[0].rows(tables.sightings)) == 60


async def test_an_obstructed_page_fails_and_what_it_was_before_stands(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read([posting(1)]), "/1": read([posting(1, quality=0.9)])})
    (*_, before) = await site.rows(tables.pages)

    run = await site.run({"/": read([posting(1)], text="again"), "/1": read(obstacle="a login page")})

    (*_, page) = await site.rows(tables.pages)
    (record,) = await site.rows(tables.records)
    assert (page.phase, page.reason, page.detail) == ("failed", "obstructed", "a login page")
    assert (page.body_key, page.etag, page.content_hash) == (None, None, before.content_hash)
    assert (run.tally.pages_fetched, run.tally.pages_failed) == (1, 1)
    assert (record.revision, record.gone_at) == (1, None)
    assert len(await site.rows(tables.sightings)) == 2


async def test_an_obstructed_start_page_fails_the_run_by_name(db: Database) -> None:
    site = Site(db)

    run = await site.run({"/": read(obstacle="a bot challenge")})

    assert run.outcome is RunOutcome.FAIL
    assert run.message == f"obstructed: a bot challenge ({SITE}/)"


async def test_the_history_of_a_record_is_read_newest_first(db: Database) -> None:
    site = Site(db)
    for version in ("v1", "v2", "v3"):
        await site.run({"/": read([replace(posting(1), title=version, content_hash=version)])})
    (record,) = await site.rows(tables.records)

    async with db.read() as connection:
        history = await record_changes.of_record(connection, record.id)

    assert [line.after for line in history] == ["v3", "v2"]
    assert record.revision == 3


async def _clear(db: Connection) -> None:
    await db.execute(sa.delete(tables.sources))
