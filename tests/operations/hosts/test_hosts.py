"""Host policies, as an operator sets them."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import BadInput, BadUrl
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.operations.hosts import hosts
from lamplighter.store.engine.database import Database
from lamplighter.store.hosts import hosts as stored_hosts
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema import tables
from tests.changing import set_job, set_source
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.store.given_rows import a_job, a_run, some_pages, write


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        pytest.param({"max_concurrency": 0}, "max_concurrency 0 is out of range; use 1 to 64", id="nobody at once"),
        pytest.param({"min_delay_ms": -1}, "min_delay_ms -1.*use 0", id="a negative delay"),
        pytest.param({"max_pages": 0}, "max_pages 0.*use 1", id="no pages"),
        pytest.param({"max_page_kb": 10**9}, "max_page_kb 1000000000", id="a page of a terabyte"),
        pytest.param({"windows": 3}, "'windows' is not a setting.*min_delay_ms", id="no limit"),
    ],
)
async def test_an_impossible_policy_is_refused_and_nothing_is_stored(
    db: Database, policy: dict[str, int], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        await db.write(lambda c: hosts.set_policy(c, "a.example", HostChange(**policy), stamp=Stamp("test", NOON)))

    async with db.read() as connection:
        assert (await connection.execute(sa.select(tables.hosts))).all() == []


async def test_none_goes_back_to_the_default(db: Database) -> None:
    await db.write(
        lambda c: hosts.set_policy(c, "a.example", HostChange(max_pages=7, min_delay_ms=0), stamp=Stamp("test", NOON))
    )
    await db.write(lambda c: hosts.set_policy(c, "a.example", HostChange(max_pages=None), stamp=Stamp("test", NOON)))

    async with db.read() as connection:
        stored = (await connection.execute(sa.select(tables.hosts))).one()
    assert (stored.max_pages, stored.min_delay_ms) == (None, 0)


async def _set_times(db: Database, **times: Any) -> Any:
    await write(db, hosts.set_times, "a.example", stamp=Stamp("test", NOON), source_defaults=SourceDefaults(), **times)
    async with db.read() as connection:
        return (await connection.execute(sa.select(tables.hosts))).one()


async def test_windows_and_a_budget_are_set_and_windows_taken_back(db: Database) -> None:
    both = await _set_times(db, windows="deny 02:00-04:00 UTC", budget_per_hour=2.5)
    taken_back = await _set_times(db, windows="")

    assert (both.windows[0]["kind"], both.windows[0]["start"], both.budget_per_hour) == ("deny", "02:00", 2.5)
    assert (taken_back.windows, taken_back.budget_per_hour) == (None, 2.5)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        pytest.param({"budget_per_hour": 0}, "a budget of 0 fetches.*a.example.*above 0", id="nothing"),
        pytest.param({"budget_per_hour": float("nan")}, "budget of nan", id="not a number"),
        pytest.param({"budget_per_hour": 0.9}, "too small: its sources need at least 1 even", id="less than needed"),
        pytest.param({"windows": "09:00-09:00"}, "has no length", id="a window of no length"),
        pytest.param({"windows": "deny 00:00-24:00"}, "never", id="never open"),
    ],
)
@on_sqlite
async def test_times_that_cannot_be_kept_are_refused_and_nothing_is_stored(
    db: Database, times: dict[str, Any], message: str
) -> None:
    job_id = await write(db, a_job)
    ids = await write(db, stored_hosts.ensure, ["a.example"], now=NOON)
    # Twenty-four pages, to be had once a day at the least.
    await write(db, set_source, 1, now=NOON, max_interval=timedelta(days=1))
    await write(db, set_job, job_id, now=NOON, host_id=ids["a.example"], cost=24)

    with pytest.raises(BadInput, match=message):
        await _set_times(db, **times)

    async with db.read() as connection:
        stored = (await connection.execute(sa.select(tables.hosts))).one()
    assert (stored.windows, stored.budget_per_hour) == (None, None)


@on_sqlite
async def test_a_job_that_is_at_an_end_needs_no_budget(db: Database) -> None:
    job_id = await write(db, a_job)
    ids = await write(db, stored_hosts.ensure, ["a.example"], now=NOON)
    await write(db, set_job, job_id, now=NOON, host_id=ids["a.example"], cost=1e6, state="cancelled")

    assert (await _set_times(db, budget_per_hour=1)).budget_per_hour == 1


@pytest.mark.parametrize(
    ("given", "key"),
    [
        pytest.param("Example.ORG", "example.org", id="a name"),
        pytest.param("example.org:8080", "example.org:8080", id="a port of its own"),
        pytest.param("example.org:443", "example.org", id="the port of https"),
        pytest.param("example.org:80", "example.org", id="the port of http"),
        pytest.param("https://example.org/jobs?x=1", "example.org", id="a URL"),
        pytest.param("[::1]:8080", "[::1]:8080", id="an address of six"),
    ],
)
def test_a_host_is_known_by_one_name(given: str, key: str) -> None:
    assert hosts.host_key(given) == key


@pytest.mark.parametrize("given", ["", "not a host", "example.org/jobs", "user@example.org", "ftp://example.org/"])
def test_what_is_no_host_is_refused(given: str) -> None:
    with pytest.raises(BadUrl, match="host"):
        hosts.host_key(given)


@on_sqlite
async def test_what_changes_on_a_host_is_told_with_what_was_before(db: Database) -> None:
    await write(db, hosts.disable, "a.example", stamp=Stamp("anna", NOON))
    await write(db, hosts.enable, "a.example", stamp=Stamp("anna", NOON), run_deadline=timedelta(hours=1))
    await write(db, hosts.set_user_agent, "a.example", "Bot/2 (x)", ours="Bot/1", stamp=Stamp("anna", NOON))

    async with db.read() as connection:
        lines = (await connection.execute(sa.select(tables.audit_log).order_by(tables.audit_log.c.id))).all()
    assert [(line.action, line.before, line.after) for line in lines] == [
        ("host.disable", None, {"enabled": False}),
        ("host.enable", {"enabled": False}, {"enabled": True}),
        ("host.user_agent", {"user_agent": None}, {"user_agent": "Bot/2 (x)"}),
    ]


@on_sqlite
async def test_runs_that_waited_for_a_disabled_host_get_their_time_back(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1")
    await write(db, hosts.disable, "a.example", stamp=Stamp("anna", NOON))
    later = NOON + timedelta(hours=5)

    async with db.read() as connection:
        overdue_while_disabled = await crawl_runs.overdue(connection, now=later, limit=10)
    await write(db, hosts.enable, "a.example", stamp=Stamp("anna", later), run_deadline=timedelta(hours=1))
    async with db.read() as connection:
        overdue_at_once = await crawl_runs.overdue(connection, now=later, limit=10)
        overdue_an_hour_later = await crawl_runs.overdue(connection, now=later + timedelta(hours=1), limit=10)

    assert (overdue_while_disabled, overdue_at_once, overdue_an_hour_later) == ([], [], [run_id])
