"""An interval that a person sets is what happens, and the policy is that of the API by which it was set."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.app import Store
from lamplighter.store.schema import tables
from tests.store.given_rows import write
from tests.web.asgi_client import Ask

SOURCES, BOARDS, JOBS = "/api/v1/sources", "/admin/sources", "/api/v1/jobs"
URL = "https://quay.example/jobs"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


async def _job_of(ask: Ask, source_id: str) -> dict[str, Any]:
    job: dict[str, Any] = (await ask.get(f"{JOBS}/by-source/{source_id}")).json["job"]
    return job


async def _added(ask: Ask, path: str = SOURCES, **said: Any) -> dict[str, Any]:
    reply = await ask.post(path, {"careers_url" if path == BOARDS else "url": URL, **said})
    assert reply.status == 201, reply.text
    source: dict[str, Any] = reply.json
    return source


@pytest.mark.parametrize(
    ("said", "days", "policy"),
    [
        pytest.param({}, 3, "yield_days", id="nothing: three days"),
        pytest.param({"org_type": "un"}, 1, "yield_days", id="by its type"),
        pytest.param({"crawl_frequency_days": 7}, 7, "yield_days", id="as given"),
        pytest.param({"crawl_frequency_days": 7, "org_type": "un"}, 7, "yield_days", id="as given, whatever its type"),
        pytest.param({"crawl_frequency_days": 7, "policy": "fixed"}, 7, "fixed", id="another policy by name"),
        pytest.param({"policy": "learned", "org_type": "un"}, 1, "learned", id="learned by name"),
    ],
)
async def test_job_boards_keep_to_days(ask: Ask, said: dict[str, Any], days: float, policy: str) -> None:
    board = await _added(ask, BOARDS, **said)
    job = await _job_of(ask, board["id"])

    assert (board["crawl_frequency_days"], board["policy"]) == (days, policy)
    assert (job["interval_minutes"], job["policy"]) == (days * 1440, policy)


async def test_a_frequency_that_is_set_later_brings_its_policy(ask: Ask) -> None:
    source = await _added(ask)

    board = (await ask.patch(f"{BOARDS}/{source['id']}", {"crawl_frequency_days": 2})).json

    assert (source["policy"], board["policy"]) == (None, "yield_days")


@pytest.mark.parametrize(
    ("said", "policy"),
    [
        pytest.param({"adaptive_scheduling": True}, "hash_backoff", id="adaptive"),
        pytest.param({}, "hash_backoff", id="adaptive where nothing is said"),
        pytest.param({"adaptive_scheduling": False}, "fixed", id="exactly"),
        pytest.param({"policy": "learned"}, "learned", id="by name"),
    ],
)
async def test_the_policy_of_an_ordered_job_is_that_of_its_seed(ask: Ask, said: dict[str, Any], policy: str) -> None:
    source = await _added(ask)

    job = (await ask.post(JOBS, {"source_id": source["id"], "interval_minutes": 30, **said})).json

    assert (job["interval_minutes"], job["policy"]) == (30, policy)
    assert job["adaptive_scheduling"] == (policy != "fixed")


async def test_an_interval_of_a_source_is_kept_exactly_unless_a_policy_is_named(ask: Ask) -> None:
    source = await _added(ask, interval_minutes=30)
    exact = await _job_of(ask, source["id"])
    await ask.patch(f"{SOURCES}/{source['id']}", {"policy": "hash_backoff"})
    named = await _job_of(ask, source["id"])
    await ask.patch(f"{SOURCES}/{source['id']}", {"policy": None, "interval_minutes": None})
    left_open = await _job_of(ask, source["id"])

    assert [job["policy"] for job in (exact, named, left_open)] == ["fixed", "hash_backoff", "learned"]


@pytest.mark.parametrize(("unit", "number", "minutes"), [("minutes", 90, 90), ("hours", 6, 360), ("days", 2, 2880)])
async def test_an_interval_is_answered_in_the_unit_in_which_it_was_given(
    ask: Ask, unit: str, number: int, minutes: int
) -> None:
    source = await _added(ask)
    order = {"source_id": source["id"], "interval_value": number, "interval_type": unit}

    job = (await ask.post(JOBS, order)).json

    assert (job["interval_type"], job["interval_value"], job["interval_minutes"]) == (unit, number, minutes)
    assert (await ask.get(f"{JOBS}/{job['id']}")).json["interval_type"] == unit


async def test_an_override_takes_the_names_of_priorities(ask: Ask) -> None:
    job = await _job_of(ask, (await _added(ask))["id"])

    by_name = (await ask.put(f"{JOBS}/{job['id']}/override", {"priority": "high"})).json
    unknown = await ask.put(f"{JOBS}/{job['id']}/override", {"priority": "urgent"})

    assert by_name["priority"] == 75
    assert unknown.status == 422


async def test_more_than_one_run_at_a_time_is_refused_with_the_reason(ask: Ask) -> None:
    job = await _job_of(ask, (await _added(ask))["id"])

    refused = await ask.put(f"{JOBS}/{job['id']}", {"max_concurrent": 3})

    assert refused.status == 422
    assert "max_concurrent 3 is not possible: a crawl job has one run at a time" in refused.text


async def _scheduled(ask: Ask, store: Store, source_id: str, *, pace: timedelta) -> dict[str, Any]:
    """A job that ran now, and runs again after its pace."""
    job = await _job_of(ask, source_id)
    now = store.clock.now()
    about = {"state": "scheduled", "run_count": 1, "belief_a": 1.0, "belief_b": 9.0, "visited_at": now}
    planned = {"next_run_at": now + pace, "pace_seconds": int(pace.total_seconds())}
    policy = {"step": "policy", "policy": job["policy"], "seconds": 60.0, "set_seconds": 60.0}
    reason = {"steps": [policy], "expected": {"visits": 0}}
    where = tables.crawl_jobs.c.public_id == job["id"]
    change = sa.update(tables.crawl_jobs).where(where).values(**about, **planned, next_run_reason=reason)
    await write(store.db, lambda db: db.execute(change))
    return job | {"ran_at": now}


def _wait(job: dict[str, Any], ran: dict[str, Any]) -> timedelta:
    wait = datetime.fromisoformat(job["next_run_at"]) - ran["ran_at"]
    return timedelta(seconds=round(wait.total_seconds()))


@pytest.mark.parametrize("minutes", [30, 3 * 1440], ids=["shorter", "longer"])
@pytest.mark.parametrize("way", ["PUT source", "PATCH source", "PATCH board", "PUT job", "override", "POST job"])
async def test_a_changed_interval_moves_the_planned_run_and_says_so(
    ask: Ask, store: Store, way: str, minutes: int
) -> None:
    source = await _added(ask, interval_minutes=1440)
    ran = await _scheduled(ask, store, source["id"], pace=DAY)
    path, job_path = f"{SOURCES}/{source['id']}", f"{JOBS}/{ran['id']}"
    if way == "PATCH board":
        minutes = max(minutes, 720)
    said: dict[str, Any] = {"interval_minutes": minutes}

    match way:
        case "PUT source":
            await ask.put(path, {"url": URL} | said)
        case "PATCH source":
            await ask.patch(path, said)
        case "PATCH board":
            await ask.patch(f"{BOARDS}/{source['id']}", {"crawl_frequency_days": minutes / 1440})
        case "PUT job":
            await ask.put(job_path, said)
        case "override":
            await ask.put(f"{job_path}/override", said)
        case _:
            await ask.post(JOBS, {"source_id": source["id"]} | said)

    job = await _job_of(ask, source["id"])
    assert (job["interval_minutes"], _wait(job, ran)) == (minutes, timedelta(minutes=minutes))
    assert job["next_run_reason"].startswith("its interval was changed: set to")
    assert job["next_run_reason"].endswith("by a person")


async def test_removing_an_override_moves_the_planned_run_back(ask: Ask, store: Store) -> None:
    source = await _added(ask, interval_minutes=1440)
    ran = await _scheduled(ask, store, source["id"], pace=DAY)
    await ask.put(f"{JOBS}/{ran['id']}/override", {"interval_minutes": 30})
    soon = await _job_of(ask, source["id"])

    await ask.delete(f"{JOBS}/{ran['id']}/override")

    assert _wait(soon, ran) == timedelta(minutes=30)
    assert _wait(await _job_of(ask, source["id"]), ran) == DAY


async def test_every_api_says_what_holds_a_run_back_and_until_when(ask: Ask, store: Store) -> None:
    source = await _added(ask, interval_minutes=1440)
    await _scheduled(ask, store, source["id"], pace=DAY)
    tomorrow = (store.clock.now() + DAY).strftime("%a").lower()

    listed = (await ask.patch(f"{SOURCES}/{source['id']}", {"windows": f"deny {tomorrow}"})).json
    board = (await ask.get(f"{BOARDS}/{source['id']}")).json
    job = await _job_of(ask, source["id"])

    assert {each["next_run_at"] for each in (listed, board, job)} == {job["next_run_at"]}
    assert datetime.fromisoformat(job["next_run_at"]) > store.clock.now() + DAY
    assert all("for its window to open" in each["next_run_reason"] for each in (listed, board, job))
