"""Why a host or a job waits: one reason, the one that would hold on if the others were gone."""

from dataclasses import replace
from datetime import timedelta

import pytest

from lamplighter.model.fleet import CrawlPause
from lamplighter.model.host import Host, HostPolicy
from lamplighter.rules.hosts import waiting
from lamplighter.rules.hosts.waiting import HostCase, JobCase
from tests.moments import NOON

SECOND, LATER = timedelta(seconds=1), NOON + timedelta(minutes=5)
HOST = Host(id=1, key="a.example", policy=HostPolicy(min_delay=3 * SECOND))
READY = HostCase(host=HOST, held_by=None, lease_until=None, due_pages=4, next_page_at=None, detail=None)
HELD = replace(READY, held_by="worker-1", lease_until=LATER)
STOPPED = CrawlPause(since=NOON, paused_by="mara", reason="the proxies move")
DUE = JobCase(
    host="a.example",
    host_enabled=True,
    host_free_at=None,
    runs_on_host=0,
    runs=3,
    most_on_host=4,
    most=256,
    budget_free_at=None,
    is_scheduled=True,
)


def with_host(case: HostCase, **changes: object) -> HostCase:
    return replace(case, host=replace(case.host, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("case", "word", "why"),
    [
        pytest.param(READY, "ready", "a process with a free slot", id="nobody holds it"),
        pytest.param(
            replace(READY, due_pages=0, proxy_wait_until=LATER, proxy_wait_reason="both rest"),
            "no proxy",
            "both rest",
            id="it has no exit",
        ),
        pytest.param(
            replace(READY, due_pages=9, proxy_wait_until=LATER, proxy_wait_reason="both rest"),
            *("no proxy", "both rest"),
            id="one of its pages was refused for want of an exit, and the others wait with it",
        ),
        pytest.param(HELD, "being fetched", "every 3 s, by its policy; held by worker-1", id="somebody asks it"),
        pytest.param(
            with_host(HELD, crawl_delay=10 * SECOND), "being fetched", "every 10 s, as its robots.txt asks", id="robots"
        ),
        pytest.param(
            with_host(HELD, learnt_delay=8 * SECOND), "being fetched", "because it asked us to slow down", id="learnt"
        ),
        pytest.param(replace(HELD, due_pages=0), "held", "in case its pages link to more", id="nothing left to ask"),
        pytest.param(with_host(READY, free_at=LATER), "delay", "every 3 s, by its policy", id="between two requests"),
        pytest.param(
            with_host(READY, blocked_until=LATER, block_reason="staying away for 30 s"),
            *("backing off", "staying away for 30 s"),
            id="Retry-After",
        ),
        pytest.param(
            replace(READY, due_pages=0, next_page_at=LATER, detail="robots.txt could not be fetched"),
            *("retrying", "later: robots.txt could not be fetched"),
            id="its pages are tried later",
        ),
        pytest.param(
            replace(READY, held_by="worker-1", lease_until=NOON - SECOND),
            *("taken over", "worker-1 stopped without releasing it"),
            id="its holder is gone",
        ),
        pytest.param(
            with_host(READY, policy=HostPolicy(enabled=False)), "disabled", "until it is enabled", id="disabled"
        ),
    ],
)
def test_a_host_waits_for_one_reason(case: HostCase, word: str, why: str) -> None:
    wait = waiting.host_wait(case, stopped=None, trouble=None, now=NOON)

    assert wait.word == word
    assert why in wait.why


def test_while_all_stands_still_every_host_that_nobody_holds_says_so() -> None:
    wait = waiting.host_wait(READY, stopped=STOPPED, trouble=None, now=NOON)

    assert (wait.word, wait.why) == (
        "paused",
        "all crawling is paused since 2026-03-14 12:00 UTC by mara: the proxies move",
    )


def test_what_keeps_all_fetching_is_said_of_those_that_could_go() -> None:
    wait = waiting.host_wait(READY, stopped=None, trouble="the disk is full", now=NOON)

    assert (wait.word, wait.why) == ("blocked", "the disk is full")


@pytest.mark.parametrize(
    ("case", "word", "why"),
    [
        pytest.param(DUE, "about to run", "within seconds", id="nothing in its way"),
        pytest.param(replace(DUE, is_scheduled=False), "no scheduler", "duty schedule", id="no scheduler"),
        pytest.param(replace(DUE, host_enabled=False), "disabled", "a.example is disabled", id="host disabled"),
        pytest.param(replace(DUE, host_free_at=LATER), "budget", "the budget of a.example", id="host's budget"),
        pytest.param(replace(DUE, budget_free_at=LATER), "budget", "of all fetches", id="installation's budget"),
        pytest.param(replace(DUE, runs_on_host=4), "host busy", "4 runs in progress at a.example", id="host busy"),
        pytest.param(replace(DUE, runs=256), "no free slot", "256 runs in progress", id="no room"),
    ],
)
def test_a_due_job_waits_for_one_reason(case: JobCase, word: str, why: str) -> None:
    wait = waiting.job_wait(case, stopped=None, now=NOON)

    assert wait.word == word
    assert why in wait.why


def test_a_due_job_says_when_all_stands_still() -> None:
    assert waiting.job_wait(DUE, stopped=STOPPED, now=NOON).word == "paused"
