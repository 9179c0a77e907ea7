"""What an operator says of a host or source, and what the site then sees: no request, another name, another pace."""

import asyncio
import time
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from lamplighter.app import Service
from lamplighter.crawl.jobs import job_keeper
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.operations.explain.explain import explain
from lamplighter.operations.hosts import hosts
from lamplighter.store.schema import tables
from tests.changing import set_source
from tests.origin import Answer, Origin
from tests.origin.wire import Wire
from tests.service.in_process import all_pages, all_rows, asked, crawl, first_run, going, quick_settings, watch
from tests.service.installation import running
from tests.service.sites import job_board, links_html
from tests.service.waiting import A_WHILE_SECONDS, all_given_back, all_read, asked_for, holds_with_delay, until

OURS = "LamplighterBot/1.0"


async def _say(service: Service, origin: Origin, operation: Any, *arguments: Any, **more: Any) -> None:
    now = service.clock.now()
    await service.db.write(lambda db: operation(db, origin.address, *arguments, stamp=Stamp("test", now), **more))


async def _enable(service: Service, origin: Origin) -> None:
    await _say(service, origin, hosts.enable, run_deadline=timedelta(minutes=5))
    service.bells.hosts.ring()
    service.bells.jobs.ring()


async def _has_a_job(service: Service) -> bool:
    return bool(await all_rows(service, tables.crawl_jobs))


async def test_a_disabled_host_is_not_asked_and_its_job_waits_for_it_to_be_enabled(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=2, per_page=2)

    async with going(quick_settings(tmp_path, origin)) as service:
        await _say(service, origin, hosts.disable)
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: _has_a_job(service))
        await asyncio.sleep(A_WHILE_SECONDS)
        asked_while_disabled = list(origin.log)
        (job,) = await all_rows(service, tables.crawl_jobs)
        await _enable(service, origin)
        run = await first_run(service, source_id)

    assert asked_while_disabled == []
    assert (job.state, job.failure_count) == ("pending", 0)
    assert (run.outcome, run.tally.pages_fetched) == ("ok", 3)


async def test_a_host_disabled_in_the_middle_of_a_run_keeps_its_pages_waiting(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=30, per_page=30)

    async with going(quick_settings(tmp_path, origin, min_delay_ms=150)) as service:
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=4))
        await _say(service, origin, hosts.disable)
        await until(lambda: all_given_back(service))
        by_then = len(asked(origin))
        await asyncio.sleep(A_WHILE_SECONDS)
        stopped_at = len(asked(origin))
        await until(lambda: all_read(service))
        phases = [page.phase for page in (await all_pages(service)).values()]
        (open_run,) = await all_rows(service, tables.crawl_runs)
        await _say(service, origin, hosts.set_policy, HostChange(min_delay_ms=10))
        await _enable(service, origin)
        run = await first_run(service, source_id)

    assert stopped_at == by_then < 31
    assert set(phases) == {"completed", "pending"}
    assert open_run.finished_at is None
    assert (run.outcome, run.tally.pages_fetched, run.tally.pages_refused) == ("ok", 31, 0)


async def test_nothing_passes_the_gate_to_a_disabled_host_and_it_is_told_why(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", "<p>jobs</p>")

    async with going(quick_settings(tmp_path, origin)) as service:
        await _say(service, origin, hosts.disable)
        visit = (await service.door.fetcher.fetch_once(origin.url + "/jobs")).visit
        peeked = await service.door.fetcher.peek_once(origin.url + "/jobs")
        told = await explain(
            service.db, origin.url + "/jobs", token="x", defaults=service.source_defaults.host, now=service.clock.now()
        )

    assert origin.log == []
    assert getattr(visit, "reason", None) == getattr(peeked, "reason", None) == "host_disabled"
    assert (told.would_be_asked, told.host["enabled"]) == (False, False)


async def test_a_host_sees_the_name_its_operator_chose_and_robots_txt_still_speaks_to_our_own(
    origin: Origin, origin_factory: Any, tmp_path: Path
) -> None:
    other = await origin_factory(host="127.0.0.2")
    for site in (origin, other):
        site.robots("User-agent: LamplighterBot\nDisallow: /job/1\n")
        job_board(site, postings=2, per_page=2)
    agent = "LamplighterBot/9.9 (for Quay Partners)"

    async with going(quick_settings(tmp_path, origin, other)) as service:
        await _say(service, origin, hosts.set_user_agent, agent, ours=OURS)
        await crawl(service, origin.url + "/jobs")
        await crawl(service, other.url + "/jobs")
        await service.door.fetcher.peek_once(origin.url + "/jobs")

    assert {hit.headers["user-agent"] for hit in origin.log} == {agent}
    assert agent not in {hit.headers["user-agent"] for hit in other.log}
    assert "/robots.txt" in [hit.path for hit in origin.log]
    assert "/job/1" not in asked(origin)


async def test_a_source_that_asks_for_a_slower_pace_gets_it_and_its_neighbours_do_not(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/slow", links_html("/slow/1", "/slow/2", "/slow/3"))
    origin.page("/quick", links_html("/quick/1", "/quick/2", "/quick/3"))
    for number in (1, 2, 3):
        for name in ("slow", "quick"):
            origin.page(f"/{name}/{number}", f"<p>{name} {number}</p>")

    async with going(quick_settings(tmp_path, origin)) as service:
        quick = await watch(service, origin.url + "/quick")
        await first_run(service, quick)
        between = len(origin.log)
        slow = await watch(service, origin.url + "/slow", enabled=False)
        now = service.clock.now()
        delay = timedelta(milliseconds=400)
        await service.db.write(lambda db: set_source(db, slow, now=now, min_delay=delay, enabled=True))
        await service.db.write(lambda db: _match(db, service, slow))
        service.bells.jobs.ring()
        await first_run(service, slow)

    gaps = [after.arrived - before.arrived for before, after in pairwise(origin.log)]
    assert min(gaps[: between - 1]) < 0.4
    assert min(gaps[between:]) >= 0.4


async def _match(db: Any, service: Service, source_id: int) -> None:
    await job_keeper.match(db, source_id, source_defaults=service.source_defaults, now=service.clock.now())


def _held_back(origin: Origin, path: str) -> asyncio.Event:
    """The origin answers this path only when the event is set."""
    let_go = asyncio.Event()

    async def perform(wire: Wire) -> None:
        await let_go.wait()
        await wire.send(Answer().head(length=0))

    origin.route(path, Answer(perform=perform))
    return let_go


async def test_a_policy_changed_in_the_middle_of_a_run_holds_for_the_very_next_request(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/jobs", links_html("/job/0", "/job/1", "/job/2", "/job/3"))
    let_go = _held_back(origin, "/job/1")
    at = f"sqlite:///{tmp_path / 'lamplighter.db'}"

    async with running(tmp_path, at, min_delay_ms=30, lease_seconds=90, poll_seconds=0.2) as installation:
        await watch(installation.service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))
        slower = {"min_request_interval_ms": 700}
        await installation.post(f"/admin/domain_policies/{origin.address}", slower)
        let_go.set()
        answered_at = time.monotonic()
        await until(lambda: asked_for(origin, pages=5))

    after = [answered_at, *(hit.arrived for hit in origin.log if hit.arrived > answered_at)]
    assert len(after) >= 3
    assert min(later - earlier for earlier, later in pairwise(after)) >= 0.69


async def test_a_policy_that_another_process_changed_holds_long_before_the_lease_is_renewed(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/jobs", links_html("/job/0", "/job/1", "/job/2"))
    let_go = _held_back(origin, "/job/1")

    async with going(quick_settings(tmp_path, origin, lease_seconds=90, total_timeout_seconds=30)) as service:
        await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))
        await _say(service, origin, hosts.set_policy, HostChange(min_delay_ms=700))
        await until(lambda: holds_with_delay(service, timedelta(milliseconds=700)))
        let_go.set()
        answered_at = time.monotonic()
        await until(lambda: asked_for(origin, pages=4))

    assert origin.log[-1].arrived - answered_at >= 0.69


async def test_fewer_requests_at_once_hold_for_a_host_that_is_being_crawled(origin: Origin, tmp_path: Path) -> None:
    may_end = asyncio.Semaphore(0)
    out, at_once = 0, list[int]()

    async def perform(wire: Wire) -> None:
        nonlocal out
        out += 1
        at_once.append(out)
        await may_end.acquire()
        out -= 1
        await wire.send(Answer().head(length=0))

    async def one_has_ended(count: int) -> bool:
        return sum(at_once) > 0 and len(at_once) - out >= count

    paths = [f"/job/{number}" for number in range(8)]
    origin.page("/jobs", links_html(*paths))
    for path in paths:
        origin.route(path, Answer(perform=perform))

    chosen = quick_settings(tmp_path, origin, min_delay_ms=0, max_concurrency=4, read_timeout_seconds=60)
    async with going(chosen) as service:
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: _have_come(at_once, 3))
        await _say(service, origin, hosts.set_policy, HostChange(max_concurrency=1))
        await until(lambda: _allows(service, requests=1))
        before = len(at_once)
        for number, _ in enumerate(paths, 1):
            may_end.release()
            await until(lambda number=number: one_has_ended(number))
        await first_run(service, source_id)

    assert set(at_once[before:]) == {1}
    assert len(at_once) == len(paths)


async def _have_come(requests: Sequence[int], number: int) -> bool:
    return len(requests) >= number


async def _allows(service: Service, *, requests: int) -> bool:
    return all(held.host.policy.max_concurrency == requests for held in service.door.turns.held.values())
