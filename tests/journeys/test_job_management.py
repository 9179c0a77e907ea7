"""A program that manages crawl jobs: creates, runs, pauses, cancels and retries them, and reads what they did."""

import asyncio
import json
from typing import Any

import pytest

from tests.origin import Answer, Origin
from tests.service.in_process import asked
from tests.service.installation import Installation, until
from tests.service.sites import job_board


async def _scheduled_job(installation: Installation, source: Any) -> str:
    """The id of a source's job, once it is scheduled."""

    async def look() -> Any:
        reply = await installation.ask("GET", f"/api/v1/jobs/by-source/{source['id']}")
        return reply.json["job"] if reply.status == 200 and reply.json["job"]["status"] == "scheduled" else None

    job_id: str = (await until(look))["id"]
    return job_id


async def _in(installation: Installation, job_id: str, *wanted: str) -> Any:
    async def look() -> Any:
        shown = await installation.get(f"/api/v1/jobs/{job_id}")
        return shown if shown["status"] in wanted else None

    return await until(look)


async def test_a_job_made_by_hand_is_deprecated_runs_and_keeps_its_interval(
    installation: Installation, origin: Origin
) -> None:
    job_board(origin, postings=2, per_page=2)
    source = await installation.add_source(f"{origin.url}/jobs", enabled=False)
    await installation.post(f"/api/v1/sources/{source['id']}/enable", {})

    made = await installation.ask(
        "POST",
        "/api/v1/jobs",
        {
            "source_id": source["id"],
            "url": f"{origin.url}/jobs",
            "interval_minutes": 360,
            "interval_type": "minutes",
            "schedule_enabled": True,
            "adaptive_scheduling": False,
        },
    )
    job = await _in(installation, made.json["id"], "scheduled")

    assert (made.status, made.headers["Deprecation"]) == (201, "true")
    assert (job["interval_minutes"], job["auto_managed"], job["adaptive_scheduling"]) == (360, False, False)
    executions = await installation.get(f"/api/v1/jobs/{job['id']}/executions")
    (execution,) = executions["executions"]
    assert (execution["status"], execution["execution_number"]) == ("completed", 1)
    assert (await installation.get(f"/api/v1/executions/{execution['id']}"))["job_id"] == job["id"]


async def test_a_job_that_runs_once_is_completed_and_final(installation: Installation, origin: Origin) -> None:
    job_board(origin, postings=1, per_page=1)
    source = await installation.add_source(f"{origin.url}/jobs", enabled=False)
    await installation.post(f"/api/v1/sources/{source['id']}/enable", {})

    made = await installation.ask("POST", "/api/v1/jobs", {"source_id": source["id"], "schedule_enabled": False})
    await _in(installation, made.json["id"], "completed")
    refused = await installation.ask("POST", f"/api/v1/jobs/{made.json['id']}/pause")

    assert refused.status == 409
    assert "completed" in refused.json["detail"]


async def test_every_step_is_taken_or_refused_with_what_is_possible(installation: Installation, origin: Origin) -> None:
    job_board(origin, postings=1, per_page=1)
    source = await installation.add_source(f"{origin.url}/jobs")

    job = await _scheduled_job(installation, source)

    async def step(name: str, version: int = 1) -> int:
        return (await installation.ask("POST", f"/api/v{version}/jobs/{job}/{name}")).status

    assert (await step("retry"), await step("resume")) == (409, 409)
    assert (await step("pause"), await step("pause"), await step("resume")) == (200, 409, 200)
    assert await step("force-run", 2) in (200, 202)
    await _in(installation, job, "scheduled")
    assert await step("force-run") in (200, 202)
    await _in(installation, job, "scheduled")
    assert (await step("cancel"), await step("cancel")) == (200, 409)
    refused = await installation.ask("POST", f"/api/v1/jobs/{job}/resume")
    assert refused.json["code"] == "not_possible"
    assert len(origin.hits("/jobs")) == 3


async def test_a_failed_job_is_tried_again_when_somebody_asks(installation: Installation, origin: Origin) -> None:
    origin.route("/jobs", Answer(status=404))
    source = await installation.add_source(f"{origin.url}/jobs", enabled=False)
    await installation.post(f"/api/v1/sources/{source['id']}/enable", {})
    made = await installation.ask(
        "POST", "/api/v1/jobs", {"source_id": source["id"], "schedule_enabled": False, "max_retries": 0}
    )
    await _in(installation, made.json["id"], "failed")
    job_board(origin, postings=1, per_page=1)

    retried = await installation.ask("POST", f"/api/v1/jobs/{made.json['id']}/retry")

    assert retried.status == 200
    assert await _in(installation, made.json["id"], "completed")


async def test_what_a_run_did_can_be_read_downloaded_and_followed(installation: Installation, origin: Origin) -> None:
    job_board(origin, postings=1, per_page=1)
    source = await installation.add_source(f"{origin.url}/jobs")

    job = await _scheduled_job(installation, source)

    view = await installation.get(f"/api/v1/jobs/{job}/logs/view")
    download = await installation.ask("GET", f"/api/v1/jobs/{job}/logs/download")
    stream = await installation.ask("GET", f"/api/v1/jobs/{job}/logs/stream/v2")

    messages = [line["message"] for line in view["lines"]]
    assert any("opened" in message for message in messages)
    assert all(message in download.body.decode() for message in messages)
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    assert b"event: end" in stream.body
    assert all(message in stream.body.decode() for message in messages)


async def test_the_scheduler_tells_how_it_fares_and_rebalances(installation: Installation, origin: Origin) -> None:
    job_board(origin, postings=1, per_page=1)
    source = await installation.add_source(f"{origin.url}/jobs")

    async def has_run() -> Any:
        stats = await installation.get("/api/v1/jobs/stats")
        return stats if stats["last_24h"]["successful_runs"] == 1 else None

    await until(has_run)
    metrics = await installation.get("/api/v1/scheduler/metrics")
    distribution = await installation.get("/api/v1/scheduler/distribution")
    preview = await installation.post("/api/v1/scheduler/rebalance/preview")
    done = await installation.post("/api/v1/scheduler/rebalance")
    counts = await installation.get("/api/v1/jobs/status-counts")

    assert metrics["executions"]["success_rate"] == 1.0
    assert metrics["stale_locks_cleared"] == 0
    assert 0 <= distribution["distribution_score"] <= 1
    assert (preview["moves"], done["moves"]) == ([], [])
    assert counts["scheduled"] == 1
    assert (await installation.get(f"/api/v1/sources/{source['id']}/executions"))["total"] == 1


@pytest.mark.parametrize("path", ["/sse/health/events", "/api/health/events", "/sse/metrics/events"])
async def test_how_it_is_can_be_followed_live(installation: Installation, path: str) -> None:
    told = await installation.first_event_of(path)

    assert isinstance(json.loads(told.removeprefix("data:")), dict)


async def test_what_happens_can_be_followed_live(installation: Installation, origin: Origin) -> None:
    job_board(origin, postings=1, per_page=1)

    async with asyncio.TaskGroup() as group:
        following = group.create_task(installation.first_event_of("/sse/crawler/events"))
        await asyncio.sleep(0.5)
        source = await installation.add_source(f"{origin.url}/jobs")

    assert source["id"] in following.result()


async def test_an_override_holds_until_it_is_taken_back(installation: Installation, origin: Origin) -> None:
    job_board(origin, postings=1, per_page=1)
    source = await installation.add_source(f"{origin.url}/jobs", interval_minutes=120)

    job = await _scheduled_job(installation, source)
    await installation.ask("PUT", f"/api/v1/jobs/{job}/override", {"interval_minutes": 30, "priority": 90})
    await installation.ask("PATCH", f"/api/v1/sources/{source['id']}", {"interval_minutes": 600})
    await installation.post("/api/v1/admin/sync-enabled-sources")
    overridden = await installation.get(f"/api/v1/jobs/{job}")
    await installation.ask("DELETE", f"/api/v1/jobs/{job}/override")
    automatic = await installation.get(f"/api/v1/jobs/{job}")

    assert (overridden["auto_managed"], overridden["interval_minutes"], overridden["priority"]) == (False, 30, 90)
    assert (automatic["auto_managed"], automatic["interval_minutes"]) == (True, 600)
    assert asked(origin)
