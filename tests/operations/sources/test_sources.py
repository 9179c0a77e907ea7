"""Adding, changing and removing sources: what is refused says what would work, and changes nothing."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import BadInput, BadRecipe, BadUrl, Duplicate, NotFound
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.source_fields import altered
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.events import events
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.records import sightings
from lamplighter.store.schema import tables
from lamplighter.store.sources import sources as stored_sources
from lamplighter.store.sources import tags
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.records.given_records import all_stored, found, posting, stored

URL = "https://jobs.example.org/openings"


def _said(submitted: NewSource, said: dict[str, Any]) -> NewSource:
    """What is said in words is read as the API and files have it read."""
    words = {name: said[name] for name in ("kind", "policy", "organisation_type", "windows") if name in said}
    return replace(altered(submitted, words), **{name: value for name, value in said.items() if name not in words})


async def _add(db: Database, **said: Any) -> int:
    new = _said(NewSource(url=URL), said)
    return await db.write(lambda connection: sources.add(connection, new, stamp=Stamp("test", NOON)))


async def _counts(db: Database) -> dict[str, int]:
    written = (tables.sources, tables.events, tables.audit_log, tables.hosts, tables.crawl_jobs)
    async with db.read() as connection:
        return {
            table.name: int(await connection.scalar(sa.select(sa.func.count()).select_from(table))) for table in written
        }


@pytest.mark.parametrize(
    ("said", "error", "message"),
    [
        pytest.param({"url": "not a url"}, BadUrl, "not a url.*https://", id="no URL"),
        pytest.param({"url": "ftp://example.org/"}, BadUrl, "ftp://example.org/.*http:// or https://", id="ftp"),
        pytest.param({"url": "https://me:secret@example.org/"}, BadUrl, "credentials", id="credentials"),
        pytest.param({"url": "https://"}, BadUrl, "https://example.com/jobs", id="no host"),
        pytest.param({"kind": "recipes"}, BadInput, "'recipes' is unknown; use auto, job", id="unknown kind"),
        pytest.param({"max_depth": -2}, BadInput, "max_depth -2 is out of range; use 1 to 100", id="depth too small"),
        pytest.param({"max_depth": 101}, BadInput, "max_depth 101.*use 1 to 100", id="depth too large"),
        pytest.param({"max_pages": 0}, BadInput, "max_pages 0 is out of range; use 1", id="no pages"),
        pytest.param({"priority": 101}, BadInput, "priority 101.*use 0 to 100", id="priority too large"),
        pytest.param({"priority": -1}, BadInput, "priority -1.*use 0 to 100", id="priority too small"),
        pytest.param({"interval": timedelta(seconds=59)}, BadInput, "0:00:59.*one minute", id="too often"),
        pytest.param({"interval": timedelta(days=367)}, BadInput, "367 days.*one year", id="too seldom"),
        pytest.param({"recipe": {"items": "//div"}}, BadRecipe, "//div.*CSS selector", id="XPath in a recipe"),
        pytest.param({"recipe": {"itmes": "li"}}, BadRecipe, "itmes.*items", id="a misspelt key"),
        pytest.param({"recipe": {"include": ["(a+)+$"]}}, BadRecipe, r"\(a\+\)\+\$", id="j7: an explosive pattern"),
    ],
)
async def test_what_could_never_be_crawled_is_refused_and_nothing_is_stored(
    db: Database, said: dict[str, Any], error: type[BadInput], message: str
) -> None:
    before = await _counts(db)

    with pytest.raises(error, match=message) as refused:
        await _add(db, **said)

    assert await _counts(db) == before
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        pytest.param({"interval": timedelta(0)}, "interval of 0:00:00.*one minute to one year", id="no time"),
        pytest.param({"interval": timedelta(days=36525)}, "36525 days.*one minute to", id="a century"),
        pytest.param({"max_interval": timedelta(0)}, "interval of 0:00:00.*one minute", id="at most no time"),
        pytest.param(
            {"min_interval": timedelta(hours=2), "max_interval": timedelta(hours=1)},
            "min_interval 2:00:00 is longer than max_interval 1:00:00; swap them",
            id="bounds the wrong way round",
        ),
        pytest.param({"policy": "whim"}, "policy 'whim' is unknown; use fixed, yield_days", id="a whim"),
        pytest.param({"organisation_type": "circus"}, "organisation type 'circus'.*use un, ingo", id="a circus"),
        pytest.param({"country": "QZ"}, "country 'QZ' is unknown; use a two-letter code", id="no country"),
        pytest.param(
            {"windows": "09:00-09:00"}, "from 09:00 to 09:00 has no length; 00:00-24:00", id="a window of no length"
        ),
        pytest.param({"windows": "09:00-17:00 Mars/Olympus"}, "Mars/Olympus", id="a zone of another planet"),
        pytest.param({"windows": "09:00-17:00; deny 08:00-18:00"}, "never", id="windows that never open"),
    ],
)
@on_sqlite
async def test_a_schedule_that_could_never_be_kept_is_refused_and_nothing_is_stored(
    db: Database, said: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        await _add(db, **said)

    assert not any((await _counts(db)).values())


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(URL, id="as it was"),
        pytest.param(URL + "?utm_source=newsletter", id="with tracking"),
        pytest.param("HTTPS://Jobs.Example.org:443/openings#top", id="spelt otherwise"),
    ],
)
async def test_the_same_url_is_watched_once(db: Database, again: str) -> None:
    await _add(db)
    before = await _counts(db)

    with pytest.raises(BadInput, match=r"is already source .* change that source"):
        await _add(db, url=again)

    assert await _counts(db) == before


async def test_a_source_its_event_and_its_audit_line_come_together(db: Database) -> None:
    source_id = await _add(db, name="Harbour", kind="job", tags=("north", "north", "sea"))

    async with db.read() as connection:
        waiting = await events.undelivered(connection, limit=10)
        tags = list(await connection.scalars(sa.select(tables.source_tags.c.tag).order_by("tag")))
        audit = (await connection.execute(sa.select(tables.audit_log))).one()
        source = await stored_sources.get(connection, source_id)
    assert source is not None
    assert [(event.type, event.source_public_id) for event in waiting] == [("SOURCE_CREATED", source.public_id)]
    assert waiting[0].payload["url"] == URL
    assert tags == ["north", "sea"]
    assert (audit.actor, audit.action, audit.subject) == ("test", "source.add", URL)


async def test_removing_takes_everything_found_through_the_source(db: Database) -> None:
    await _add(db)
    await _add(db, url="https://other.example.org/")

    await write(db, sources.remove, URL + "?utm_medium=x", stamp=Stamp("test", NOON))

    async with db.read() as connection:
        left = list(await connection.scalars(sa.select(tables.sources.c.url)))
        types = [event.type for event in await events.undelivered(connection, limit=10)]
    assert left == ["https://other.example.org/"]
    assert types == ["SOURCE_CREATED", "SOURCE_CREATED", "SOURCE_DELETED"]


async def test_what_another_source_shows_too_stays_with_that_one(db: Database) -> None:
    async def given(connection: Connection) -> tuple[int, int, int]:
        (removed, run), (other, other_run) = await a_run(connection, "a"), await a_run(connection, "b")
        (page,) = await some_pages(connection, removed, run, "/list")
        (other_page,) = await some_pages(connection, other, other_run, "/other")
        shared, own = [await stored(connection, found(removed, page, posting(number))) for number in (1, 2)]
        shown = {page: {shared: False, own: False}, other_page: {shared: False}}
        await sightings.become(connection, shown, now=NOON)
        return shared, other, other_page

    shared, other, other_page = await db.write(given)

    await write(db, sources.remove, "https://a.example/", stamp=Stamp("test", NOON))

    assert [(row.id, row.source_id, row.page_id) for row in await all_stored(db)] == [(shared, other, other_page)]


async def test_what_is_not_there_is_not_found_and_says_how_to_look(db: Database) -> None:
    with pytest.raises(NotFound, match=r"https://nowhere.example.*sources list"):
        await write(db, sources.find_by_url, "https://nowhere.example/")


async def test_removing_by_tag_leaves_the_untagged(db: Database) -> None:
    await _add(db, tags=("trial",))
    await _add(db, url="https://kept.example.org/")

    count = await db.write(lambda connection: sources.remove_tagged(connection, "trial", stamp=Stamp("test", NOON)))

    assert count == 1
    assert (await _counts(db))["sources"] == 1


def test_a_deep_source_is_allowed_but_warned_about() -> None:
    assert list(sources.warnings(NewSource(url=URL, max_depth=9))) == [
        "max_depth 9 is deep: runs may fetch many pages. Most sources need 3 or less, and 5 is the most"
    ]
    assert "without limit is deep" in next(iter(sources.warnings(NewSource(url=URL, max_depth=-1))))
    assert not list(sources.warnings(NewSource(url=URL, max_depth=5)))
    assert not list(sources.warnings(NewSource(url=URL)))


async def test_a_schedule_is_stored_as_it_was_said(db: Database) -> None:
    await _add(
        db,
        interval=timedelta(hours=6),
        min_interval=timedelta(hours=1),
        max_interval=timedelta(days=2),
        policy="fixed",
        windows="mon-fri 22:00-05:00",
        country="de",
        organisation_type="ngo",
        recurring=False,
        priority=80,
    )

    async with db.read() as connection:
        stored = (await connection.execute(sa.select(tables.sources))).one()
    assert (stored.interval_seconds, stored.min_interval_seconds, stored.max_interval_seconds) == (21600, 3600, 172800)
    assert (stored.policy, stored.country, stored.organisation_type) == ("fixed", "DE", "ngo")
    assert (stored.recurring, stored.priority) == (False, 80)
    (window,) = stored.windows
    assert (window["days"], window["start"], window["end"], window["zone"]) == (
        ["mon", "tue", "wed", "thu", "fri"],
        "22:00",
        "05:00",
        "Europe/Berlin",
    )


async def _change(db: Database, **changes: Any) -> None:
    source = await write(db, sources.find_by_url, URL)
    await write(
        db,
        sources.change,
        source,
        lambda submitted: _said(submitted, changes),
        source_defaults=SourceDefaults(),
        stamp=Stamp("test", NOON),
    )


async def test_what_is_changed_in_part_keeps_the_rest_and_tells_what_was_before(db: Database) -> None:
    await _add(db, interval=timedelta(hours=6), windows="22:00-05:00", country="JP", priority=80, tags=("a", "b"))

    for _ in range(2):
        await _change(db, interval=timedelta(hours=1), priority=75, min_delay=timedelta(milliseconds=400), tags=("b",))

    async with db.read() as connection:
        stored = (await connection.execute(sa.select(tables.sources))).one()
        changes = [event for event in await events.undelivered(connection, limit=10) if event.type == "SOURCE_UPDATED"]
    assert (stored.interval_seconds, stored.priority, stored.windows[0]["zone"]) == (3600, 75, "Asia/Tokyo")
    assert [event.payload for event in changes] == [
        {
            "changed_fields": ["interval_seconds", "priority", "rate_limit", "tags"],
            "previous": {"interval_seconds": 21600, "priority": 80, "rate_limit": None, "tags": ["a", "b"]},
            "current": {"interval_seconds": 3600, "priority": "high", "rate_limit": 2.5, "tags": ["b"]},
        }
    ]


@on_sqlite
async def test_a_change_that_could_never_be_kept_changes_nothing(db: Database) -> None:
    await _add(db, interval=timedelta(hours=6))
    before = await _counts(db)

    with pytest.raises(BadInput, match="whim"):
        await _change(db, interval=timedelta(hours=1), policy="whim")

    assert await _counts(db) == before


async def test_a_source_does_not_take_the_url_of_another(db: Database) -> None:
    await _add(db)
    await _add(db, url="https://other.example.org/")

    with pytest.raises(Duplicate, match=r"is already source"):
        await _change(db, url="https://other.example.org/")


async def test_a_source_that_is_created_has_its_job_at_once(db: Database) -> None:
    source_id = await write(
        db, sources.create, NewSource(url=URL), source_defaults=SourceDefaults(), stamp=Stamp("test", NOON)
    )

    job = await write(db, crawl_jobs.of_source, source_id)
    assert job is not None
    assert job.next_run_at == NOON


async def test_a_copy_is_read_and_scheduled_in_the_same_way(db: Database) -> None:
    await _add(db, recipe={"items": "li", "fields": {"title": "b"}}, interval=timedelta(hours=6), tags=("sea",))
    source = await write(db, sources.find_by_url, URL)

    other = "https://other.example.org/"
    made = await write(
        db, sources.clone, source, url=other, name=None, source_defaults=SourceDefaults(), stamp=Stamp("test", NOON)
    )

    copied = await write(db, stored_sources.get, made)
    assert copied is not None
    assert (copied.url, copied.name) == (other, "jobs.example.org (copy)")
    assert (copied.recipe, copied.interval) == (source.recipe, source.interval)
    assert await write(db, tags.of_sources, [made]) == {made: ["sea"]}
