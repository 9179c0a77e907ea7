"""A source goes in, clean records come out."""

from pathlib import Path

from lamplighter.model.crawl import RunOutcome
from tests.origin import Origin
from tests.service.in_process import all_records, crawl, going, quick_settings
from tests.service.sites import job_board


async def test_every_posting_of_a_board_becomes_a_record(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=12, per_page=5)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
        found = await all_records(service)

    assert run.outcome is RunOutcome.OK, run.message
    assert [record.title for record in found] == [f"Posting {number:02}" for number in range(12)]
    assert {record.organisation for record in found} == {"Lantern Works"}
    assert run.tally.records_inserted == 12
