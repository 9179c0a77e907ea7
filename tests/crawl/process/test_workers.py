"""Several workers, clocks and deaths: one run per job, leases that end, writes that are fenced."""

import asyncio
from pathlib import Path

from lamplighter.model.crawl import RunOutcome
from lamplighter.store.schema import tables
from tests.origin import Origin
from tests.service.in_process import all_records, all_rows, asked, first_run, going, quick_settings, watch
from tests.service.sites import job_board

POSTINGS = 12


async def test_h4_two_that_both_believe_to_lead_open_one_run_per_job(
    origin: Origin, tmp_path: Path, migrated_url: str
) -> None:
    for number in range(10):
        origin.page(f"/board/{number}", f"<h1>Board {number}</h1>")
    settings = quick_settings(tmp_path, origin, database_url=migrated_url, min_delay_ms=5, runs_per_host=20)

    async with going(settings, schedule=False) as first, going(settings, schedule=False) as second:
        watched = [await watch(first, f"{origin.url}/board/{number}") for number in range(10)]
        await first.events.deliver.deliver_all()
        opened = await asyncio.gather(*(each.leading.scheduler.open_due() for each in (first, second, first, second)))
        await asyncio.gather(*(first_run(first, source_id) for source_id in watched))
        runs = await all_rows(second, tables.crawl_runs)

    assert sum(opened) == 10
    assert sorted(run.source_id for run in runs) == sorted(watched)


async def test_h4_two_workers_share_a_crawl_without_doubling_it(
    origin: Origin, tmp_path: Path, migrated_url: str
) -> None:
    job_board(origin, postings=20, per_page=10)
    settings = quick_settings(tmp_path, origin, database_url=migrated_url)

    async with going(settings) as first, going(settings):
        run = await first_run(first, await watch(first, origin.url + "/jobs"))
        found = await all_records(first)

    assert run.outcome is RunOutcome.OK, run.message
    assert (len(found), run.tally.records_inserted, run.tally.pages_fetched) == (20, 20, 22)
    assert sorted(asked(origin)) == sorted(set(asked(origin)))
