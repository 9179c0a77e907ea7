"""What the runs of jobs did, over the API."""

from uuid import uuid4

import pytest

from lamplighter.app import Service
from lamplighter.model.crawl import RunOutcome
from lamplighter.model.run_figures import RunFigures, Times
from lamplighter.operations.runs.run_history import attempt
from lamplighter.store.runs import crawl_runs
from tests.web.api.given_sources import on_sqlite, watched
from tests.web.asgi_client import Ask

FIELDS = set(
    """id job_id execution_number status started_at completed_at duration_ms items_crawled items_indexed error_message
    stack_trace cpu_time_ms memory_peak_mb retry_attempt metadata metrics waiting""".split()
)

METRICS = set(
    """status_codes bytes response_ms error_categories top_errors skipped records_skipped retries slowed_down obstructed
    turn_wait_ms pages_read parse_cpu_ms parse_peak_kb log_lines_left_out""".split()
)


async def test_the_runs_of_a_job_are_listed_the_latest_first_with_their_tries(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    for failed in (None, "timeout", "timeout"):
        await source.run(failed=failed)

    page = (await ask.get(f"{source.path}/executions", limit=2)).json
    one = (await ask.get(f"/api/v1/executions/{page['executions'][0]['id']}")).json
    stats = (await ask.get(f"{source.path}/stats")).json
    words = (await ask.get(f"/api/v1/sources/{source.source_id}/executions")).json

    assert (page["total"], [run["execution_number"] for run in page["executions"]]) == (3, [3, 2])
    assert one == page["executions"][0]
    assert set(one) == FIELDS
    assert (one["status"], one["retry_attempt"], one["job_id"]) == ("failed", 1, source.job_id)
    assert one["error_message"] == "timeout: because (https://a.example/)"
    assert one["metadata"]["tally"]["pages_failed"] == 1
    assert (stats["total_executions"], stats["completed"], stats["failed"]) == (3, 1, 2)
    assert (stats["success_rate"], stats["items_crawled"], stats["items_indexed"]) == (0.333, 1, 2)
    assert [(run["status"], run["articles_count"]) for run in words["executions"]] == [
        ("failed", 0),
        ("failed", 0),
        ("success", 2),
    ]


async def test_a_run_tells_its_figures_under_stable_names(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    old = await source.run()
    new = (await ask.post(f"{source.path}/force-run")).json["execution_id"]
    figures = RunFigures(
        status_codes={"200": 3, "503": 1},
        response_ms=Times.of(10, 20, 30, 40),
        errors={"server_error: HTTP 503": 1},
        parse_cpu_ms=41.6,
        parse_peak_kb=2048,
    )
    await service.db.write(lambda db: crawl_runs.add_up(db, {2: {}}, now=service.clock.now(), figures={2: figures}))

    as_metrics = (await ask.get(f"/api/v1/executions/{new}")).json
    before = (await ask.get(f"/api/v1/executions/{old}")).json

    assert (before["metrics"], before["cpu_time_ms"]) == (None, None)
    assert (as_metrics["cpu_time_ms"], as_metrics["memory_peak_mb"]) == (42, 2.0)
    assert set(as_metrics["metrics"]) == METRICS
    assert as_metrics["metrics"]["status_codes"] == {"200": 3, "503": 1}
    assert as_metrics["metrics"]["response_ms"] == {"min": 10, "avg": 25, "p95": 40, "max": 40}
    assert as_metrics["metrics"]["top_errors"] == [{"error": "server_error: HTTP 503", "count": 1}]


@on_sqlite
async def test_what_is_not_there_is_not_found(ask: Ask) -> None:
    nobody = uuid4()

    for path in ("jobs/{}/executions", "jobs/{}/stats", "executions/{}", "sources/{}/executions"):
        assert (await ask.get(f"/api/v1/{path.format(nobody)}")).status == 404, path


@pytest.mark.parametrize(
    ("before", "tries"),
    [
        pytest.param("", 0, id="the first run"),
        pytest.param("+", 0, id="after a good one"),
        pytest.param("+-", 1, id="after a failure"),
        pytest.param("+---", 3, id="the last quick try"),
        pytest.param("+----", 0, id="failed for good before: no quick try"),
        pytest.param("---+-", 1, id="failures of long ago"),
    ],
)
def test_a_run_is_the_try_that_follows_so_many_failures(before: str, tries: int) -> None:
    outcomes = {number: RunOutcome.OK if sign == "+" else RunOutcome.FAIL for number, sign in enumerate(before, 1)}

    assert attempt(len(before) + 1, outcomes, max_retries=3) == tries
