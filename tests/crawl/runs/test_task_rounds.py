"""Submitted pages on the wire: asked for once, again when they are due, and never when nobody wants them."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.model.crawl import JobState, Trigger
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.schema import tables
from tests.origin import Answer, Origin, hang, redirect
from tests.origin.wire import Wire
from tests.service.in_process import all_pages, all_records, all_rows, asked, going, quick_settings
from tests.service.sites import links_html, posting_html
from tests.service.submitted_tasks import Desk
from tests.service.waiting import until


async def _no_open_run(desk: Desk) -> bool:
    return all(run.finished_at is not None for run in await all_rows(desk.service, tables.crawl_runs))


async def _make_due(desk: Desk) -> None:
    async def work(db: Connection) -> None:
        await db.execute(sa.update(tables.page_orders).values(next_at=desk.service.clock.now()))

    await desk.service.db.write(work)
    desk.service.bells.tasks.ring()


async def test_each_submitted_page_is_asked_for_once_and_nothing_on_it_is_followed(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/a", links_html("/b", "/c", head='<link rel="next" href="/a?page=2">'))
    origin.page("/job/1", posting_html(1), etag='"1"')

    async with going(quick_settings(tmp_path, origin)) as service:
        desk = await Desk.of(service, origin)
        ids = [await desk.submit("/a"), await desk.submit("/job/1")]
        tasks = [await desk.once(task_id, "completed") for task_id in ids]
        await until(lambda: _no_open_run(desk))
        (job,) = await all_rows(service, tables.crawl_jobs)
        runs = await all_rows(service, tables.crawl_runs)
        records = await all_records(service)

    assert sorted(asked(origin)) == ["/a", "/job/1"]
    assert [record.title for record in records] == ["Posting 01"]
    assert (tasks[1]["http_status_code"], tasks[1]["retry_count"]) == (200, 0)
    assert tasks[1]["html_path"]
    assert tasks[1]["response_time_ms"] is not None
    assert (job.state, job.pause_reason, job.next_run_at) == (JobState.PAUSED, "tasks", None)
    assert {run.trigger for run in runs} == {Trigger.TASKS}


async def test_a_recurring_task_is_asked_for_again_conditionally(origin: Origin, tmp_path: Path) -> None:
    origin.page("/job/1", posting_html(1), etag='"v1"')

    async with going(quick_settings(tmp_path, origin)) as service:
        desk = await Desk.of(service, origin)
        task_id = await desk.submit("/job/1", is_recurring=True, crawl_frequency="2 hours")
        first = await desk.once(task_id, "completed")
        await until(lambda: _no_open_run(desk))
        await _make_due(desk)

        async def again() -> bool:
            return len(asked(origin)) == 2 and await _no_open_run(desk)

        await until(again)
        task = await desk.task(task_id)

    assert (task["status"], task["recrawl_count"], task["crawl_frequency"]) == ("completed", 1, "2 hours")
    assert task["next_crawl_at"] > first["next_crawl_at"]
    assert origin.hits("/job/1")[1].headers["if-none-match"] == '"v1"'


async def test_pages_in_need_of_another_try_get_as_many_as_were_asked_for(origin: Origin, tmp_path: Path) -> None:
    origin.route("/broken", Answer(status=503))

    async with going(quick_settings(tmp_path, origin, page_retries=3)) as service:
        desk = await Desk.of(service, origin)
        task = await desk.once(await desk.submit("/broken", max_retries=0), "failed")

    assert len(asked(origin)) == 1
    assert (task["max_retries"], task["http_status_code"]) == (0, 503)
    assert task["error_message"].startswith("server_error")


async def test_a_task_is_retried_after_a_minute_and_then_ever_later(origin: Origin, tmp_path: Path) -> None:
    origin.route("/broken", Answer(status=503))

    async with going(quick_settings(tmp_path, origin)) as service:
        desk = await Desk.of(service, origin)
        await desk.submit("/broken", max_retries=4)
        waits = []
        for tries in range(1, 5):
            page = await until(lambda tries=tries: _put_off(service, "/broken", tries))  # type: ignore[misc]
            waits.append(round((page.due_at - page.failed_at) / timedelta(minutes=1)))
            await _make_retry_due(service, page)
        await until(lambda: _no_open_run(desk))

    assert waits == [1, 2, 4, 8]
    assert len(asked(origin)) == 5


async def _put_off(service: Service, path: str, tries: int) -> Any:
    page = (await all_pages(service)).get(path)
    return page if page is not None and page.retry_count == tries and page.due_at is not None else None


async def _make_retry_due(service: Service, page: Any) -> None:
    async def work(db: Connection) -> None:
        await db.execute(sa.update(tables.pages).where(tables.pages.c.id == page.id).values(due_at=None))
        await hosts.wake(db, [page.host_id], now=service.clock.now())

    await service.db.write(work)
    service.wake([page.host_id])
    service.bells.hosts.ring()


async def test_a_page_paused_in_flight_stays_paused_its_run_ends_and_it_goes_on_when_resumed(
    origin: Origin, tmp_path: Path
) -> None:
    is_paused = asyncio.Event()

    async def break_off(wire: Wire) -> None:
        await is_paused.wait()
        wire.reset()

    origin.route("/slow", Answer(perform=break_off), Answer(body=b"<p>here", headers={"Content-Type": "text/html"}))

    async with going(quick_settings(tmp_path, origin, request_retries=0)) as service:
        desk = await Desk.of(service, origin)
        task_id = await desk.submit("/slow")

        async def in_flight() -> bool:
            return len(asked(origin)) == 1

        await until(in_flight)
        paused = await desk.do(task_id, "pause")
        is_paused.set()
        await until(lambda: _no_open_run(desk))
        while_paused = await desk.task(task_id)
        await desk.do(task_id, "resume")
        await desk.once(task_id, "completed")

    assert paused["previous_status"] in ("crawling", "queued", "pending")
    assert while_paused["status"] == "paused"
    assert len(asked(origin)) == 2


async def test_reading_again_asks_the_site_for_nothing(origin: Origin, tmp_path: Path) -> None:
    origin.page("/job/1", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        desk = await Desk.of(service, origin)
        task_id = await desk.submit("/job/1")
        await desk.once(task_id, "completed")
        await until(lambda: _no_open_run(desk))
        log_length = len(origin.log)

        async def forget(db: Connection) -> None:
            await db.execute(sa.delete(tables.records))

        await service.db.write(forget)
        reread = await desk.do(task_id, "restart-parsing")
        await desk.once(task_id, "completed")
        await until(lambda: _no_open_run(desk))
        records = await all_records(service)

    assert reread["status"] == "downloaded"
    assert len(origin.log) == log_length
    assert [record.title for record in records] == ["Posting 01"]


async def test_what_a_cut_run_has_not_asked_for_is_due_again(origin: Origin, tmp_path: Path) -> None:
    origin.route("/slow", hang(), Answer(body=b"<p>1", headers={"Content-Type": "text/html"}))
    origin.page("/next", "<p>2")

    async with going(quick_settings(tmp_path, origin, read_timeout_seconds=5)) as service:
        desk = await Desk.of(service, origin)
        ids = [await desk.submit("/slow"), await desk.submit("/next")]

        async def in_flight() -> bool:
            return len(asked(origin)) >= 1

        await until(in_flight)
        (run,) = await all_rows(service, tables.crawl_runs)

        async def overdue(db: Connection) -> None:
            await db.execute(sa.update(tables.crawl_runs).values(deadline_at=service.clock.now()))

        await service.db.write(overdue)
        await service.leading.janitor.sweep()
        for task_id in ids:
            await desk.once(task_id, "completed")
        runs = await all_rows(service, tables.crawl_runs)

    assert run.id == runs[0].id
    assert len(runs) in (2, 3)  # one for both, or one for each
    assert runs[0].pages_failed == 0


async def test_a_redirect_is_followed_on_the_same_site(origin: Origin, tmp_path: Path) -> None:
    origin.route("/old", redirect("/new", 301))
    origin.page("/new", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        desk = await Desk.of(service, origin)
        await desk.once(await desk.submit("/old"), "completed")
        await until(lambda: _no_open_run(desk))
        records = await all_records(service)

    assert asked(origin) == ["/old", "/new"]
    assert [record.title for record in records] == ["Posting 01"]


async def test_the_most_important_page_of_a_domain_is_asked_for_first(origin: Origin, tmp_path: Path) -> None:
    for name in ("low", "high", "middle"):
        origin.page(f"/{name}", f"<p>{name}")

    async with going(quick_settings(tmp_path, origin), schedule=False) as service:
        desk = await Desk.of(service, origin)
        ids = [await desk.submit(f"/{name}", priority=at) for name, at in (("low", 10), ("high", 1), ("middle", 5))]
        await service.leading.task_rounds.make_round()
        for task_id in ids:
            await desk.once(task_id, "completed")

    assert asked(origin) == ["/high", "/middle", "/low"]


async def test_a_task_is_crawling_only_while_its_request_is_out(origin: Origin, tmp_path: Path) -> None:
    released = asyncio.Event()

    async def break_off(wire: Wire) -> None:
        await released.wait()
        wire.reset()

    origin.route("/slow", Answer(perform=break_off))
    origin.page("/next", "<h1>hello</h1>")
    async with going(quick_settings(tmp_path, origin)) as service:
        desk = await Desk.of(service, origin)
        first, second = await desk.submit("/slow", priority=1), await desk.submit("/next")
        crawling = await desk.once(first, "crawling")
        queued = await desk.task(second)
        released.set()
        await desk.once(second, "completed")

    assert crawling["started_at"] is not None
    assert (queued["status"], queued["started_at"]) == ("queued", None)
