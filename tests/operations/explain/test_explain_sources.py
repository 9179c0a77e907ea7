"""Which sources know a URL, and when does each ask for it?"""

from datetime import timedelta
from typing import Any

import pytest

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.model.host import HostChange, HostPolicy, RobotsFile, RobotsState
from lamplighter.operations.explain.explain import Explanation, explain
from lamplighter.operations.explain.explain_sources import interval_if_added
from lamplighter.operations.hosts import hosts
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import robots_files
from lamplighter.store.sources import sources as stored
from tests.changing import add_job, set_job, set_source
from tests.moments import NOON
from tests.store.given_rows import a_job, a_run, some_pages, write

URL = "https://a.example/1"


async def _told(db: Database, url: str = URL) -> Explanation:
    return await explain(db, url, token="lamplighter", defaults=HostPolicy(), now=NOON)


async def _two_sources(db: Connection) -> None:
    for name in ("a", "b"):
        source_id, run_id = await a_run(db, name)
        await some_pages(db, source_id, run_id, "/1")


async def test_all_sources_that_lead_to_a_url_are_told_the_latest_first(db: Database) -> None:
    await write(db, _two_sources)

    told = await _told(db)

    assert [source["url"] for source in told.sources] == ["https://b.example/", "https://a.example/"]
    assert told.source == told.sources[0]
    assert not any(source["watches_it"] for source in told.sources)


async def test_a_source_is_known_by_its_url_before_its_first_run(db: Database) -> None:
    await write(db, a_job, "a")

    told = await _told(db, "https://a.example/")

    (source,) = told.sources
    assert (source["watches_it"], source["is_planned"], source["windows"]) == (True, True, "at any time")
    assert told.page is None


async def test_a_url_that_nobody_knows_has_no_source(db: Database) -> None:
    told = await _told(db)

    assert (told.sources, told.source, told.page) == ([], None, None)
    assert told.host["is_known"] is False


async def test_it_is_told_when_the_window_opens(db: Database) -> None:
    new = NewSource(url=URL, windows_text="13:00-14:00")
    source_id = await write(db, sources.add, new, stamp=Stamp("test", NOON))
    job = {"priority": 50, "interval": timedelta(hours=1), "next_run_at": NOON}
    await write(db, add_job, source_id=source_id, now=NOON, **job)

    (source,) = (await _told(db)).sources

    assert source["windows"] == "allow 13:00-14:00 UTC"
    assert source["window_opens_at"] == NOON.replace(hour=13, microsecond=0).isoformat()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"state": JobState.PAUSED, "pause_reason": PauseReason.USER}, id="paused by a person"),
        pytest.param({"next_run_at": None}, id="nothing is planned"),
    ],
)
async def test_what_is_not_planned_is_said_to_be_so(db: Database, change: dict[str, Any]) -> None:
    job_id = await write(db, a_job, "a")
    await write(db, set_job, job_id, now=NOON, **change)

    (source,) = (await _told(db, "https://a.example/")).sources

    assert source["is_planned"] is False


async def test_a_deleted_source_plans_nothing(db: Database) -> None:
    await write(db, a_job, "a")
    source = await write(db, stored.by_url, "https://a.example/")
    assert source is not None
    await write(db, set_source, source.id, now=NOON, deleted_at=NOON)

    (told,) = (await _told(db, "https://a.example/")).sources

    assert (told["deleted_at"], told["is_planned"]) == (NOON.isoformat(), False)


async def test_everybody_who_asks_for_a_delay_is_told(db: Database) -> None:
    before = await _told(db)
    await write(db, hosts.set_policy, "a.example", HostChange(min_delay_ms=5000), stamp=Stamp("test", NOON))

    after = await _told(db)

    assert before.host["delays"] == [{"seconds": 3.0, "by": "policy, the installation's default"}]
    assert after.host["delays"] == [{"seconds": 5.0, "by": "policy, set for this host"}]


async def test_the_deciding_line_of_robots_txt_is_told(db: Database) -> None:
    file = RobotsFile(
        origin="https://a.example",
        state=RobotsState.RULES,
        body=b"User-agent: *\nDisallow: /1\n",
        fetched_at=NOON,
        expires_at=NOON + timedelta(days=1),
        status=200,
    )
    await write(db, robots_files.save, file)

    told = await _told(db)

    assert (told.robots["rule"], told.robots["line"], told.robots["group"]) == ("Disallow: /1", 2, "*")
    assert [obstacle.why for obstacle in told.obstacles] == [told.robots["why"]]


def test_what_would_be_added_is_visited_as_the_installation_says() -> None:
    assert interval_if_added(SourceDefaults(interval=timedelta(hours=5))) == timedelta(hours=5)
    assert interval_if_added(SourceDefaults()) > timedelta(0)
