"""A source goes in, clean records come out."""

from pathlib import Path

from lamplighter.model.crawl import RunOutcome
from tests.origin import Answer, Origin
from tests.service.in_process import all_records, crawl, going, job_of, quick_settings
from tests.service.sites import job_board, posting_html


async def test_every_posting_of_a_board_becomes_a_record(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=12, per_page=5)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
        found = await all_records(service)

    assert run.outcome is RunOutcome.OK, run.message
    assert [record.title for record in found] == [f"Posting {number:02}" for number in range(12)]
    assert {record.organisation for record in found} == {"Lantern Works"}
    assert run.tally.records_inserted == 12


async def test_a_list_that_says_that_it_is_empty_is_in_order(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", "<html><head><title>Vacancies</title></head><body><h1>Nothing here</h1></body></html>")

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")

    assert run.outcome is RunOutcome.OK, run.message
    assert run.message is not None
    assert "note: empty list" in run.message


async def test_a_dead_and_a_forbidden_link_beside_good_records_are_no_warning(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=5, per_page=5, secrets=True)
    origin.route("/job/4", Answer(status=404))
    origin.robots("User-agent: *\nDisallow: /secret/0\n")
    for number in range(1, 5):
        origin.page(f"/secret/{number}", posting_html(20 + number))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
        job = await job_of(service, run.source_id)

    assert (run.tally.pages_failed, run.tally.pages_refused) == (1, 1)
    assert (run.outcome, job.last_outcome) == (RunOutcome.OK, "ok"), run.message
    assert run.message is not None
    assert "note: not_found: HTTP 404" in run.message
