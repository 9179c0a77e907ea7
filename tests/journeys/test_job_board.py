"""An operator of job boards: adds one, watches it being crawled, sets its pace, is refused by its robots.txt."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.origin import Origin
from tests.service.in_process import asked
from tests.service.installation import Installation, running, until
from tests.service.sites import job_board

#: rows of `/admin/crawl/logs`
LOG_KEYS = {
    *("id", "source_id", "ran_at", "duration_ms", "found", "inserted", "updated", "skipped", "status", "message"),
}


async def _logs(installation: Installation, source_id: str) -> Any:
    answer = await installation.get("/admin/crawl/logs", source_id=source_id, limit=20)
    return answer["logs"]


async def _add(installation: Installation, url: str, **more: Any) -> Any:
    given = {"org_name": "Lantern Works", "careers_url": url, "source_type": "html", "org_type": "ngo"} | more
    return await installation.post("/admin/sources", given, expect=201)


async def test_a_board_that_is_added_is_due_now_and_leaves_a_log_line_and_its_postings(
    installation: Installation, origin: Origin
) -> None:
    job_board(origin, postings=6, per_page=3)
    before = datetime.now(UTC)

    source = await _add(installation, f"{origin.url}/jobs")
    (line,) = await until(lambda: _logs(installation, source["id"]))

    assert abs(datetime.fromisoformat(source["next_run_at"]) - before) < timedelta(minutes=1)
    assert set(line) >= LOG_KEYS
    assert (line["status"], line["found"] >= 6, line["inserted"]) == ("ok", True, 6)
    found = await installation.get("/api/v1/records", kind="job")
    assert found["total"] == 6
    shown = await installation.get(f"/admin/sources/{source['id']}")
    assert (shown["last_crawl_status"], shown["consecutive_failures"]) == ("ok", 0)
    assert datetime.fromisoformat(shown["next_run_at"]) > before + timedelta(hours=1)


async def test_run_due_runs_what_is_due_without_waiting_and_the_status_counts_down(
    tmp_path: Path, migrated_url: str, origin: Origin
) -> None:
    job_board(origin, postings=2, per_page=2)
    async with running(tmp_path, migrated_url, disable_scheduler=True) as installation:
        source = await _add(installation, f"{origin.url}/jobs")

        async def one_is_due() -> Any:
            status = await installation.get("/admin/crawl/status")
            return status if status["due_count"] == 1 else None

        waiting = await until(one_is_due)
        queued = await installation.post("/admin/crawl/run_due")
        after = await installation.get("/admin/crawl/status")
        await until(lambda: _logs(installation, source["id"]))

    assert waiting["pool"]["global"] == 512
    assert {"running", "pool", "due_count", "locked", "in_flight"} <= set(waiting)
    assert queued == {"queued": 1}
    assert after["due_count"] == 0


async def test_a_run_by_hand_is_refused_while_one_goes_on_and_logged_when_it_is_over(
    installation: Installation, origin: Origin
) -> None:
    job_board(origin, postings=3, per_page=3)
    await installation.post(f"/admin/domain_policies/{origin.address}", {"min_request_interval_ms": 400})
    source = await _add(installation, f"{origin.url}/jobs")

    async def is_going_on() -> Any:
        return (await installation.get("/admin/crawl/status"))["locked"]

    await until(is_going_on)
    refused = await installation.ask("POST", "/admin/crawl/run", {"source_id": source["id"]})
    await until(lambda: _logs(installation, source["id"]))
    await installation.post("/admin/crawl/run", {"source_id": source["id"]})

    async def two_lines() -> Any:
        lines = await _logs(installation, source["id"])
        return lines if len(lines) == 2 else None

    assert await until(two_lines)
    assert (refused.status, refused.json["code"]) == (409, "already_running")


async def test_an_edited_policy_is_kept_on_the_wire(installation: Installation, origin: Origin) -> None:
    job_board(origin, postings=4, per_page=4)
    policy = await installation.post(
        f"/admin/domain_policies/{origin.address}", {"min_request_interval_ms": 300, "max_pages": 3}
    )

    source = await _add(installation, f"{origin.url}/jobs")
    await until(lambda: _logs(installation, source["id"]))

    assert policy["min_request_interval_ms"] == 300
    assert len(asked(origin)) == 3
    assert min(origin.gaps()) >= 0.3


async def test_a_board_that_robots_forbids_is_blocked_and_says_so(installation: Installation, origin: Origin) -> None:
    origin.robots("User-agent: *\nDisallow: /jobs")
    job_board(origin, postings=1, per_page=1)

    source = await _add(installation, f"{origin.url}/jobs")

    async def blocked() -> Any:
        shown = await installation.get(f"/admin/sources/{source['id']}")
        return shown if shown["status"] == "blocked" else None

    assert (await until(blocked))["last_crawl_message"] == "robots disallow"
    assert asked(origin) == []
    robots = await installation.get(f"/admin/robots/{origin.address}")
    assert robots["disallow"] == ["/jobs"]


async def test_a_paused_board_is_left_alone_and_a_resumed_one_begins_with_a_clean_slate(
    installation: Installation, origin: Origin
) -> None:
    job_board(origin, postings=1, per_page=1)
    source = await _add(installation, f"{origin.url}/jobs")
    await until(lambda: _logs(installation, source["id"]))

    await installation.post(f"/admin/sources/{source['id']}/pause")
    paused = await installation.get(f"/admin/sources/{source['id']}")
    await installation.post(f"/admin/sources/{source['id']}/resume")
    resumed = await installation.get(f"/admin/sources/{source['id']}")

    assert paused["status"] == "paused"
    assert (resumed["status"], resumed["consecutive_failures"]) == ("active", 0)


async def test_a_test_fetch_and_a_simulated_extract_write_nothing(
    tmp_path: Path, migrated_url: str, origin: Origin
) -> None:
    job_board(origin, postings=5, per_page=5)

    async with running(tmp_path, migrated_url, disable_scheduler=True) as installation:
        source = await _add(installation, f"{origin.url}/job/0")
        fetched = await installation.post(f"/admin/sources/{source['id']}/test")
        simulated = await installation.post(f"/admin/sources/{source['id']}/simulate_extract")
        stored = await installation.get("/api/v1/records")

    assert (fetched["status"], fetched["etag"]) == (200, '"job-0"')
    assert [record["title"] for record in simulated["records"]] == ["Posting 00"]
    assert stored["total"] == 0
    assert [hit.method for hit in origin.hits("/job/0")] == ["HEAD", "GET"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        pytest.param({"careers_url": "nonsense"}, "careers_url", id="no URL"),
        pytest.param(
            {"careers_url": "http://127.0.0.1:1/x", "crawl_frequency_days": -1}, "crawl_frequency_days", id="no time"
        ),
        pytest.param(
            {"careers_url": "http://127.0.0.1:1/x", "time_window": "25:00-26:00"}, "time_window", id="no hours"
        ),
        pytest.param({"careers_url": "http://127.0.0.1:1/x", "org_type": "guild"}, "org_type", id="unknown kind"),
        pytest.param({"careers_url": "http://127.0.0.1:1/x", "colour": "red"}, "colour", id="unknown field"),
    ],
)
async def test_what_cannot_be_used_is_named_and_changes_nothing(
    installation: Installation, given: dict[str, Any], field: str
) -> None:
    reply = await installation.ask("POST", "/admin/sources", {"org_name": "Lantern Works"} | given)

    assert reply.status == 422, reply.body
    assert reply.headers["Content-Type"].startswith("application/problem+json")
    assert field in {error["field"] for error in reply.json["errors"]}, reply.json
    assert (await installation.get("/admin/sources"))["total"] == 0
