"""The schedule's page: the coming day, rebalancing, windows, policies."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lamplighter.app import Store
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome, Trigger
from lamplighter.operations.jobs.policy_comparison import ComparisonMinimum, OwnComparison
from lamplighter.operations.sources import sources
from lamplighter.rules.schedule import rebalance
from lamplighter.rules.schedule.slots import SLOT_COUNT, LoadMap
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import upkeep
from lamplighter.store.fleet.upkeep import Upkeep
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema import tables
from lamplighter.web.dashboard.jobs.schedule import DayGrid
from tests.changing import add_job, set_job
from tests.crawl.runs.due_jobs import Queues
from tests.web.asgi_client import Ask
from tests.web.forms import send_form

HOUR = timedelta(hours=1)


async def crowd(store: Store, count: int = 12) -> None:
    """Daily jobs that all start at the same time."""
    now = store.clock.now()

    async def work(db: Connection) -> None:
        for number in range(count):
            new = sources.NewSource(url=f"https://s{number}.example/", name=f"Board {number}")
            source_id = await sources.add(db, new, stamp=Stamp("test", now))
            job_id = await add_job(
                db, source_id=source_id, priority=50, interval=24 * HOUR, next_run_at=now + 8 * HOUR, now=now
            )
            await set_job(db, job_id, now=now, pace_seconds=86_400)

    await store.db.write(work)


async def watched(store: Store, url: str, changes: str) -> None:
    """A source that was visited every six hours; x where a visit found a change."""
    now = store.clock.now()

    async def work(db: Connection) -> None:
        source_id = await sources.add(db, sources.NewSource(url=url), stamp=Stamp("test", now))
        job_id = await add_job(db, source_id=source_id, priority=50, interval=HOUR, next_run_at=now, now=now)
        for number, change in enumerate(changes, start=1):
            at = now - (len(changes) - number + 1) * 6 * HOUR
            run_id = await crawl_runs.add(
                db,
                job_id=job_id,
                source_id=source_id,
                number=number,
                trigger=Trigger.SCHEDULE,
                now=at,
                deadline_at=at + HOUR,
                page_budget=10,
            )
            await crawl_runs.add_up(db, {run_id: {"pages_fetched": 1, "pages_changed": change == "x"}}, now=at)
            await crawl_runs.close(db, run_id, now=at, outcome=RunOutcome.OK, message="", records_shown=0)

    await store.db.write(work)


async def planned(store: Store) -> list[Any]:
    return [job.next_run_at for job in await Queues(store.db).rows(tables.crawl_jobs)]


async def test_an_empty_day_says_how_it_fills_up(ask: Ask) -> None:
    reply = await ask("/schedule")

    assert reply.status == 200
    assert "No run is planned for the next 24 hours" in reply.text
    assert "Crawling is allowed at any time" in reply.text


async def test_the_day_shows_its_fullest_quarter_and_what_is_due_next_and_why(ask: Ask, store: Store) -> None:
    await crowd(store)

    text = (await ask("/schedule")).text

    assert re.search(r'class="shade6" title="\d\d:\d\d UTC: 12 runs">12<', text)
    assert "uneven: about 12 of 12 runs would have to move for an even load" in text
    assert "Board 11" in text
    assert "as soon as possible: it has not run yet" in text


async def test_what_is_due_next_is_told_apart_where_it_has_no_name_but_its_host_s(ask: Ask, store: Store) -> None:
    await watched(store, "https://a.example/pans", ".")

    assert "a.example</a> <small>/pans</small>" in (await ask("/schedule")).text


async def test_a_preview_names_the_moves_and_moves_nothing(ask: Ask, store: Store) -> None:
    await crowd(store)
    before = await planned(store)

    text = (await ask("/schedule/rebalance")).text

    assert re.search(r"\d+ runs would move; the balance changes from 0.00 to (0.\d\d|1.00)", text)
    assert re.search(r"Board \d", text)
    assert await planned(store) == before


async def test_nothing_is_moved_before_somebody_confirms_how_many(ask: Ask, store: Store) -> None:
    await crowd(store)
    before = await planned(store)

    asked = await send_form(ask, "/schedule/rebalance", moves=11)
    still = await planned(store)
    done = await send_form(ask, "/schedule/rebalance", confirmed=1)

    assert "Move 11 runs to other times" in asked.text
    assert still == before
    assert (done.status, done.headers["location"]) == (303, "/schedule")
    assert await planned(store) != before


async def test_an_even_day_has_nothing_to_move(ask: Ask) -> None:
    reply = await send_form(ask, "/schedule/rebalance", confirmed=1)

    assert (reply.status, reply.headers["location"]) == (303, "/schedule")


async def test_a_window_is_drawn_and_told_in_words(ask: Ask, store: Store) -> None:
    hours = "mon-fri 09:00-17:00 Europe/Berlin"
    new = sources.NewSource(url="https://a.example/", name="<b>Quay</b>", windows_text=hours)
    await store.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", store.clock.now())))

    text = (await ask("/schedule")).text

    assert "allow mon-fri 09:00-17:00 Europe/Berlin" in text
    assert text.count('y="1" width="8.0" height="8"') == 5
    assert "&lt;b&gt;Quay&lt;/b&gt;" in text


async def test_the_week_can_be_shown_on_other_clocks(ask: Ask, store: Store) -> None:
    new = sources.NewSource(url="https://a.example/", windows_text="mon 09:00-17:00 Asia/Tokyo")
    await store.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", store.clock.now())))

    text = (await ask("/schedule", query={"zone": "UTC"})).text

    assert '<rect x="0.0" y="1" width="8.0" height="8"/>' in text
    assert "shown in UTC" in text


async def test_a_zone_that_there_is_not_is_said_and_the_page_stands(ask: Ask, store: Store) -> None:
    new = sources.NewSource(url="https://a.example/", windows_text="mon 09:00-17:00 Asia/Tokyo")
    await store.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", store.clock.now())))

    reply = await ask("/schedule", query={"zone": "Mars/Base"})

    assert reply.status == 200
    assert "is not a known IANA time zone" in reply.text


async def test_policies_are_compared_on_what_our_own_visits_saw(ask: Ask, store: Store) -> None:
    await watched(store, "https://a.example/", ".x.x..x." * 6)
    await watched(store, "https://b.example/", "...x...." * 6)

    text = (await send_form(ask, "/schedule/compare")).text

    assert "2 sources," in text
    for policy in ("learned", "fixed", "hash backoff", "oracle"):
        assert f"<strong>{policy}</strong>" in text


async def test_what_learned_saves_stands_there_without_a_click(ask: Ask, store: Store) -> None:
    saving = "learned: 11 % fewer stale hours than one fixed interval would give"
    before = (await ask("/schedule")).text
    await store.db.write(
        lambda db: upkeep.note(db, Upkeep.COMPARISON, now=store.clock.now(), figures={"saving": saving})
    )

    assert saving not in before
    assert saving in (await ask("/schedule")).text
    assert saving in (await ask("/schedule/day")).text


async def test_a_comparison_of_little_says_that_it_is_too_little_to_judge_by(ask: Ask, store: Store) -> None:
    await watched(store, "https://a.example/", ".x.")

    assert "too little data for a verdict" in (await send_form(ask, "/schedule/compare")).text


@pytest.mark.parametrize(
    ("less", "is_more"),
    [
        pytest.param({}, False, id="enough of everything"),
        pytest.param({"sources": 4}, True, id="few sources"),
        pytest.param({"changes": 49}, True, id="few changes"),
        pytest.param({"days": 6.9}, True, id="a short time"),
    ],
)
def test_enough_to_compare_is_enough_of_everything(less: dict[str, Any], is_more: bool) -> None:
    known: dict[str, Any] = {"sources": 5, "known_sources": 5, "changes": 50, "days": 7.0, "budget": 1.0, "results": ()}
    known["better_with"] = {}

    assert ComparisonMinimum().is_more_than(OwnComparison(**known | less)) is is_more


async def test_without_a_history_the_comparison_says_so(ask: Ask) -> None:
    reply = await send_form(ask, "/schedule/compare")

    assert reply.status == 200
    assert "Our visits have seen no change yet" in reply.text


@pytest.mark.parametrize(
    ("score", "words"),
    [
        pytest.param(0.95, "evenly spread; nothing to do", id="even"),
        pytest.param(0.8, "spread well enough; about 20 of 100 runs would have to move", id="fair"),
        pytest.param(0.5, "uneven: about 50 of 100 runs would have to move", id="uneven"),
    ],
)
def test_a_score_is_told_in_words(score: float, words: str) -> None:
    assert rebalance.in_words(score, total=100).startswith(words)


def test_the_grid_begins_at_the_hour_that_it_is_and_leaves_out_what_is_past() -> None:
    now = datetime(2026, 3, 2, 14, 20, tzinfo=UTC)
    load = LoadMap(now=now, starts=(3,) + (0,) * (SLOT_COUNT - 2) + (6,))

    grid = DayGrid.of(load)

    assert (grid.hours[0].hour, len(grid.hours)) == (14, 25)
    assert [row[0].runs if row[0] else None for row in grid.quarters] == [None, 3, 0, 0]
    assert [row[-1].runs if row[-1] else None for row in grid.quarters] == [6, None, None, None]
    assert grid.peak is not None
    assert (grid.peak.runs, grid.peak.shade, grid.total) == (6, 6, 9)
