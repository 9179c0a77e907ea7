"""What the runs of jobs did, over the API."""

from uuid import uuid4

import pytest

from lamplighter.app import Service
from lamplighter.model.crawl import Outcome
from lamplighter.operations.executions import attempt
from tests.web.api.watched import on_sqlite, watched
from tests.web.asking import Ask

FIELDS = set(
    """id job_id execution_number status started_at completed_at duration_ms items_crawled items_indexed error_message
    stack_trace cpu_time_ms memory_peak_mb retry_attempt metadata""".split()
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
    outcomes = {number: Outcome.OK if sign == "+" else Outcome.FAIL for number, sign in enumerate(before, 1)}

    assert attempt(len(before) + 1, outcomes, max_retries=3) == tries
