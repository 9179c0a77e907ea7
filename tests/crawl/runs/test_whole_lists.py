"""A crawl brings the whole list: next pages come before linked pages, and what had no room comes in the next run."""

import asyncio
from dataclasses import replace
from pathlib import Path

from lamplighter.crawl.reading.source_cache import KEPT_SECONDS
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.store.sources import sources as stored_sources
from tests.origin import Origin
from tests.service.in_process import age, asked, crawl, crawl_again, first_run, going, quick_settings, watch
from tests.service.sites import job_board, posting_html

LISTS = ["/jobs", *(f"/jobs?page={number}" for number in range(2, 21))]


async def test_every_page_of_the_list_is_fetched_before_the_first_posting(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=30, per_page=10)

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/jobs", max_pages=10)

    assert asked(origin) == [*LISTS[:3], *(f"/job/{number}" for number in range(7))]


async def test_the_next_run_fetches_the_postings_for_which_the_last_had_no_room(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=12, per_page=4)

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs", max_pages=7)
        await first_run(service, source_id)
        origin.log.clear()
        await crawl_again(service, source_id, number=2)
        second = asked(origin)
        origin.log.clear()
        last = await crawl_again(service, source_id, number=3)

    assert second == [*LISTS[:3], *(f"/job/{number}" for number in range(4, 8))]
    assert asked(origin) == [*LISTS[:3], *(f"/job/{number}" for number in range(8, 12))]
    assert "raise max pages" not in last.message


async def test_a_list_longer_than_the_budget_goes_on_in_the_next_run(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=200, per_page=10)

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs", max_pages=10)
        await first_run(service, source_id)
        first = asked(origin)
        origin.log.clear()
        await crawl_again(service, source_id, number=2)

    assert first == LISTS[:10]
    assert asked(origin) == ["/jobs", *LISTS[10:19]]


async def test_a_list_as_long_as_the_budget_leaves_half_of_the_next_run_to_postings(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=20, per_page=2)

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs", max_pages=10)
        await first_run(service, source_id)
        origin.log.clear()
        await crawl_again(service, source_id, number=2)

    assert asked(origin) == [*LISTS[:5], *(f"/job/{number}" for number in range(5))]


async def test_a_run_that_the_budget_cut_short_says_how_much_it_got(origin: Origin, tmp_path: Path) -> None:
    pager = "".join(f'<a href="/jobs?page={number}">{number}</a>' for number in range(2, 21))
    for index, path in enumerate(LISTS):
        rows = "".join(
            f'<li><a href="/job/{number}">Keeper of lamp {number}</a> <span>Deadline: 1 March 2027</span></li>'
            for number in range(index * 10, index * 10 + 10)
        )
        origin.page(path, f"<html><body><h1>Jobs</h1><ul>{rows}</ul>{pager}</body></html>")

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_pages=2, max_depth=0)

    assert run.outcome == "ok"
    assert "cut short at 2 pages: 20 of about 200 records: raise max pages" in run.message
    assert run.figures.skipped["page_budget"] == 1


async def test_a_list_and_the_pages_it_leads_to_count_each_posting_once(origin: Origin, tmp_path: Path) -> None:
    rows = "".join(f'<li><a href="/job/{n}">Posting {n:02}</a> <span>Lantern Works</span></li>' for n in range(8))
    origin.page("/jobs", f"<html><body><h1>Jobs</h1><ul>{rows}</ul></body></html>")
    for number in range(8):
        origin.page(f"/job/{number}", posting_html(number))

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs", kind="job")
        first = (await first_run(service, source_id)).tally
        origin.page("/job/3", posting_html(3).replace("lit.", "lit at night."))
        await age(service, days=400)
        second = (await crawl_again(service, source_id, number=2)).tally

    assert (first.records_found, first.records_inserted, first.records_unchanged) == (8, 8, 0)
    assert second.records_found == second.records_updated + second.records_unchanged
    assert second.records_updated == 1


async def test_what_waits_is_not_fetched_once_the_source_no_longer_follows_it(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=6, per_page=6)

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs", max_pages=3)
        await first_run(service, source_id)
        stamp = Stamp("test", service.clock.now())
        recipe = {"exclude": ["/job/[0-4]$"]}
        async with service.db.read() as db:
            (source,) = (await stored_sources.many(db, [source_id])).values()
        await service.db.write(
            lambda db: sources.change(
                db,
                source,
                lambda submitted: replace(submitted, recipe=recipe),
                source_defaults=service.source_defaults,
                stamp=stamp,
            )
        )
        origin.log.clear()
        await asyncio.sleep(KEPT_SECONDS)  # in which the readers may still use the old recipe
        await crawl_again(service, source_id, number=2)

    assert asked(origin) == ["/jobs", "/job/5"]
