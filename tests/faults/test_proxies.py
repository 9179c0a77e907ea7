"""Rows G of the fault matrix: whose fault it is when a proxy stands in between, and what it must never tell."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from lamplighter import telemetry
from lamplighter.app import Service
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.explain import explain
from lamplighter.operations.runs import activity
from lamplighter.store.schema import tables
from tests.faults.certificates import Authority
from tests.faults.conftest import Site
from tests.faults.crawl_outcome import all_crawled, crawled
from tests.faults.secret_leaks import files_of, paths_to_look_at, rows_of
from tests.fetch.client_stack import TOLERANCE
from tests.fetch.stored_proxies import a_host, add_proxies, proxy_row
from tests.origin import Origin, redirect
from tests.proxies import HttpProxy, Mood, SocksProxy
from tests.proxies.listener import Listener
from tests.service.changed_rows import FIVE_MINUTES, change
from tests.service.in_process import all_rows, asked, first_run, going, host_of, quick_settings, watch
from tests.service.sites import job_board
from tests.service.waiting import until
from tests.web.asgi_client import ask_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: opens proxies and gives them to an origin's host, with this policy
Give = Callable[..., Awaitable[list[int]]]
POSTINGS = 6
CANARY = "canary7lantern"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(
    client_of_tests: None, migrated_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Service]:
    """A service that makes its rounds, and may ask whoever is on loopback, proxies among them."""
    folder = tmp_path_factory.mktemp("proxies")
    shutil.copyfile(migrated_file, folder / "lamplighter.db")
    chosen = quick_settings(
        folder, allow_hosts="127.0.0.0/8", read_timeout_seconds=2, connect_timeout_seconds=2, run_log_level="debug"
    )
    async with going(chosen) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="module")
async def give(service: Service) -> AsyncIterator[Give]:
    """Gives proxies to a host: `await give(origin, HttpProxy(exit=EXIT), proxy_mode="prefer")`."""
    async with AsyncExitStack() as opened:

        async def give_to(origin: Origin, *proxies: Listener, **policy: Any) -> list[int]:
            for proxy in proxies:
                await opened.enter_async_context(proxy)
            host = await a_host(service.db, origin.address, **({"proxy_mode": "only"} | policy))
            return await add_proxies(service.db, *proxies, host=host, vault=service.vault)

        yield give_to


async def test_g1_a_proxys_own_fault_is_held_against_the_proxy_alone(
    service: Service, site: Site, give: Give, authority: Authority
) -> None:
    faults = {"dead": None, "407": Mood.REFUSE, "502": Mood.UNREACHABLE, "slow": Mood.STALL, "liar": Mood.LIE}
    sites, bad, ids = dict[str, Origin](), dict[str, HttpProxy](), dict[str, list[int]]()
    for number, (fault, mood) in enumerate(faults.items(), start=1):
        host = f"127.7.240.{number}"
        sites[fault] = await site(host, tls=authority.server(host))
        job_board(sites[fault], postings=POSTINGS, per_page=POSTINGS)
        bad[fault] = HttpProxy(exit="127.0.0.11")
        bad[fault].unreachable = (502, {})
        ids[fault] = await give(sites[fault], bad[fault], SocksProxy(exit="127.0.0.12"))
        bad[fault].mood = mood or Mood.PASS_ON
    await bad["dead"].close()

    runs = await all_crawled(service, *(each.url + "/jobs" for each in sites.values()))

    hosts = [await host_of(service, each) for each in sites.values()]
    rests = {row.proxy_id: row.quarantined_until for row in await all_rows(service, tables.proxy_standings)}
    assert [(seen.run.outcome, len(seen.titles)) for seen in runs] == [(RunOutcome.OK, POSTINGS)] * len(faults)
    assert {hit.peer for each in sites.values() for hit in each.log} == {"127.0.0.12"}
    assert {(host.failure_count, host.learnt_delay_ms, host.blocked_until) for host in hosts} == {(0, 0, None)}
    assert {fault for fault, (bad_one, _) in ids.items() if rests[bad_one] is None} == set()
    assert {fault for fault, (_, good_one) in ids.items() if rests[good_one] is not None} == set()


async def test_g2_without_a_usable_proxy_a_run_waits_with_the_reason_unless_the_policy_lets_it_go_directly(
    service: Service, site: Site, give: Give
) -> None:
    strict, lax = await site(), await site()
    for origin in (strict, lax):
        job_board(origin, postings=3, per_page=3)
    ids = [*await give(strict, HttpProxy(exit="127.0.0.11")), *await give(lax, HttpProxy(), proxy_mode="prefer")]
    rest = service.clock.now() + FIVE_MINUTES
    await change(service, tables.proxies, quarantined_until=rest, quarantine_count=1, failure_count=10)

    directly = await crawled(service, lax.url + "/jobs")
    source_id = await watch(service, strict.url + "/jobs")
    page, host = await until(lambda: _waiting(service, strict))
    shown, by_then = await _shown(service, strict), len(strict.log)
    (waits,) = [run for run in await all_rows(service, tables.crawl_runs) if run.finished_at is None]
    now = service.clock.now()
    for table, column in ((tables.proxies, "quarantined_until"), (tables.pages, "due_at"), (tables.hosts, "due_at")):
        await change(service, table, **{column: now})
    run = await first_run(service, source_id)

    proxy = await proxy_row(service.db, ids[0])
    assert (directly.run.outcome, {hit.peer for hit in lax.log}) == (RunOutcome.OK, {"127.0.0.1"})
    reason = f"the only proxy of {strict.address} is backing off after failures; next try {rest:%Y-%m-%d %H:%M} UTC"
    assert (page.phase, page.retry_count, page.due_at, page.detail) == ("pending", 0, host.due_at, reason)
    assert shown == ([f"it waits for a proxy: {reason}"], ("no proxy", reason))
    assert (by_then, host.failure_count, waits.deadline_at > rest >= host.due_at) == (0, 0, True)
    assert (run.outcome, run.tally.records_inserted) == (RunOutcome.OK, 3)
    assert {hit.peer for hit in strict.log} == {"127.0.0.11"}
    assert (proxy.failure_count, proxy.quarantined_until) == (0, None)


async def _waiting(service: Service, origin: Origin) -> tuple[Any, Any] | None:
    """The page that waits for a proxy, and its host, once that was given back."""
    host = await host_of(service, origin)
    pages = [page for page in await all_rows(service, tables.pages) if page.reason == "no_proxy"]
    return (pages[0], host) if pages and host.lease_owner is None else None


async def _shown(service: Service, origin: Origin) -> tuple[list[str], tuple[str, str]]:
    """What an operator is told who asks why nothing happens."""
    now, defaults = service.clock.now(), service.source_defaults.host
    on_outcome = await explain.explain(service.db, origin.url + "/jobs", token="x", defaults=defaults, now=now)
    limits = activity.CrawlLimits(runs=10, runs_per_host=4, host=defaults)
    async with service.db.read() as db:
        seen = await activity.now_going_on(db, limits=limits, stopped=None, trouble=None, now=now, most=5)
    (wait,) = [host.wait for host in seen.hosts if host.wait.word == "no proxy"]
    return [obstacle.why for obstacle in on_outcome.obstacles], (wait.word, wait.why)


async def test_g3_however_many_proxies_lead_to_a_host_it_is_asked_at_its_own_pace(
    service: Service, site: Site, give: Give
) -> None:
    origin, exits = await site(), [f"127.0.0.{number}" for number in range(11, 15)]
    job_board(origin, postings=15, per_page=15)
    proxies = [kind(exit=endpoint) for kind, endpoint in zip([HttpProxy, SocksProxy] * 2, exits, strict=True)]
    await give(origin, *proxies, max_concurrency=4, min_delay_ms=80)

    async with going(service.settings):  # one more worker, on the same database
        seen = await crawled(service, origin.url + "/jobs")

    assert (seen.run.outcome, len(seen.titles)) == (RunOutcome.OK, 15)
    assert {hit.peer for hit in origin.log} == set(exits)
    assert min(origin.gaps()) >= 0.08 - TOLERANCE


async def test_g4_a_proxys_credentials_are_shown_to_nobody(
    service: Service, site: Site, give: Give, capsys: pytest.CaptureFixture[str]
) -> None:
    telemetry.configure("debug")
    origin = await site()
    job_board(origin, postings=3, per_page=3)
    good, wrong, dead = [
        HttpProxy(exit="127.0.0.11", username="good", password=f"{CANARY}-good"),
        HttpProxy(exit="127.0.0.12", username="wrong", password=f"{CANARY}-wrong"),
        SocksProxy(exit="127.0.0.13", username="dead", password=f"{CANARY}-dead"),
    ]
    ids = [*await give(origin, good, wrong), *await give(origin, dead)]
    wrong.password = "another"  # so that what we know of it is wrong
    await dead.close()
    ask = ask_of(service)

    refused = await ask.post("/api/admin/proxies", {"proxy_url": f"gopher://user:{CANARY}-bad@127.0.0.1:99"})
    source_id = await watch(service, origin.url + "/jobs")
    await until(lambda: _all_used(service, ids))
    await first_run(service, source_id)
    looked_at = [path for path in paths_to_look_at({"host": origin.address, "proxy_id": ids[1]}) if _is_told_of(path)]
    seen = {path: (await ask(path)).text for path in looked_at}
    seen |= {"refused": refused.text, "database": (await rows_of(service)).decode()}
    seen["files"] = files_of(service.settings.data_dir).decode("latin-1")
    seen["log"] = "".join(capsys.readouterr())

    assert len(looked_at) >= 10
    assert refused.status == 400
    assert {hit.peer for hit in origin.log} == {good.exit}
    assert {where for where, text in seen.items() if CANARY in text} == set()
    assert not any(CANARY in str(hit.headers) for hit in origin.log)


def _is_told_of(path: str) -> bool:
    """Whether something about proxies, or about what came of asking through them, is told there."""
    return any(word in path for word in ("prox", "domains", "hosts", "frontier", "logs", "runs", "metrics", "audit"))


async def _all_used(service: Service, ids: list[int]) -> bool:
    rows = [row for row in await all_rows(service, tables.proxies) if row.id in ids]
    return all(row.success_total or row.failure_total for row in rows)


async def test_g5_only_the_proxies_that_were_given_are_used_and_each_hop_goes_by_its_own(
    service: Service, site: Site, give: Give, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, secure = await site(), await site("127.7.241.1", tls=authority.server("127.7.241.1"))
    plain.route("/moved", redirect(secure.url + "/here"))
    secure.route("/back", redirect(plain.url + "/there"))
    for origin, path in ((secure, "/here"), (plain, "/there")):
        origin.page(path, "<h1>hello</h1>")
    await give(secure, SocksProxy(exit="127.0.0.12"))

    async with HttpProxy(exit="127.0.0.11") as environments:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, environments.url)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.setenv(name, secure.host)
        moved, back = await all_crawled(service, plain.url + "/moved", secure.url + "/back", max_depth=0)

    assert RunOutcome.FAIL not in (moved.run.outcome, back.run.outcome), (moved.message, back.message)
    assert environments.asked == []
    assert {hit.peer for hit in plain.log} == {"127.0.0.1"}
    assert {hit.peer for hit in secure.log} == {"127.0.0.12"}
    assert [sorted(asked(origin)) for origin in (plain, secure)] == [["/moved", "/there"], ["/back", "/here"]]
