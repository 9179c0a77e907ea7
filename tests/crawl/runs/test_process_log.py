"""What the log of the process says of runs: with public ids, and at the level that each line deserves."""

from pathlib import Path

from structlog.testing import capture_logs

from lamplighter.store.schema import tables
from tests.origin import Answer, Origin
from tests.service.in_process import all_rows, crawl, going, quick_settings, watch
from tests.service.waiting import until


async def test_waits_are_debug_lines_and_a_robots_block_is_a_warning(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nDisallow: /private\n")
    origin.page("/jobs", '<a href="/private/1">Closed</a><a href="/jobs/1">Open</a>')
    origin.page("/jobs/1", "<h1>Pilot</h1>")

    with capture_logs() as lines:
        async with going(quick_settings(tmp_path, origin, min_delay_ms=50)) as service:
            await crawl(service, origin.url + "/jobs")
            (run,) = await all_rows(service, tables.crawl_runs)
            (source,) = await all_rows(service, tables.sources)

    by_event = {line["event"]: line for line in lines}
    assert by_event["turn.waited"]["log_level"] == "debug"
    assert by_event["robots.refused"]["log_level"] == "warning"
    assert by_event["robots.refused"]["url"].endswith("/private/1")
    finished = by_event["run.finished"]
    assert (finished["run"], finished["source_id"]) == (run.public_id, source.public_id)


async def test_a_failed_run_says_how_often_and_how_long_it_backs_off(origin: Origin, tmp_path: Path) -> None:
    origin.otherwise(Answer(status=404))

    with capture_logs() as lines:
        async with going(quick_settings(tmp_path, origin)) as service:
            await watch(service, origin.url + "/jobs")
            await until(lambda: _is_there(lines))
            (source,) = await all_rows(service, tables.sources)

    (failed, *_) = [line for line in lines if line["event"] == "run.failed"]
    assert (failed["log_level"], failed["source_id"], failed["failure_count"]) == ("warning", source.public_id, 1)
    assert failed["backoff_minutes"] > 0


async def _is_there(lines: list[object]) -> bool:
    return any("run.failed" in str(line) for line in lines)
