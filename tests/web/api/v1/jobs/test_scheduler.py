"""How scheduling goes, over the API."""

from datetime import timedelta
from uuid import NAMESPACE_DNS, uuid5

import pytest

from lamplighter.app import Service
from lamplighter.model.source import SourceOptions
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.sources import sources
from tests.changing import set_job, set_source
from tests.web.api.given_sources import on_sqlite, watched
from tests.web.asgi_client import Ask

HOUR = timedelta(hours=1)


async def _crowd(service: Service, ask: Ask, count: int = 12) -> None:
    """Daily jobs that all start at the same time."""
    now = service.clock.now()
    for number in range(count):
        source = await watched(service, ask, f"s{number}x")

        async def plan(db: Connection, row: int = source.row) -> None:
            job = await crawl_jobs.of_source(db, row)
            assert job is not None
            await set_job(db, job.id, now=now, next_run_at=now + 8 * HOUR, pace_seconds=86_400)

        await service.db.write(plan)


async def test_the_figures_are_there_before_they_were_first_taken_and_after(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    await source.run()
    before = (await ask.get("/api/v1/scheduler/metrics")).json

    await service.leading.gauge.read()
    after = (await ask.get("/api/v1/scheduler/metrics")).json

    assert (before["jobs"]["scheduled"], before["total_jobs"], before["stale_locks_cleared"]) == (1, 1, 0)
    assert before["executions"]["success_rate"] == after["executions"]["success_rate"] == 1.0
    assert before["distribution_score"] == after["distribution_score"]
    assert before["last_metrics_update"] < after["last_metrics_update"]


async def test_a_rebalance_moves_what_its_preview_named(service: Service, ask: Ask) -> None:
    await _crowd(service, ask)

    before = (await ask.get("/api/v1/scheduler/distribution")).json
    preview = (await ask.post("/api/v1/scheduler/rebalance/preview")).json
    applied = (await ask.post("/api/v1/scheduler/rebalance")).json
    after = (await ask.get("/api/v1/scheduler/distribution")).json

    assert (len(before["slots"]), before["total_starts"], before["should_rebalance"]) == (96, 12, True)
    assert "rebalance/preview" in before["recommendation"]
    assert preview["total"] == len(preview["moves"]) > 0
    assert set(preview["moves"][0]) == {"job_id", "source_name", "from", "to"}
    assert {each["job_id"] for each in applied["moves"]} == {each["job_id"] for each in preview["moves"]}
    assert (preview["applied"], applied["applied"]) == (False, True)
    assert after["distribution_score"] == pytest.approx(applied["score_after"], abs=0.01)


async def test_a_sync_gives_enabled_sources_their_jobs_and_never_undoes_a_persons_pause(
    service: Service, ask: Ask
) -> None:
    paused = await watched(service, ask, "paused")
    await ask.post(f"{paused.path}/pause")
    deleted = await watched(service, ask, "deleted")
    await ask.delete(deleted.path)
    disabled = await watched(service, ask, "disabled")
    woken = await watched(service, ask, "woken")
    now = service.clock.now()

    async def behind_everybodys_back(db: Connection) -> None:
        await set_source(db, disabled.row, now=now, enabled=False)
        job = await crawl_jobs.of_source(db, woken.row)
        assert job is not None
        await set_job(db, job.id, now=now, state="paused", pause_reason="source_disabled")
        for name, url in (("new", "https://new.example/"), ("broken", "ht!tp:/")):
            new = SourceOptions(name=name, url=url, max_depth=1)
            await sources.add(db, new, public_id=str(uuid5(NAMESPACE_DNS, name)), now=now)

    await service.db.write(behind_everybodys_back)
    report = (await ask.post("/api/v1/admin/sync-enabled-sources")).json

    assert report == {
        "sources_seen": 6,
        "enabled": 4,
        "created": 1,
        "already_has_job": 2,
        "resumed": 1,
        "skipped": 2,
        "orphaned": 0,
        "errors": 1,
        "broken": [str(uuid5(NAMESPACE_DNS, "broken"))],
    }
    states = {each["source_name"]: each["status"] for each in (await ask.get("/api/v1/jobs")).json["jobs"]}
    assert states == {"paused": "paused", "disabled": "paused", "woken": "pending", "new": "pending"}


@on_sqlite
async def test_an_empty_schedule_is_even(ask: Ask) -> None:
    found = (await ask.get("/api/v1/scheduler/distribution")).json

    assert (found["distribution_score"], found["recommendation"]) == (1.0, "evenly spread; nothing to do")
