"""Trials show what would happen and leave nothing behind."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from lamplighter import app
from lamplighter.operations.explain import trials
from lamplighter.store.schema.tables import metadata
from tests.origin import Answer, Origin
from tests.service.in_process import crawl, going, quick_settings
from tests.service.sites import LISTING, job_board, posting_html

#: what the site taught us about itself is kept even by a trial: who was asked when, and what its robots.txt says
MANNERS = {"hosts", "robots_files"}
#: has its one row from the beginning
SWITCHES = {"index_state"}


@asynccontextmanager
async def tools(folder: Path, origin: Origin) -> AsyncIterator[app.Trials]:
    async with app.open_trials(quick_settings(folder, origin)) as opened:
        yield opened


async def rows(folder: Path, origin: Origin) -> dict[str, int]:
    async with app.open_store(quick_settings(folder, origin)) as store, store.db.read() as db:
        counts: dict[str, Any] = {}
        for table in metadata.sorted_tables:
            counts[table.name] = await db.scalar(sa.select(sa.func.count()).select_from(table))
    return {name: count for name, count in counts.items() if count and name not in MANNERS | SWITCHES}


async def test_a_test_fetch_asks_for_the_headers_alone(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", LISTING, etag='"7"', last_modified="Mon, 02 Mar 2026 10:00:00 GMT")

    async with tools(tmp_path, origin) as opened:
        trial = await trials.test_fetch(opened.door, origin.url + "/jobs")

    assert [hit.method for hit in origin.hits("/jobs")] == ["HEAD"]
    assert (trial.status, trial.etag, trial.last_modified) == (200, '"7"', "Mon, 02 Mar 2026 10:00:00 GMT")
    assert trial.size_bytes == len(LISTING.encode())
    assert trial.trouble is None
    assert await rows(tmp_path, origin) == {}


async def test_a_test_fetch_passes_the_same_gate_as_every_request(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nDisallow: /jobs\n")

    async with tools(tmp_path, origin) as opened:
        trial = await trials.test_fetch(opened.door, origin.url + "/jobs")

    assert origin.hits("/jobs") == []
    assert "Disallow: /jobs" in (trial.trouble or "")


async def test_a_simulation_shows_three_records_and_how_each_field_was_found(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", f"<html lang=en><h1>Vacancies</h1><ul>{LISTING}</ul></html>")

    async with tools(tmp_path, origin) as opened:
        simulation = await opened.simulator.simulate(origin.url + "/jobs", now=opened.clock.now())

    assert simulation.records_found == 7
    assert [record["title"] for record in simulation.records] == [f"Lamplighter of district {n}" for n in (1, 2, 3)]
    assert simulation.records[0]["deadline"] == "2027-03-01"
    assert simulation.records[0]["provenance"]["title"]["method"] == "listing"
    assert await rows(tmp_path, origin) == {}


async def test_a_page_that_we_hold_is_not_sent_again(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=3, per_page=3)
    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/job/1", max_depth=0)

    async with tools(tmp_path, origin) as opened:
        simulation = await opened.simulator.simulate(origin.url + "/job/1", now=opened.clock.now())

    assert [hit.status for hit in origin.hits("/job/1")] == [200, 304]
    assert simulation.from_archive
    assert [record["title"] for record in simulation.records] == ["Posting 01"]


async def test_a_stored_page_is_tried_without_asking_the_site(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=3, per_page=3)
    url = origin.url + "/job/1"
    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, url, max_depth=0)
    asked_before = len(origin.log)
    recipe = {"items": "body", "fields": {"title": "h1"}}

    async with tools(tmp_path, origin) as opened:
        simulation = await opened.simulator.simulate_stored(
            url, source_url=url, recipe=recipe, kind=None, now=opened.clock.now()
        )
        unknown = await opened.simulator.simulate_stored(
            origin.url + "/job/9", source_url=url, recipe={}, kind=None, now=opened.clock.now()
        )

    assert [record["provenance"]["title"]["method"] for record in simulation.records] == ["recipe"]
    assert unknown.trouble == "this page is not stored; run the source, then try again"
    assert len(origin.log) == asked_before


async def test_a_recipe_that_finds_nothing_says_so(origin: Origin, tmp_path: Path) -> None:
    origin.page("/about", "<html><h1>About us</h1><p>We light lamps.</p></html>")
    recipe = {"items": "div.job", "fields": {"title": "h2"}}

    async with tools(tmp_path, origin) as opened:
        simulation = await opened.simulator.simulate(origin.url + "/about", now=opened.clock.now(), recipe=recipe)

    assert simulation.records_found == 0
    assert simulation.warnings == ("recipe: items selector 'div.job' matched nothing",)


async def test_a_wall_is_called_a_wall(origin: Origin, tmp_path: Path) -> None:
    wall = "<html><title>Sign in</title><h1>Sign in</h1><form><input name=u><input type=password></form></html>"
    origin.page("/jobs", wall)

    async with tools(tmp_path, origin) as opened:
        simulation = await opened.simulator.simulate(origin.url + "/jobs", now=opened.clock.now())

    assert simulation.trouble == "this is a login page, not content"


async def test_missing_secrets_are_listed_before_anything_is_asked(origin: Origin, tmp_path: Path) -> None:
    recipe = {"api": {"headers": {"Authorization": "Bearer {secret:board}"}}}

    async with tools(tmp_path, origin) as opened:
        simulation = await opened.simulator.simulate(origin.url + "/api", now=opened.clock.now(), recipe=recipe)

    assert simulation.missing_secrets == ("board",)
    assert origin.log == []


async def test_what_cannot_be_had_is_explained(origin: Origin, tmp_path: Path) -> None:
    origin.route("/jobs", Answer(status=404))

    async with tools(tmp_path, origin) as opened:
        simulation = await opened.simulator.simulate(origin.url + "/jobs", now=opened.clock.now())

    assert simulation.trouble == "HTTP 404"


async def test_a_single_posting_is_simulated_too(origin: Origin, tmp_path: Path) -> None:
    origin.page("/job", posting_html(1))

    async with tools(tmp_path, origin) as opened:
        simulation = await opened.simulator.simulate(origin.url + "/job", now=opened.clock.now())

    assert simulation.records[0]["provenance"]["title"] == {"method": "jsonld", "confidence": 0.9}


async def test_a_guess_is_shown_as_one_and_not_kept(origin: Origin, tmp_path: Path) -> None:
    sure = "<item><title>The ferry runs again</title><link>/ferry</link></item>"
    doubtful = "<item><description>Something about a ferry, without a name of its own.</description></item>"
    origin.page("/feed", f"<rss version='2.0'><channel>{sure}{doubtful}</channel></rss>")

    async with tools(tmp_path, origin) as opened:
        trial = await opened.simulator.simulate(origin.url + "/feed", now=opened.clock.now())

    assert [(record["title"][:9], record["state"]) for record in trial.records] == [
        ("The ferry", None),
        ("Something", "guess"),
    ]
    assert trial.records_found == 2
    assert trial.skipped == {"a guess, less than 50% sure": 1}
    assert trial.records_kept == trial.records_found - 1
