"""What happens, told as it happens."""

from fastapi import FastAPI

from lamplighter.app import Service
from tests.web.api.event_streams import streamed
from tests.web.api.given_sources import on_sqlite, watched
from tests.web.asgi_client import Ask


async def test_runs_and_jobs_are_told_as_they_begin_change_and_end(service: Service, web: FastAPI, ask: Ask) -> None:
    source = await watched(service, ask)
    other = await watched(service, ask, "b")

    async with streamed(web, "/sse/crawler/events") as stream:
        await ask.post(f"{other.path}/pause")
        paused = await stream.next()
        await ask.post(f"{source.path}/force-run")
        begun = [await stream.next() for _ in range(2)]
        await source.end()
        ended = [await stream.next() for _ in range(2)]

    assert paused is not None
    assert (paused.event, paused.data["job_id"], paused.data["status"]) == ("job_changed", other.job_id, "paused")
    told = [(each.event, each.data["job_id"], each.data["status"]) for each in begun + ended if each]
    assert told == [
        ("execution_started", source.job_id, "running"),
        ("job_changed", source.job_id, "running"),
        ("execution_finished", source.job_id, "completed"),
        ("job_changed", source.job_id, "scheduled"),
    ]


@on_sqlite
async def test_what_automation_makes_of_a_disabled_source_is_told_too(service: Service, web: FastAPI, ask: Ask) -> None:
    source = await watched(service, ask)

    async with streamed(web, "/api/crawler/events") as stream:
        await ask.post(f"/api/v1/sources/{source.source_id}/disable", {"reason": "moved"})
        await service.events.deliver.deliver_all()
        while (told := await stream.next()) is not None:
            if told.data.get("status") == "paused":
                break

    assert told is not None
    assert (told.event, told.data["pause_reason"]) == ("job_changed", "source_disabled")


@on_sqlite
async def test_health_and_metrics_are_told_at_once_and_again(web: FastAPI) -> None:
    for family in ("/sse", "/api"):
        async with streamed(web, f"{family}/health/events") as stream:
            health = await stream.next()
        async with streamed(web, f"{family}/metrics/events") as stream:
            metrics = await stream.next()

        assert health is not None
        assert (health.event, health.data["status"]) == ("health", "ok")
        assert metrics is not None
        assert (metrics.event, metrics.data["total_jobs"]) == ("metrics", 0)
