"""A source whose host is asked through proxies: by which exit each page came, and what happens without any."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from lamplighter.app import Service
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.runs import activity
from lamplighter.store.schema import tables
from tests.fetch.stored_proxies import a_host, add_proxies
from tests.origin import Answer, Origin
from tests.origin.wire import Wire
from tests.proxies import HttpProxy, Mood, SocksProxy
from tests.proxies.listener import Listener
from tests.service.changed_rows import FIVE_MINUTES, change
from tests.service.in_process import (
    all_pages,
    all_rows,
    asked,
    crawl,
    first_run,
    going,
    host_of,
    quick_settings,
    watch,
)
from tests.service.sites import job_board
from tests.service.submitted_tasks import Desk
from tests.service.waiting import until
from tests.web.asgi_client import ask_of


@asynccontextmanager
async def served(
    folder: Path, origin: Origin, *proxies: Listener, **settings: Any
) -> AsyncIterator[tuple[Service, list[int]]]:
    """A service whose origin has these proxies."""
    async with AsyncExitStack() as stack:
        for proxy in proxies:
            await stack.enter_async_context(proxy)
        chosen = quick_settings(folder, origin, **({"allow_hosts": "127.0.0.0/8"} | settings))
        service = await stack.enter_async_context(going(chosen))
        host = await a_host(service.db, origin.address)
        yield service, await add_proxies(service.db, *proxies, host=host, vault=service.vault)


async def test_a_crawl_goes_through_its_proxies_and_says_by_which_each_page_came(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=4, per_page=4)
    proxies = [HttpProxy(exit="127.0.0.11"), SocksProxy(exit="127.0.0.12", username="u", password="canary")]

    async with served(tmp_path, origin, *proxies, run_log_level="debug") as (service, ids):
        run = await crawl(service, origin.url + "/jobs")
        pages = await all_pages(service)
        lines = [line for line in await all_rows(service, tables.run_log_lines) if line.action == "page.fetched"]

    exits = dict(zip([proxy.exit for proxy in proxies], ids, strict=True))
    assert run.outcome is RunOutcome.OK, run.message
    assert [hit.peer for hit in origin.log] == [proxies[number % 2].exit for number in range(len(origin.log))]
    assert {hit.path: exits[hit.peer] for hit in origin.log if hit.path in pages} == {
        path: page.proxy_id for path, page in pages.items()
    }
    assert {line.url: line.fields["proxy"] for line in lines} == {
        origin.url + path: page.proxy_id for path, page in pages.items()
    }
    assert min(origin.gaps()) >= 0.045


async def test_of_a_host_that_waits_for_a_proxy_only_the_page_that_was_refused_is_written(
    origin: Origin, tmp_path: Path
) -> None:
    async with served(tmp_path, origin, HttpProxy(exit="127.0.0.11")) as (service, _):
        now = service.clock.now()
        await change(service, tables.proxies, quarantined_until=now + FIVE_MINUTES, quarantine_count=1)
        await change(service, tables.hosts, lease_owner="nobody", lease_until=now + FIVE_MINUTES)
        for path in ("/one", "/two"):
            await watch(service, origin.url + path)
        await until(lambda: _pages(service, number=2))
        await change(service, tables.hosts, lease_owner=None, lease_until=None, due_at=now)
        host = await until(lambda: _left(service))
        limits = activity.CrawlLimits(runs=10, runs_per_host=4, host=service.source_defaults.host)
        async with service.db.read() as db:
            seen = await activity.now_going_on(db, limits=limits, stopped=None, trouble=None, now=now, most=5)
        pages = await all_rows(service, tables.pages)
        runs = await all_rows(service, tables.crawl_runs)

    refused = [page for page in pages if page.reason == "no_proxy"]
    assert [page.due_at for page in refused] == [host.due_at]
    assert len(pages) == 2
    assert all(run.deadline_at > host.due_at for run in runs)
    assert (seen.hosts[0].wait.word, seen.hosts[0].wait.why) == ("no proxy", refused[0].detail)
    assert (host.failure_count, host.blocked_until, origin.log) == (0, None, [])


async def _pages(service: Service, *, number: int) -> bool:
    return len(await all_rows(service, tables.pages)) == number


async def _left(service: Service) -> Any:
    """The host, once it was given back for later."""
    host = next(iter(await all_rows(service, tables.hosts)))
    is_later = host.lease_owner is None and host.due_at is not None and host.due_at > service.clock.now()
    return host if is_later else None


async def test_a_dead_proxy_costs_the_host_nothing(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=3, per_page=3)
    dead = HttpProxy(exit="127.0.0.11")

    async with served(tmp_path, origin, dead, SocksProxy(exit="127.0.0.12")) as (service, _):
        await dead.close()
        run = await crawl(service, origin.url + "/jobs")
        host = await host_of(service, origin)

    assert run.outcome is RunOutcome.OK, run.message
    assert {hit.peer for hit in origin.log} == {"127.0.0.12"}
    assert (host.failure_count, host.learnt_delay_ms, host.blocked_until) == (0, 0, None)


async def test_a_task_whose_proxies_all_fail_waits_and_loses_no_retry(origin: Origin, tmp_path: Path) -> None:
    origin.page("/a", "hello")
    proxies = [HttpProxy(exit="127.0.0.11"), HttpProxy(exit="127.0.0.12")]

    async with served(tmp_path, origin, *proxies) as (service, _):
        desk = await Desk.of(service, origin)
        await desk.once(await desk.submit("/missing"), "failed")
        for proxy in proxies:
            proxy.mood = Mood.REFUSE
        task_id = await desk.submit("/a", max_retries=1)
        waiting = await until(lambda: _waits(desk, task_id))
        for proxy in proxies:
            proxy.mood = Mood.PASS_ON
        now = service.clock.now()
        await change(service, tables.pages, due_at=now)
        await change(service, tables.hosts, due_at=now)
        told = await host_of(service, origin)
        done = await desk.once(task_id, "completed")
        served_again = await host_of(service, origin)

    assert "through proxy" in told.proxy_wait_reason
    assert served_again.proxy_wait_until is None
    assert waiting["retry_count"] == 0
    assert "through proxy" in waiting["error_message"]
    assert done["retry_count"] == 0


async def test_a_fault_that_may_be_the_only_proxys_costs_a_task_no_retry(origin: Origin, tmp_path: Path) -> None:
    origin.page("/a", "hello")
    proxy = HttpProxy(exit="127.0.0.11")

    async with served(tmp_path, origin, proxy) as (service, _):
        desk = await Desk.of(service, origin)
        await desk.once(await desk.submit("/missing"), "failed")
        proxy.mood = Mood.HANG_UP
        task_id = await desk.submit("/a", max_retries=1)
        for _ in range(2):
            waiting = await until(lambda: _waits(desk, task_id))
            await _hurry(service)
        proxy.mood = Mood.PASS_ON
        await _hurry(service)
        done = await desk.once(task_id, "completed")

    assert "it or the site failed" in waiting["error_message"]
    assert (waiting["retry_count"], done["retry_count"]) == (0, 0)


async def test_a_page_that_fails_while_the_only_proxy_reaches_others_is_the_sites_fault(
    origin: Origin, tmp_path: Path
) -> None:
    async def hang_up(wire: Wire) -> None:
        wire.reset()

    origin.route("/bad", Answer(perform=hang_up))
    for number in range(2):
        origin.page(f"/good/{number}", "hello")

    async with served(tmp_path, origin, HttpProxy(exit="127.0.0.11")) as (service, _):
        desk = await Desk.of(service, origin)
        task_id = await desk.submit("/bad", max_retries=0)
        await until(lambda: _waits(desk, task_id))
        await change(service, tables.hosts, due_at=service.clock.now())
        await desk.once(await desk.submit("/good/0"), "completed")
        await _hurry(service)
        failed = await desk.once(task_id, "failed")
        (proxy,) = await all_rows(service, tables.proxies)

    assert failed["error_message"].startswith("connect")
    assert (proxy.failure_total, proxy.failure_count) == (1, 0)


async def _hurry(service: Service) -> None:
    """Lets pages and hosts wait no longer."""
    now = service.clock.now()
    await change(service, tables.pages, due_at=now, reason=None, detail=None)
    await change(service, tables.hosts, due_at=now)


async def _was_asked(origin: Origin, *, times: int) -> bool:
    return len(origin.log) >= times


async def _waits(desk: Desk, task_id: int) -> dict[str, Any] | None:
    task = await desk.task(task_id)
    return task if task["error_message"] else None


async def test_the_pool_of_the_settings_serves_hosts_without_proxies_of_their_own(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=2, per_page=2)

    async with HttpProxy(exit="127.0.0.11", username="user", password="canary") as proxy:
        settings = quick_settings(tmp_path, origin, proxies_enabled=True, proxy_urls=proxy.url)
        async with going(settings) as service:
            run = await crawl(service, origin.url + "/jobs")
            rows = await all_rows(service, tables.proxies)

    assert run.outcome is RunOutcome.OK, run.message
    assert {hit.peer for hit in origin.log} == {"127.0.0.11"}
    assert [row.in_default_pool for row in rows] == [True]
    assert "canary" not in repr(settings)


async def test_a_pool_of_the_settings_that_is_dead_is_told_of_although_no_host_has_proxies_of_its_own(
    origin: Origin, tmp_path: Path
) -> None:
    async with HttpProxy(exit="127.0.0.11") as proxy:
        settings = quick_settings(tmp_path, origin, proxies_enabled=True, proxy_urls=proxy.url)
        async with going(settings) as service:
            now = service.clock.now()
            before = await service.notifying.watch.look(now)
            await change(service, tables.proxies, quarantined_until=now + FIVE_MINUTES, quarantine_count=1)
            seen = await service.notifying.watch.look(now)

    (found,) = seen["DomainShortOfProxies"].findings
    assert before["DomainShortOfProxies"].findings == ()
    assert (found.subject, found.detail) == ("pool:default pool", "the default pool: none of its 1 proxies work")


async def test_named_and_not_switched_on_the_pool_is_not_used(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=2, per_page=2)

    async with (
        HttpProxy(exit="127.0.0.11") as proxy,
        going(quick_settings(tmp_path, origin, proxy_urls=proxy.url)) as it,
    ):
        await crawl(it, origin.url + "/jobs")

    assert {hit.peer for hit in origin.log} == {"127.0.0.1"}
    assert asked(origin)


async def test_proxies_given_to_a_host_that_is_being_crawled_carry_its_very_next_request(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=12, per_page=12)

    async with HttpProxy(exit="127.0.0.11") as proxy:
        settings = quick_settings(tmp_path, origin, allow_hosts="127.0.0.0/8", min_delay_ms=200)
        async with going(settings) as service:
            ask = ask_of(service)
            source_id = await watch(service, origin.url + "/jobs")
            await until(lambda: _was_asked(origin, times=4))
            host = await host_of(service, origin)
            new = {"proxy_url": "127.0.0.1", "proxy_port": proxy.port, "proxy_protocol": "http"}
            proxy_id = (await ask.post("/api/admin/proxies", new)).json["data"]["id"]
            await ask.post(f"/admin/domain_policies/{origin.address}", {"proxy_mode": "only"})
            await ask.post("/api/admin/domains", {"base_url": origin.url})
            given = await ask.post(f"/api/admin/domains/{host.id}/proxies", {"proxy_ids": [proxy_id]})
            already = len(origin.log)
            run = await first_run(service, source_id)

    assert given.status == 201, given.text
    assert run.outcome is RunOutcome.OK, run.message
    assert {hit.peer for hit in origin.log[already + 1 :]} == {"127.0.0.11"}  # one may have been on its way
    assert len(origin.log) > already + 1


async def test_a_host_that_waits_for_a_proxy_goes_directly_as_soon_as_prefer_is_set(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=2, per_page=2)

    async with served(tmp_path, origin, HttpProxy(exit="127.0.0.11")) as (service, _):
        ask, policy = ask_of(service), f"/admin/domain_policies/{origin.address}"
        await ask.post(policy, {"proxy_mode": "only"})
        await change(service, tables.proxies, quarantined_until=service.clock.now() + FIVE_MINUTES, quarantine_count=1)
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: _left(service))
        waiting = (await ask.get("/api/v1/jobs")).json["jobs"]
        await ask.post(policy, {"proxy_mode": "prefer"})
        afterwards = await host_of(service, origin)
        run = await first_run(service, source_id)

    (told,) = [job["waiting"]["reason"] for job in waiting]
    assert told.startswith(f"its host {origin.address} waits for a proxy: the only proxy of")
    assert (afterwards.proxy_wait_until, afterwards.proxy_wait_reason) == (None, None)
    assert run.outcome is RunOutcome.OK, run.message
    assert {hit.peer for hit in origin.log} == {"127.0.0.1"}
