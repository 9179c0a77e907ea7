"""What is counted while crawling is what the site saw and what the run says."""

from datetime import datetime
from pathlib import Path

from lamplighter.crawl.jobs import job_keeper
from lamplighter.crawl.runs.janitor import Janitor
from lamplighter.crawl.runs.run_finish import cancel_run
from lamplighter.fetch.turns import Turns
from lamplighter.model.host import HostPolicy
from lamplighter.model.page import Phase
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import downloads
from lamplighter.store.runs import crawl_runs
from tests.counting import Counting, shown
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON
from tests.origin import Origin
from tests.service.in_process import crawl, going, quick_settings
from tests.service.sites import job_board
from tests.store.given_rows import a_run, some_pages, write


async def test_a_crawl_is_counted_as_the_site_saw_it(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=4, per_page=4, secrets=True)
    origin.robots("User-agent: *\nDisallow: /secret/")
    origin.route("/job/3", status=404)
    counting = Counting()

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", name='Lantern "Works"')

    pages = [hit for hit in origin.log if hit.path != "/robots.txt"]
    asked = counting.since("crawler_fetches_total") - counting.since("crawler_fetches_total", outcome="refused")
    assert asked == len(pages) == counting.since("crawler_fetch_duration_seconds_count")
    assert counting.since("crawler_fetches_total", outcome="failed", reason="not_found") == 1
    assert counting.since("crawler_fetches_total", outcome="refused", reason="robots_disallow") == 4
    assert counting.since("crawler_robots_decisions_total", decision="disallowed") == 4
    assert counting.since("crawler_robots_decisions_total", decision="allowed") == len(pages)
    assert counting.since("crawler_turn_wait_seconds_count") == len(pages)
    assert counting.since("crawler_fetched_bytes_total") == run.tally.bytes_fetched
    assert counting.since("crawler_parse_duration_seconds_count") == run.tally.pages_fetched
    assert 0 < counting.since("crawler_parse_duration_seconds_sum") < 60
    assert counting.since("crawler_commit_items_sum", sink="archive") == len(pages) + run.tally.pages_refused
    # A page that had to wait for its reader was stored before and after.
    stored = counting.since("crawler_commit_items_sum", sink="store")
    assert 0 <= stored - len(pages) - run.tally.pages_refused <= run.tally.pages_fetched
    assert counting.since("crawler_commit_duration_seconds_count", sink="store") > 0
    assert counting.since("crawler_runs_total") == counting.since("crawler_runs_total", status="success") == 1
    assert counting.since("crawler_records_total", result="inserted") == run.tally.records_inserted == 3
    assert counting.since("crawler_events_processed_total", event_type="SOURCE_CREATED", result="success") == 1
    assert (
        counting.since("crawler_jobs_created_total") == counting.since("crawler_scheduler_jobs_dispatched_total") == 1
    )
    assert shown("crawler_disk_free_bytes") is not None


async def _cancel(db: Connection, job_id: int, *, now: datetime) -> None:
    run_id = await crawl_runs.open_of_job(db, job_id)
    assert run_id is not None
    await cancel_run(db, run_id, why="enough", now=now)


@on_sqlite
async def test_a_run_is_counted_under_the_name_of_its_source_and_how_it_ended(db: Database) -> None:
    queues = Queues(db)
    for name in ("kept", "odd", "lost", "stopped"):
        await queues.job(name, interval=HOUR)
    await queues.poll()
    counting = Counting()
    queues.clock.at += HOUR

    await queues.end("kept", pages_fetched=1, records_found=7, records_inserted=5, records_updated=2)
    await queues.end("odd", pages_fetched=1)
    await queues.end("lost", failed="timeout")
    stopped = (await queues.job_of("stopped")).id
    await db.write(lambda connection: _cancel(connection, stopped, now=queues.clock.at))

    ended = "crawler_crawl_duration_seconds"
    assert counting.since(f"{ended}_count", source_name="kept", status="success") == 1
    assert counting.since(f"{ended}_sum", source_name="kept", status="success") == HOUR.total_seconds()
    assert counting.since(f"{ended}_count", source_name="lost", status="failure") == 1
    assert counting.since("crawler_runs_total", status="warning") == 1
    assert counting.since(f"{ended}_count", source_name="odd", status="success") == 1, "a warning is a success"
    assert counting.since("crawler_runs_total", status="cancelled") == 1
    assert counting.since(f"{ended}_count", source_name="stopped") == 0, "a cancelled run is neither"
    assert counting.since("crawler_articles_extracted_total", source_name="kept") == 5


@on_sqlite
async def test_a_run_that_seems_to_end_before_it_began_took_no_time(db: Database) -> None:
    queues = Queues(db)
    await queues.job("early", interval=HOUR)
    await queues.poll()
    counting = Counting()
    queues.clock.at -= HOUR  # the clock was set back

    await queues.end("early", pages_fetched=1, records_found=1, records_inserted=1)

    assert counting.since("crawler_crawl_duration_seconds_count", source_name="early") == 1
    assert counting.since("crawler_crawl_duration_seconds_sum", source_name="early") == 0


@on_sqlite
async def test_a_silent_run_that_is_looked_after_counts_as_a_recovery(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    counting = Counting()
    queues.clock.at += HOUR / 2

    await Janitor(
        db, clock=queues.clock, planner=queues.planner, notice_writer=queues.notice_writer, stale_after=HOUR / 10
    ).sweep()

    assert counting.since("crawler_crash_recoveries_total", what="run") == 1


@on_sqlite
async def test_a_host_that_nobody_would_have_asked_counts_as_a_recovery(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    await queues.set_host("a.example", due_at=None)
    counting = Counting()

    await Janitor(
        db, clock=queues.clock, planner=queues.planner, notice_writer=queues.notice_writer, stale_after=HOUR
    ).sweep()

    assert counting.since("crawler_crash_recoveries_total", what="host") == 1


@on_sqlite
async def test_a_job_that_follows_its_source_counts_as_updated(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    counting = Counting()

    await queues.set_source("a", enabled=False)
    source_id = (await queues.job_of("a")).source_id
    await db.write(
        lambda connection: job_keeper.match(connection, source_id, source_defaults=queues.source_defaults, now=NOON)
    )

    assert counting.since("crawler_jobs_updated_total") == 1


@on_sqlite
async def test_pages_that_another_left_lying_count_as_expired_leases(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1", "/2", phase=Phase.DOWNLOADED, body_key="x")
    counting = Counting()
    await write(db, downloads.claim, owner="dead", now=NOON, until=NOON + HOUR, limit=9)
    first = counting.since("crawler_leases_expired_total", what="page")

    await write(db, downloads.claim, owner="next", now=NOON + HOUR, until=NOON + 2 * HOUR, limit=9)

    assert (first, counting.since("crawler_leases_expired_total", what="page")) == (0, 2)


@on_sqlite
async def test_a_host_whose_holder_never_gave_it_back_counts_as_an_expired_lease(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    workers = [Turns(db, clock=queues.clock, defaults=HostPolicy(), lease=HOUR, slots=1) for _ in range(2)]
    counting = Counting()
    await workers[0].claim(1)
    first = counting.since("crawler_leases_expired_total", what="host")
    queues.clock.at += HOUR

    await workers[1].claim(1)

    assert (first, counting.since("crawler_leases_expired_total", what="host")) == (0, 1)
