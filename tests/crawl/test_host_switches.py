"""What an operator says of a host or source, and what the site then sees: no request, another name, another pace."""

import asyncio
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from lamplighter.app import Service
from lamplighter.crawl import job_keeper
from lamplighter.operations import hosts
from lamplighter.operations.explain import explain
from lamplighter.store import sources, tables
from tests.crawl.rounds import all_pages, all_rows, asked, crawl, first_run, going, quick_settings, watch
from tests.crawl.sites import job_board, links_html
from tests.crawl.waiting import asked_for, until
from tests.origin import Origin

OURS = "LamplighterBot/1.0"


async def _say(service: Service, origin: Origin, operation: Any, *arguments: Any, **more: Any) -> None:
    now = service.clock.now()
    await service.db.write(lambda db: operation(db, origin.address, *arguments, actor="test", now=now, **more))


async def _enable(service: Service, origin: Origin) -> None:
    await _say(service, origin, hosts.enable, run_deadline=timedelta(minutes=5))
    service.bells.hosts.ring()
    service.bells.jobs.ring()


async def test_a_disabled_host_is_not_asked_and_its_job_waits_for_it_to_be_enabled(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=2, per_page=2)

    async with going(quick_settings(tmp_path, origin)) as service:
        await _say(service, origin, hosts.disable)
        source_id = await watch(service, origin.url + "/jobs")
        await asyncio.sleep(1)
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
        await asyncio.sleep(3)
        by_then = len(asked(origin))
        await asyncio.sleep(1)
        stopped_at = len(asked(origin))
        phases = [page.phase for page in (await all_pages(service)).values()]
        (open_run,) = await all_rows(service, tables.crawl_runs)
        await _say(service, origin, hosts.set_policy, min_delay_ms=10)
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
        visit = (await service.door.fetcher.ask_once(origin.url + "/jobs")).visit
        peeked = await service.door.fetcher.peek_once(origin.url + "/jobs")
        told = await explain(
            service.db, origin.url + "/jobs", token="x", defaults=service.norms.host, now=service.clock.now()
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
        await service.db.write(lambda db: sources.change(db, slow, now=now, min_delay_ms=400, enabled=True))
        await service.db.write(lambda db: _match(db, service, slow))
        service.bells.jobs.ring()
        await first_run(service, slow)

    gaps = [after.arrived - before.arrived for before, after in pairwise(origin.log)]
    assert min(gaps[: between - 1]) < 0.4
    assert min(gaps[between:]) >= 0.4


async def _match(db: Any, service: Service, source_id: int) -> None:
    await job_keeper.match(db, source_id, norms=service.norms, now=service.clock.now())


async def test_a_changed_policy_is_kept_within_seconds_by_a_run_that_goes_on(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=80, per_page=80)

    async with going(quick_settings(tmp_path, origin, min_delay_ms=30, lease_seconds=30)) as service:
        await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))
        await _say(service, origin, hosts.set_policy, min_delay_ms=700)
        await asyncio.sleep(2.5)
        heard = len(origin.log)
        await asyncio.sleep(3)

    assert len(origin.log) - heard >= 3
    assert min(after.arrived - before.arrived for before, after in pairwise(origin.log[heard - 1 :])) >= 0.7
