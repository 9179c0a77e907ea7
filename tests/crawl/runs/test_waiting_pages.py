"""Pages that wait for room in a run, beside submitted pages that wait for their time."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome, Trigger
from lamplighter.operations.pages import task_actions
from lamplighter.operations.pages.task_actions import TaskRestart
from tests.origin import Origin
from tests.service.in_process import all_pages, crawl_again, first_run, going, quick_settings, watch
from tests.service.sites import job_board
from tests.service.waiting import asked, until


async def _restart(service: Service, path: str, at: Callable[[datetime], datetime] | None = None) -> Any:
    """Submits the page of this path again."""
    page = next(page for url, page in (await all_pages(service)).items() if url.endswith(path))
    now = service.clock.now()
    order = TaskRestart(at=at(now)) if at is not None else TaskRestart()
    await service.db.write(lambda db: task_actions.restart(db, page.id, order, stamp=Stamp("test", now)))
    service.bells.tasks.ring()
    return page


async def test_what_waits_for_room_is_fetched_after_a_run_of_tasks_came_between(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=12, per_page=4)

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs", max_pages=7)
        await first_run(service, source_id)
        await _restart(service, "/job/0")
        between = await first_run(service, source_id, number=2)
        origin.log.clear()
        for number in (3, 4):
            await crawl_again(service, source_id, number=number)

    assert between.trigger is Trigger.TASKS
    assert {f"/job/{number}" for number in range(4, 12)} <= set(asked(origin))


async def test_a_page_that_is_submitted_for_tomorrow_is_not_fetched_by_the_next_run(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=12, per_page=4)

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs", max_pages=50)
        await first_run(service, source_id)
        await _restart(service, "/job/0", at=lambda now: now + timedelta(days=1))
        origin.log.clear()
        await crawl_again(service, source_id, number=2)

    assert "/job/0" not in asked(origin)


async def test_a_run_whose_start_page_fails_fetches_nothing_that_waited(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=12, per_page=4)

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs", max_pages=7)
        await first_run(service, source_id)
        origin.log.clear()
        origin.route("/jobs", status=404)
        run = await crawl_again(service, source_id, number=2)

    assert run.outcome is RunOutcome.FAIL
    assert [path for path in asked(origin) if path.startswith("/job/")] == []


async def test_a_start_page_that_is_fetched_as_a_task_has_its_retries(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=2, per_page=4)

    async with going(quick_settings(tmp_path, origin, page_retries=3)) as service:
        source_id = await watch(service, origin.url + "/jobs", max_pages=50)
        await first_run(service, source_id)
        origin.route("/jobs", status=500)
        before = len(origin.hits("/jobs"))
        page = await _restart(service, "/jobs")

        async def is_put_off() -> bool:
            found = next(each for each in (await all_pages(service)).values() if each.id == page.id)
            return len(origin.hits("/jobs")) > before and found.retry_count == 1

        await until(is_put_off)
