"""The end of a run: which records are gone, and whether the extractor still works."""

from datetime import timedelta
from typing import Any

import pytest

from lamplighter.crawl.alerts.notice_writer import NoticeWriter
from lamplighter.crawl.runs.janitor import Janitor
from lamplighter.model.crawl import RunOutcome
from lamplighter.model.record import Record, RecordKind, RejectedRecord
from lamplighter.model.visit import SOFT_NOT_FOUND
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.contracts.event_carriers import through_outbox
from tests.crawl.planning.planners import planner
from tests.crawl.runs.runs_without_site import SITE, SOURCE_DEFAULTS, Site, read
from tests.moments import NOON
from tests.store.records.given_records import posting


def _postings(count: int, **values: Any) -> list[Record]:
    return [posting(number, **values) for number in range(count)]


async def _gone(site: Site) -> list[str]:
    return [row.title for row in await site.rows(tables.records) if row.gone_at is not None]


async def _states(site: Site) -> list[tuple[Any, Any]]:
    return [(line.before, line.after) for line in await site.rows(tables.record_changes) if line.field == "state"]


async def _events(site: Site) -> list[Any]:
    return [row for row in await site.rows(tables.events) if row.type == "EXTRACTOR_DRIFTED"]


async def test_a_job_that_two_complete_runs_miss_is_gone_but_kept(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read(_postings(4))})

    gone = []
    for text in ("first", "second"):
        await site.run({"/": read(_postings(3), text=text)})
        gone.append(await _gone(site))

    assert gone == [[], ["Posting 3"]]
    assert len(await site.rows(tables.records)) == 4
    assert await _states(site) == [("present", "gone")]


async def test_an_unchanged_list_still_shows_what_it_showed(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read(_postings(4))})

    runs = [await site.run({}, unchanged=["/"]) for _ in range(3)]

    assert [run.records_shown for run in runs] == [4, 4, 4]
    assert await _gone(site) == []


async def test_a_record_that_comes_back_is_there_again_and_its_history_says_so(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read(_postings(4))})
    for text in ("first", "second"):
        await site.run({"/": read(_postings(3), text=text)})

    await site.run({"/": read(_postings(4), text="third")})

    assert await _gone(site) == []
    assert await _states(site) == [("present", "gone"), ("gone", "present")]


@pytest.mark.parametrize(
    "partial",
    [
        pytest.param({"failed": {"/list": "timeout"}}, id="a page timed out"),
        pytest.param({"overdue": True}, id="the deadline came first"),
    ],
)
async def test_nothing_is_missed_by_a_run_that_did_not_see_everything(db: Database, partial: dict[str, Any]) -> None:
    site = Site(db)
    await site.run({"/": read(_postings(4)), "/list": read(_postings(8)[4:])})

    for text in ("first", "second", "third"):
        await site.run({"/": read(_postings(3), text=text)}, **partial)

    (*_, dropped) = [row.missing_count for row in await site.rows(tables.records)]
    assert dropped == 0
    assert await _gone(site) == []


async def test_what_stood_on_a_list_that_no_longer_exists_is_gone(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read(_postings(5)), "/list?2": read([posting(9)])})

    for text in ("first", "second"):
        await site.run({"/": read(_postings(5), text=text)})

    assert await _gone(site) == ["Posting 9"]


async def test_a_record_that_no_list_ever_showed_stands_while_its_page_does(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read(), **{f"/{number}": read([posting(number)]) for number in range(4)}})

    for text in ("first", "second", "third"):
        run = await site.run({"/": read(text=text)})

    assert (run.records_shown, run.outcome) == (4, RunOutcome.OK)
    assert await _gone(site) == []


@pytest.mark.parametrize("kind", [RecordKind.ARTICLE, RecordKind.JOB])
async def test_a_record_whose_own_page_is_dead_is_gone(db: Database, kind: RecordKind) -> None:
    site = Site(db)
    await site.run({"/": read(text="0"), **{f"/{number}": read([posting(number, kind=kind)]) for number in range(20)}})
    others = [f"/{number}" for number in range(1, 20)]

    for text in ("first", "second"):
        await site.run({"/": read(text=text)}, unchanged=others, failed={"/0": "not_found"})

    assert await _gone(site) == ["Posting 0"]


async def test_a_soft_404_is_as_good_as_a_404(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read(text="0"), **{f"/{number}": read([posting(number)]) for number in range(20)}})
    others = [f"/{number}" for number in range(1, 20)]

    for text in ("first", "second"):
        await site.run({"/": read(text=text), "/0": read(obstacle=SOFT_NOT_FOUND)}, unchanged=others)

    assert await _gone(site) == ["Posting 0"]


async def test_an_article_that_scrolled_off_the_front_page_is_not_gone(db: Database) -> None:
    site = Site(db)
    articles = _postings(12, kind=RecordKind.ARTICLE)
    await site.run({"/": read(articles[:6])})

    for first in range(1, 6):
        await site.run({"/": read(articles[first : first + 6])})

    assert await _gone(site) == []


async def test_a_page_that_came_back_unchanged_is_read_once_more(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read(_postings(5)), "/list": read([posting(9)])})

    await site.run({"/": read(_postings(5), text="again")})

    unread = [page.url for page in await site.rows(tables.pages) if page.content_hash is None]
    assert unread == [f"{SITE}/list"]


async def test_a_list_that_stays_empty_is_believed_after_a_while(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read(_postings(2))})

    runs = [await site.run({"/": read(text=str(number))}) for number in range(4)]

    assert [run.outcome for run in runs] == [RunOutcome.WARN, RunOutcome.WARN, RunOutcome.OK, RunOutcome.OK]
    assert await _gone(site) == ["Posting 0", "Posting 1"]


async def test_a_source_that_suddenly_shows_nothing_keeps_its_records_and_says_that_it_may_be_broken(
    db: Database,
) -> None:
    site = Site(db)
    for text in ("1", "2", "3"):
        await site.run({"/": read(_postings(8), text=text)})

    run = await site.run({"/": read(text="4")})
    again = await site.run({"/": read(text="5")})

    assert (run.outcome, run.has_drifted, run.records_shown) == (RunOutcome.WARN, True, 0)
    assert run.message is not None
    assert run.message.startswith("extractor may be broken: no records shown where 8 are usual")
    assert again.has_drifted
    assert [row.missing_count for row in await site.rows(tables.records)] == [0] * 8


async def test_a_broken_extractor_is_told_once_each_time_it_breaks(db: Database) -> None:
    site = Site(db)
    shown = [8, 8, 8, 8, 0, 0, 8, 3]

    for number, count in enumerate(shown):
        await site.run({"/": read(_postings(count), text=str(number))})

    first, second = await _events(site)
    assert first.payload == {
        "source": site.source_id,
        "run": 5,
        "shown": 0,
        "median": 8,
        "reason": "no records shown where 8 are usual",
    }
    assert second.payload["run"] == 8


async def test_records_that_lost_their_titles_are_a_sign_too(db: Database) -> None:
    site = Site(db)
    untitled = RejectedRecord(reason="job record without a title")
    for text in ("1", "2", "3"):
        await site.run({"/": read(_postings(8), text=text)})

    run = await site.run({"/": read(_postings(5), skipped=[untitled] * 6)})

    assert run.has_drifted
    assert run.message is not None
    assert "6 of 11 records found have no title" in run.message


async def test_a_source_that_truly_shrank_is_usual_after_a_while_and_then_records_go(db: Database) -> None:
    site = Site(db)
    for number in range(3):
        await site.run({"/": read(_postings(20), text=str(number))})

    outcomes = [(await site.run({"/": read(_postings(5), text=f"small {number}")})).outcome for number in range(8)]

    assert outcomes[:3] == [RunOutcome.WARN] * 3
    assert outcomes[-3:] == [RunOutcome.OK] * 3
    assert len(await _gone(site)) == 15
    assert len(await _events(site)) == 1


async def test_a_broken_extractor_changes_nothing_about_the_job(db: Database) -> None:
    site = Site(db)
    for number, count in enumerate((8, 8, 8, 0)):
        await site.run({"/": read(_postings(count), text=str(number))})
    before = await site.rows(tables.crawl_jobs)

    async with through_outbox(db, clock=site.clock, source_defaults=SOURCE_DEFAULTS) as carrier:
        delivered = await carrier.settle()

    assert delivered == 2  # that the source was added, and that its extractor broke
    assert await site.rows(tables.crawl_jobs) == before


async def test_the_janitor_ends_what_wanted_to_be_forgotten(db: Database) -> None:
    site = Site(db)
    await site.run({"/": read([posting(1, expires_at=NOON + timedelta(days=1)), posting(2)])})
    janitor = Janitor(
        db,
        clock=site.clock,
        planner=planner(),
        notice_writer=NoticeWriter(clock=site.clock),
        stale_after=timedelta(minutes=5),
    )

    await janitor.sweep()
    early = await _gone(site)
    site.clock.at = NOON + timedelta(days=1)
    await janitor.sweep()

    assert (early, await _gone(site)) == ([], ["Posting 1"])
    assert await _states(site) == [("present", "gone")]


async def test_a_source_in_which_nothing_was_ever_found_is_told_that_a_recipe_would_help(db: Database) -> None:
    site = Site(db)

    run = await site.run({"/": read()})

    assert run.outcome is RunOutcome.WARN
    assert run.message is not None
    assert "a recipe would help" in run.message


async def test_a_job_remembers_how_its_latest_run_ended_and_whether_it_drifted(db: Database) -> None:
    site = Site(db)
    seen = []
    for records in (4, 4, 4, 0, 4):
        await site.run({"/": read(_postings(records), text=f"{len(seen)}")})
        (job,) = await site.rows(tables.crawl_jobs)
        seen.append((job.last_outcome, job.last_drifted))

    assert seen == [("ok", False)] * 3 + [("warn", True), ("ok", False)]
