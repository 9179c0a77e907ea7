"""Crawl jobs over the API: listed, ordered, changed, and told what is possible."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.model.crawl import SourceState
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from lamplighter.web.server import make_app
from lamplighter.web.view import ServiceView
from tests.web.api.given_sources import on_sqlite, watched
from tests.web.asgi_client import Ask

LATER = datetime(2100, 1, 1, tzinfo=UTC)

#: what a job is promised to say
FIELDS = set(
    """id source_id source_name url status interval_minutes interval_type schedule_enabled next_run_at
    adaptive_scheduling is_paused paused_at pause_reason cancelled_at max_retries retry_backoff_seconds
    current_retry_count auto_managed priority max_concurrent failure_count last_failure_at backoff_until
    crawl_window_start crawl_window_end metadata created_at updated_at next_run_reason actions""".split()
)


async def _rows(service: Service, table: sa.Table) -> list[Any]:
    async with service.db.read() as db:
        return list(await db.execute(sa.select(table).order_by(*table.primary_key.columns)))


async def test_a_list_shows_jobs_with_their_sources_and_says_the_total(service: Service, ask: Ask) -> None:
    for name in ("ant", "bee", "cow"):
        await watched(service, ask, name)

    reply = await ask.get("/api/v1/jobs", sort="source_name", order="asc", limit=2, offset=1)

    found = reply.json
    assert (reply.status, found["total"], found["limit"], found["offset"]) == (200, 3, 2, 1)
    assert [job["source_name"] for job in found["jobs"]] == ["bee", "cow"]
    assert set(found["jobs"][0]) >= FIELDS
    assert found["jobs"][0]["url"] == "https://bee.example/"
    assert found["jobs"][0]["status"] == "pending"
    assert found["jobs"][0]["next_run_at"].endswith("Z")
    assert found["jobs"][0]["next_run_reason"] == "as soon as possible: it has not run yet"


@on_sqlite
async def test_what_a_list_cannot_do_is_refused_by_name(ask: Ask) -> None:
    queries: dict[str, dict[str, Any]] = {
        "limit": {"limit": 251},
        "offset": {"offset": -1},
        "sort": {"sort": "password"},
        "status.0": {"status": "sleeping"},
        "priority_min": {"priority_min": 101},
        "search": {"search": "a\x00b"},
        "unknown": {"unknown": 1},
    }

    for field, query in queries.items():
        reply = await ask.get("/api/v1/jobs", **query)
        assert (reply.status, reply.json["errors"][0]["field"]) == (422, field)


async def test_an_order_takes_over_the_schedule_of_a_source(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    order = {
        "source_id": source.source_id,
        "url": "https://a.example",
        "interval_minutes": 360,
        "interval_type": "minutes",
        "schedule_enabled": True,
        "adaptive_scheduling": False,
        "priority": 90,
        "max_retries": 5,
        "retry_backoff_seconds": 30,
        "crawl_window_start": 22,
        "crawl_window_end": 5,
        "metadata": {"ticket": 7},
    }

    reply = await ask.post("/api/v1/jobs", order)

    job = reply.json
    said = {name: job[name] for name in order if name not in ("url", "source_id")}
    assert reply.status == 201
    assert (reply.headers["deprecation"], reply.headers["link"]) == (
        "true",
        '</api/v1/sources>; rel="successor-version"',
    )
    assert (job["id"], job["auto_managed"], job["policy"]) == (source.job_id, False, "fixed")
    assert said == {name: order[name] for name in said}


async def test_an_installation_may_end_orders_by_hand(service: Service, view: ServiceView) -> None:
    source = await watched(service, Ask(make_app(view)))
    closed = replace(view, settings=view.settings.model_copy(update={"manual_jobs": False}))

    reply = await Ask(make_app(closed)).post("/api/v1/jobs", {"source_id": source.source_id})

    assert (reply.status, reply.json["code"]) == (410, "gone")


async def test_a_second_order_by_hand_is_refused_and_names_the_first(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    order = {"source_id": source.source_id, "interval_minutes": 60}

    replies = await asyncio.gather(*(ask.post("/api/v1/jobs", order) for _ in range(3)))

    assert sorted(reply.status for reply in replies) == [201, 409, 409]
    refused = next(reply for reply in replies if reply.status == 409)
    assert (refused.json["code"], source.job_id in refused.json["detail"]) == ("duplicate_job", True)


#: what cannot be kept, and what is said then
REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"url": "https://other.example/"}, 422, "is not the URL of the source, which is https://a.example/"),
    ({"interval_minutes": 6, "interval_type": "hours"}, 422, "interval_minutes is always in minutes"),
    ({"interval_minutes": 5, "interval_type": "hours", "interval_value": 6}, 422, "are not the same"),
    ({"interval_minutes": 0}, 422, "interval_minutes must be at least 1"),
    ({"interval_value": 367, "interval_type": "days"}, 422, "use one minute to one year"),
    ({"interval_value": 10**30}, 422, "interval_value"),
    ({"crawl_window_start": 3}, 422, "give both or neither"),
    ({"crawl_window_start": 3, "crawl_window_end": 3}, 422, "has no length"),
    ({"metadata": {"a": "\x00"}}, 422, "U+0000"),
    ({"metadata": {"a": "\ud800"}}, 422, "cannot be stored"),
    ({"metadata": {"a": 10**30}}, 422, "64 bits"),
    ({"priority": 101}, 422, "priority"),
    ({"nonsense": 1}, 422, "nonsense"),
    ({"source_id": str(uuid4())}, 404, "GET /api/v1/sources lists them"),
]


@on_sqlite
async def test_an_order_that_cannot_be_kept_is_refused_in_words(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    before = await source.job()

    for order, status, words in REFUSED:
        reply = await ask.post("/api/v1/jobs", {"source_id": source.source_id} | order)
        assert (reply.status, words in reply.json["detail"]) == (status, True), (order, reply.text)

    assert await source.job() == before


#: how an order is put, and every how many minutes that is; None is once
ORDERS: list[tuple[dict[str, Any], int | None]] = [
    ({"interval_value": 6, "interval_type": "hours"}, 360),
    ({"interval_value": 2, "interval_type": "days"}, 2880),
    ({"schedule_enabled": False}, None),
    ({}, None),
    ({"interval_minutes": None}, None),
]


@on_sqlite
async def test_an_order_without_an_interval_is_for_once_and_due_now(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    await source.run()

    for order, minutes in ORDERS:
        job = (await ask.post("/api/v1/jobs", {"source_id": source.source_id} | order)).json
        assert (job["interval_minutes"], job["schedule_enabled"]) == (minutes, minutes is not None), order
        assert (job["next_run_reason"] == "an operator ordered it") == (minutes is None), order
        assert job["status"] == "scheduled", order
        await ask.post(f"{source.path}/auto")


async def test_what_was_set_by_hand_outlives_a_change_of_the_source_until_it_is_given_back(
    service: Service, ask: Ask
) -> None:
    source = await watched(service, ask, priority=20)
    await ask.put(f"{source.path}/override", {"interval_minutes": 45})

    await ask.patch(f"/api/v1/sources/{source.source_id}", {"interval_minutes": 600, "priority": 80})
    await service.events.deliver.deliver_all()
    kept = await source.job()
    freed = (await ask.delete(f"{source.path}/override")).json

    assert (kept["interval_minutes"], kept["priority"], kept["auto_managed"]) == (45, 80, False)
    assert (freed["interval_minutes"], freed["priority"], freed["auto_managed"]) == (600, 80, True)


async def test_a_job_that_ran_once_by_hand_begins_again_when_its_source_is_crawled_again_and_again(
    service: Service, ask: Ask
) -> None:
    source = await watched(service, ask)
    await source.run()
    await ask.post("/api/v1/jobs", {"source_id": source.source_id})
    await source.run()
    done = await source.job()

    freed = (await ask.post(f"{source.path}/auto")).json

    assert (done["status"], done["next_run_at"]) == ("completed", None)
    assert (freed["status"], freed["next_run_reason"]) == ("pending", "it is now recurring")
    assert freed["next_run_at"] is not None


async def test_a_source_that_was_to_be_crawled_once_goes_on_when_it_is_made_recurring(
    service: Service, ask: Ask
) -> None:
    source = await watched(service, ask, recurring=False)
    await source.run()
    done = await source.job()

    await ask.patch(f"/api/v1/sources/{source.source_id}", {"recurring": True})
    await service.events.deliver.deliver_all()

    assert done["status"] == "completed"
    assert (await source.job())["status"] == "pending"


async def test_a_source_is_as_well_as_its_job(service: Service, ask: Ask) -> None:
    tried_again, well = await watched(service, ask), await watched(service, ask, "b")
    await tried_again.run(failed="timeout")
    await well.run()

    listed = (await ask.get("/api/v1/sources", sort="name")).json["sources"]
    shown = [(await ask.get(f"/api/v1/jobs/by-source/{each['id']}")).json["health"]["status"] for each in listed]
    counted = (await ask.get("/api/v1/jobs/stats")).json["health"]

    assert [each["health"] for each in listed] == shown == ["failing", "healthy"]
    assert {state: number for state, number in counted.items() if number} == {"healthy": 1, "failing": 1, "failed": 1}


@on_sqlite
async def test_a_change_leaves_what_it_does_not_name(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    await ask.put(source.path, {"interval_minutes": 45, "priority": 70})

    changed = (await ask.put(source.path, {"max_retries": 0, "adaptive_scheduling": False})).json
    nothing = await ask.put(source.path, {})

    assert (changed["interval_minutes"], changed["priority"], changed["max_retries"]) == (45, 70, 0)
    assert changed["adaptive_scheduling"] is False
    assert (nothing.status, "nothing to change" in nothing.json["detail"]) == (422, True)


async def test_a_job_is_paused_resumed_run_and_cancelled(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    seen = []

    for action in ("pause", "force-run", "resume", "cancel"):
        reply = await ask.post(f"{source.path}/{action}")
        job = reply.json
        seen.append((action, reply.status, job["status"], job["pause_reason"], job["actions"]))

    assert seen == [
        ("pause", 200, "paused", "user", ["resume", "cancel", "force-run"]),
        ("force-run", 200, "paused", "user", ["resume", "cancel", "force-run"]),
        ("resume", 200, "scheduled", None, ["pause", "cancel", "force-run"]),
        ("cancel", 200, "cancelled", None, []),
    ]
    cancelled = await source.job()
    assert cancelled["cancelled_at"] is not None
    assert cancelled["paused_at"] is None
    (run,) = await _rows(service, tables.crawl_runs)
    assert run.outcome == "cancelled"
    actions = [line.action for line in await _rows(service, tables.audit_log)]
    assert actions[1:] == ["job.pause", "job.force_run", "job.resume", "job.cancel"]


@on_sqlite
@pytest.mark.parametrize("path", ["/api/v1/jobs/{}/force-run", "/api/v2/jobs/{}/force-run"])
async def test_a_forced_run_is_opened_at_once_and_refused_while_it_goes_on(
    service: Service, ask: Ask, path: str
) -> None:
    source = await watched(service, ask)

    first = await ask.post(path.format(source.job_id))
    second = await ask.post(path.format(source.job_id))

    execution = (await ask.get(f"/api/v1/executions/{first.json['execution_id']}")).json
    assert (first.json["status"], execution["status"], execution["metadata"]["trigger"]) == (
        "running",
        "running",
        "manual",
    )
    assert (second.status, second.json["possible"]) == (409, ["stop", "cancel"])


@on_sqlite
async def test_a_running_job_that_is_paused_finishes_its_run_and_stays_paused(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    await ask.post(f"{source.path}/force-run")

    paused = await ask.post(f"{source.path}/pause")
    going_on = (await ask.get(f"{source.path}/executions")).json["executions"][0]["status"]
    await source.end()

    assert (paused.status, paused.json["status"], going_on) == (200, "paused", "running")
    after = await source.job()
    assert (after["status"], after["pause_reason"]) == ("paused", "user")
    assert (await ask.get(f"{source.path}/executions")).json["executions"][0]["status"] == "completed"
    assert (await ask.post(f"{source.path}/resume")).json["status"] == "scheduled"


@on_sqlite
async def test_a_run_is_stopped_with_the_pause_or_without_one(service: Service, ask: Ask) -> None:
    source, other = await watched(service, ask), await watched(service, ask, "b")
    for each in (source, other):
        await ask.post(f"{each.path}/force-run")

    paused = await ask.post(f"{source.path}/pause?stop_run=true")
    stopped = await ask.post(f"{other.path}/stop")
    again = await ask.post(f"{other.path}/stop")

    assert (paused.json["status"], stopped.json["status"]) == ("paused", "scheduled")
    assert stopped.json["next_run_at"] is not None
    assert {row.outcome for row in await _rows(service, tables.crawl_runs)} == {"cancelled"}
    assert (again.status, again.json["possible"]) == (409, ["pause", "cancel", "force-run"])


@on_sqlite
async def test_runs_are_stopped_in_bulk(service: Service, ask: Ask) -> None:
    running, idle = await watched(service, ask), await watched(service, ask, "b")
    for each in (running, idle):
        await ask.post(f"{each.path}/force-run")
    await idle.end()

    by_job = (await ask.post("/api/v1/jobs/bulk", {"action": "stop", "ids": [running.job_id, idle.job_id]})).json
    await ask.post(f"{running.path}/force-run")
    by_source = (await ask.post("/api/v1/sources/bulk", {"action": "stop", "filter": {}})).json

    assert (by_job["succeeded"], by_job["failed"]) == (1, 1)
    assert (by_source["matched"], by_source["changed"]) == (2, 1)


@on_sqlite
async def test_what_is_not_possible_is_refused_with_what_is(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)

    retry = await ask.post(f"{source.path}/retry")
    unknown = await ask.post(f"/api/v1/jobs/{uuid4()}/pause")
    misspelt = await ask.get("/api/v1/jobs/nonsense")

    assert (retry.status, retry.json["possible"]) == (409, ["pause", "cancel", "force-run"])
    assert (unknown.status, unknown.json["code"]) == (404, "job_not_found")
    assert misspelt.status == 422


async def test_a_deleted_job_is_hidden_keeps_its_history_and_is_not_made_again(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    execution = await source.run()

    gone = await ask.delete(source.path)
    await service.leading.reconciler.reconcile()

    assert (gone.status, gone.json["status"]) == (200, "cancelled")
    assert (await ask.get(source.path)).status == 404
    assert (await ask.get("/api/v1/jobs")).json["total"] == 0
    assert (await ask.get(f"/api/v1/executions/{execution}")).status == 200
    assert (await ask.get(f"{source.path}/executions")).json["total"] == 1
    assert (await ask.get(f"{source.path}/stats")).json["total_executions"] == 1
    assert (await ask.get(f"{source.path}/logs")).status == 200
    assert (await ask.get(f"/api/v1/sources/{source.source_id}/executions")).json["total"] == 1


async def test_ordering_it_anew_brings_a_deleted_job_back(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    await ask.delete(source.path)

    reply = await ask.post("/api/v1/jobs", {"source_id": source.source_id, "interval_minutes": 60})

    assert (reply.status, reply.json["id"], reply.json["status"]) == (201, source.job_id, "pending")


@on_sqlite
async def test_many_jobs_are_acted_on_at_once_each_with_its_own_result(service: Service, ask: Ask) -> None:
    one, two, three = [await watched(service, ask, name) for name in ("ant", "bee", "cow")]
    await ask.post(f"{two.path}/pause")
    nobody = str(uuid4())

    preview = (await ask.post("/api/v1/jobs/bulk", {"action": "pause", "filter": {}, "preview": True})).json
    done = (await ask.post("/api/v1/jobs/bulk", {"action": "pause", "ids": [one.job_id, two.job_id, nobody]})).json
    rest = (await ask.post("/api/v1/jobs/bulk", {"action": "resume", "filter": {"status": ["paused"]}})).json
    both = await ask.post("/api/v1/jobs/bulk", {"action": "pause", "ids": [one.job_id], "filter": {}})

    assert (preview["total"], preview["preview"], preview["results"]) == (3, True, [])
    assert [(each["result"], each["code"]) for each in done["results"]] == [
        ("done", None),
        ("error", "not_possible"),
        ("error", "job_not_found"),
    ]
    assert (rest["total"], rest["succeeded"], (await three.job())["status"]) == (2, 2, "pending")
    assert both.status == 422


async def test_counts_and_stats_are_of_all_jobs(service: Service, ask: Ask) -> None:
    well, ill, idle = [await watched(service, ask, name) for name in ("ant", "bee", "cow")]
    await well.run()
    await ill.run(failed="timeout")
    await ask.post(f"{idle.path}/pause")

    counts = (await ask.get("/api/v1/jobs/status-counts")).json
    stats = (await ask.get("/api/v1/jobs/stats")).json

    assert (counts["scheduled"], counts["failed"], counts["paused"], counts["total"]) == (1, 1, 1, 3)
    assert set(counts) == {*"pending scheduled running completed failed paused cancelled total".split()}
    assert stats == {
        "total_sources": 3,
        "total_jobs": 3,
        "jobs_by_status": {"pending": 1, "running": 0, "completed": 0, "failed": 1, "paused": 1, "cancelled": 0},
        "health": dict.fromkeys(SourceState, 0) | {"healthy": 1, "failing": 1, "failed": 1, "paused": 1},
        "last_24h": {
            "total_runs": 2,
            "successful_runs": 1,
            "failed_runs": 1,
            "articles_extracted": 2,
            "success_rate": 0.5,
        },
        "throughput": {"articles_per_hour": 0.1, "runs_per_hour": 0.1},
    }


async def test_a_job_whose_runs_fail_is_found_as_failed_and_retried_at_once(service: Service, ask: Ask) -> None:
    well, ill = [await watched(service, ask, name) for name in ("ant", "bee")]
    await well.run()
    await ill.run(failed="timeout")

    failed = (await ask.get("/api/v1/jobs", status="failed")).json
    others = (await ask.get("/api/v1/jobs", status=["pending", "scheduled"])).json
    retried = await ask.post(f"{ill.path}/retry")
    refused = await ask.post(f"{well.path}/retry")

    assert [(each["id"], each["status"], each["state"]) for each in failed["jobs"]] == [
        (ill.job_id, "failed", "failing")
    ]
    assert "retry" in failed["jobs"][0]["actions"]
    assert (failed["total"], [each["id"] for each in others["jobs"]]) == (1, [well.job_id])
    assert (retried.status, retried.json["current_retry_count"], retried.json["failure_count"]) == (200, 0, 0)
    assert (refused.status, refused.json["code"]) == (409, "not_possible")


async def test_a_source_shows_its_job_its_health_and_its_latest_runs(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    await source.run()
    failed = await source.run(failed="timeout")

    found = (await ask.get(f"/api/v1/jobs/by-source/{source.source_id}")).json

    assert found["job"]["id"] == source.job_id
    health = found["health"]
    assert (health["status"], health["last_run_status"], health["success_rate"]) == ("failing", "failed", 0.5)
    assert (health["last_24h_runs"], health["last_24h_failures"], health["last_24h_articles"]) == (2, 1, 2)
    assert set(health) == set(
        """status last_run_at last_run_status last_24h_runs last_24h_failures last_24h_articles success_rate
        avg_duration_seconds""".split()
    )
    assert [run["status"] for run in found["recent_executions"]] == ["failed", "success"]
    assert found["recent_executions"][0]["id"] == failed
    assert set(found["recent_executions"][0]) == set(
        "id started_at completed_at status articles_count duration_seconds".split()
    )
    assert (await ask.get(f"/api/v1/jobs/by-source/{uuid4()}")).status == 404


@on_sqlite
@pytest.mark.parametrize(
    ("columns", "reason", "reason_of_run"),
    [
        pytest.param(
            {"blocked_until": LATER, "block_reason": "HTTP 500"},
            "its host ant.example gets no requests: HTTP 500",
            "HTTP 500",
            id="the host is blocked",
        ),
        pytest.param(
            {"proxy_wait_until": LATER, "proxy_wait_reason": "both rest"},
            "its host ant.example waits for a proxy: both rest",
            "both rest",
            id="no proxy can be used",
        ),
    ],
)
async def test_a_forced_run_whose_host_gets_no_requests_says_that_it_waits_and_until_when(
    service: Service, ask: Ask, columns: dict[str, Any], reason: str, reason_of_run: str
) -> None:
    source = await watched(service, ask, "ant")

    async def block(db: Connection) -> None:
        await db.execute(sa.delete(tables.hosts).where(tables.hosts.c.key == "ant.example"))
        await db.execute(sa.insert(tables.hosts).values({"key": "ant.example", "updated_at": LATER} | columns))

    await service.db.write(block)
    forced = (await ask.post(f"/api/v2/jobs/{source.job_id}/force-run")).json
    shown = await source.job()
    run = (await ask.get(f"/api/v1/executions/{forced['execution_id']}")).json

    assert forced["message"].startswith("The run was opened and waits until ")
    runs = (await ask.get(f"/api/v1/jobs/{source.job_id}/executions")).json["executions"]
    counts = (await ask.get("/api/v1/jobs/stats")).json["health"]
    rows = (await ask.get("/api/v1/sources?health=waiting")).json["sources"]
    by_source = (await ask.get(f"/api/v1/jobs/by-source/{source.source_id}")).json

    assert (shown["status"], shown["state"]) == ("running", "waiting")
    assert shown["waiting"]["reason"] == reason
    assert forced["waiting"] == shown["waiting"]
    assert run["waiting"] == {"reason": reason_of_run, "until": shown["waiting"]["until"]}
    assert [each["waiting"] for each in runs] == [run["waiting"]]
    assert [(row["health"], row["waiting"]) for row in rows] == [("waiting", shown["waiting"])]
    assert (counts["waiting"], counts["running"]) == (1, 0)
    assert by_source["health"]["status"] == "waiting"
    assert (await ask.get("/api/v1/sources?health=running")).json["sources"] == []
