"""Sources and their jobs: created, changed, disabled, enabled, deleted; each change reaches the job by itself."""

from typing import Any

from tests.origin import Origin
from tests.service.in_process import asked
from tests.service.installation import Installation, until
from tests.service.sites import job_board

STATS = {
    "jobs_by_status": {"pending", "running", "paused", "failed"},
    "health": {"healthy", "warning", "failed"},
    "last_24h": {"total_runs", "successful_runs", "failed_runs", "articles_extracted", "success_rate"},
    "throughput": {"articles_per_hour", "runs_per_hour"},
}


async def _job(installation: Installation, source_id: str) -> Any:
    reply = await installation.ask("GET", f"/api/v1/jobs/by-source/{source_id}")
    return reply.json if reply.status == 200 else None


async def _after_a_run(installation: Installation, source_id: str) -> Any:
    async def has_run() -> Any:
        found = await _job(installation, source_id)
        return found if found and found["recent_executions"] and found["job"]["status"] == "scheduled" else None

    return await until(has_run)


async def test_a_new_source_gets_its_job_runs_and_is_healthy(installation: Installation, origin: Origin) -> None:
    job_board(origin, postings=3, per_page=3)

    source = await installation.add_source(f"{origin.url}/jobs", priority="high")
    found = await _after_a_run(installation, source["id"])

    job, health, (execution, *_) = found["job"], found["health"], found["recent_executions"]
    assert (job["source_name"], job["auto_managed"], job["priority"], job["failure_count"]) == (
        "Lantern News",
        True,
        75,
        0,
    )
    assert (health["status"], health["last_run_status"], health["last_24h_runs"]) == ("healthy", "success", 1)
    assert (execution["status"], execution["articles_count"]) == ("success", 3)
    events = await installation.get("/api/v1/events/log", source_id=source["id"])
    assert [(line["event_type"], line["result"]) for line in events["events"]] == [("SOURCE_CREATED", "success")]


async def test_a_change_reaches_the_job_and_the_event_says_what_was(installation: Installation, origin: Origin) -> None:
    job_board(origin, postings=1, per_page=1)
    source = await installation.add_source(f"{origin.url}/jobs")
    await _after_a_run(installation, source["id"])

    changed = await installation.ask("PATCH", f"/api/v1/sources/{source['id']}", {"priority": "critical"})

    async def has_reached() -> Any:
        found = await _job(installation, source["id"])
        return found if found["job"]["priority"] == 100 else None

    assert changed.status == 200
    assert await until(has_reached)
    events = await installation.get("/api/v1/events/log", source_id=source["id"])
    payload = events["events"][0]["payload"]
    assert payload["changed_fields"] == ["priority"]
    assert (payload["previous"], payload["current"]) == ({"priority": "normal"}, {"priority": "critical"})


async def test_disabling_pauses_enabling_resumes_and_a_persons_pause_outlives_both(
    installation: Installation, origin: Origin
) -> None:
    job_board(origin, postings=1, per_page=1)
    source = await installation.add_source(f"{origin.url}/jobs")
    job = (await _after_a_run(installation, source["id"]))["job"]

    async def status(wanted: str) -> Any:
        async def look() -> Any:
            shown = await installation.get(f"/api/v1/jobs/{job['id']}")
            return shown if shown["status"] == wanted else None

        return await until(look)

    await installation.post(f"/api/v1/sources/{source['id']}/disable", {"reason": "too noisy"})
    disabled = await status("paused")
    await installation.post(f"/api/v1/sources/{source['id']}/enable", {})
    await status("scheduled")
    await installation.post(f"/api/v1/jobs/{job['id']}/pause")
    await installation.post(f"/api/v1/sources/{source['id']}/disable", {"reason": "again"})
    await installation.post(f"/api/v1/sources/{source['id']}/enable", {})
    await installation.post("/api/v1/admin/sync-enabled-sources")
    still = await status("paused")

    assert disabled["pause_reason"] == "source_disabled"
    assert still["pause_reason"] == "user"


async def test_deleting_ends_the_job_and_keeps_the_history_until_it_is_purged(
    installation: Installation, origin: Origin
) -> None:
    job_board(origin, postings=2, per_page=2)
    source = await installation.add_source(f"{origin.url}/jobs")
    await _after_a_run(installation, source["id"])

    deleted = await installation.ask("DELETE", f"/api/v1/sources/{source['id']}")
    gone = await installation.ask("GET", f"/api/v1/sources/{source['id']}")
    executions = await installation.get(f"/api/v1/sources/{source['id']}/executions")
    too_low = await installation.ask("DELETE", f"/api/v1/sources/{source['id']}/permanent")
    purged = await installation.ask("DELETE", f"/api/v1/sources/{source['id']}/permanent", role="admin")

    assert deleted.status == 200
    assert deleted.json["impact"]["records"] == 2
    assert gone.status == 404 or gone.json["deleted_at"] is not None
    assert executions["total"] == 1
    assert (too_low.status, purged.status) == (403, 200)
    assert (await installation.get("/api/v1/records", state="all"))["total"] == 0


async def test_three_hundred_sources_are_told_at_a_glance_and_fifty_are_changed_at_once(
    installation: Installation,
) -> None:
    rows = [{"name": f"Board {n:03}", "url": f"http://127.0.0.1:9/board/{n}", "enabled": False} for n in range(300)]
    report = await installation.post("/api/v1/sources/import", {"format": "json", "sources": rows})
    listed = await installation.get("/api/v1/sources", search="Board 1", limit=50, sort="name")
    chosen = [source["id"] for source in listed["sources"]]

    previewed = await installation.post(
        "/api/v1/sources/bulk", {"action": "set_priority", "priority": "high", "ids": chosen, "preview": True}
    )
    done = await installation.post(
        "/api/v1/sources/bulk", {"action": "set_priority", "priority": "high", "ids": chosen}
    )
    stats = await installation.get("/api/v1/jobs/stats")

    assert report["created"] == 300
    assert (listed["total"], len(chosen), previewed["matched"], done["changed"]) == (100, 50, 50, 50)
    assert (await installation.get("/api/v1/sources", priority="high"))["total"] == 50
    assert stats["total_sources"] == 300
    assert all(set(stats[part]) >= keys for part, keys in STATS.items())


async def test_a_source_that_is_there_already_is_named_not_added_again(installation: Installation) -> None:
    first = await installation.add_source("http://127.0.0.1:9/news", enabled=False)

    again = await installation.ask("POST", "/api/v1/sources", {"name": "Again", "url": "http://127.0.0.1:9/news"})

    assert (again.status, again.json["code"]) == (409, "duplicate_url")
    assert first["id"] in again.json["detail"]


async def test_a_disabled_source_is_never_asked(installation: Installation, origin: Origin) -> None:
    job_board(origin, postings=1, per_page=1)
    source = await installation.add_source(f"{origin.url}/jobs", enabled=False)

    await installation.post("/api/v1/admin/sync-enabled-sources")
    refused = await installation.ask("GET", f"/api/v1/jobs/by-source/{source['id']}")

    assert refused.status == 404
    assert asked(origin) == []
