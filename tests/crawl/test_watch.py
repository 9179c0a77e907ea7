"""Alerts from end to end: what is wrong in the database fires, is told once, and clears."""

from datetime import timedelta

from lamplighter import metrics
from lamplighter.model.alert import Severity
from lamplighter.model.fleet import Duty, Standstill
from lamplighter.store import alerts, hosts, proxies, standstill, tables
from lamplighter.store.alerts import Wanted
from lamplighter.store.database import Connection, Database
from tests.crawl.alerting import Watching, be_there
from tests.crawl.queueing import HOUR, Queues, on_sqlite
from tests.moments import NOON

MINUTE = timedelta(minutes=1)


async def _watching(db: Database) -> tuple[Queues, Watching]:
    queues = Queues(db)
    await be_there(db, NOON + 99 * HOUR)
    return queues, Watching(db, queues.clock)


async def test_a_silent_source_is_told_of_once_and_once_that_it_speaks_again(db: Database) -> None:
    queues, watching = await _watching(db)
    await queues.job("Quay", interval=HOUR)
    job = await queues.round("Quay")
    (source,) = await queues.rows(tables.sources)

    told = []
    queues.clock.at = job.next_run_at + timedelta(seconds=2 * job.pace_seconds) + MINUTE
    for _ in range(6):
        told.append(await watching.look())
        queues.clock.at += 5 * MINUTE
    fired_after = told.index([("fired", "SourceSilent")])
    assert await queues.poll() == ["Quay"]
    await queues.end("Quay")
    for _ in range(3):
        told.append(await watching.look())
        queues.clock.at += MINUTE

    assert fired_after == 3
    assert [each for each in told if each] == [[("fired", "SourceSilent")], [("cleared", "SourceSilent")]]
    ((alert,), total) = await db.look(lambda c: alerts.listed(c, Wanted(), limit=9, offset=0))
    assert (total, alert.subject) == (1, f"source:{source.public_id}")
    assert alert.cleared_at is not None


@on_sqlite
async def test_what_is_told_says_what_it_is_about_and_what_to_do(db: Database) -> None:
    queues, watching = await _watching(db)
    await queues.job("Quay")
    await queues.set_job("Quay", last_outcome="warn", last_drifted=True, last_run_at=NOON)

    await watching.watch.keep()

    (notice,) = await watching.taken()
    (source,) = await queues.rows(tables.sources)
    assert (notice.kind, notice.source_id, notice.at) == ("alert.fired", source.id, NOON)
    said = notice.data
    assert (said["rule"], said["subject"], said["severity"]) == ("SourceDrifting", "Quay", "warning")
    assert said["about"] == f"source:{source.public_id}"
    assert said["detail"] == "Quay: the run of 2026-03-14 12:00 UTC showed far less than usual"
    assert "recipe" in said["remedy"]


async def test_a_new_process_goes_on_where_the_last_one_stopped(db: Database) -> None:
    queues, watching = await _watching(db)
    await be_there(db, NOON, duties={Duty.FETCH, Duty.PARSE})
    assert await watching.look() == []

    queues.clock.at += 6 * MINUTE
    await be_there(db, queues.clock.at, duties={Duty.FETCH, Duty.PARSE})
    after_restart, beside_it = Watching(db, queues.clock), Watching(db, queues.clock)

    assert await after_restart.look() == [("fired", "NobodyOnDuty")]
    assert await beside_it.look() == []


@on_sqlite
async def test_nothing_is_written_while_nothing_changes(db: Database) -> None:
    _, watching = await _watching(db)
    writes = []
    real = db.write
    db.write = lambda work: writes.append(work) or real(work)  # type: ignore[method-assign, func-returns-value]

    await watching.watch.keep()

    assert writes == []


async def test_a_pause_of_all_crawling_is_one_alert_and_no_silence(db: Database) -> None:
    queues, watching = await _watching(db)
    await queues.job("Quay", interval=HOUR)
    pause = Standstill(since=NOON, paused_by="anna", reason="")
    await db.write(lambda c: standstill.begin(c, pause))

    told = []
    for hours in (0, 1, 7):
        queues.clock.at = NOON + hours * HOUR
        told += await watching.look()
    assert told == [("fired", "CrawlingPaused")]
    await db.write(standstill.end)
    for _ in range(11):  # less than two intervals
        queues.clock.at += 10 * MINUTE
        told += await watching.look()

    assert told == [("fired", "CrawlingPaused"), ("cleared", "CrawlingPaused")]


@on_sqlite
async def test_requests_through_proxies_count_from_the_first_look_on(db: Database) -> None:
    queues, watching = await _watching(db)
    await db.write(_three_proxies)
    await db.write(lambda c: _used(c, succeeded=1000, failed=900))
    assert await watching.look() == []

    await db.write(lambda c: _used(c, succeeded=1080, failed=920))
    queues.clock.at += MINUTE
    await watching.watch.keep()

    (found,) = await db.look(alerts.open_ones)
    assert found.detail == "quay.example: 20 of 100 requests through its proxies failed"


async def _three_proxies(db: Connection) -> None:
    host_id = (await hosts.ensure(db, ["quay.example"], now=NOON))["quay.example"]
    ids = [await proxies.add(db, now=NOON, protocol="http", address="127.0.0.1", port=port) for port in (1, 2, 3)]
    await proxies.assign(db, host_id, ids, priority=50)


async def _used(db: Connection, *, succeeded: int, failed: int) -> None:
    await proxies.change_standing(db, 1, 1, success_total=succeeded, failure_total=failed, last_used_at=NOON)


async def test_the_metrics_say_what_is_found_and_what_fires(db: Database) -> None:
    queues, watching = await _watching(db)
    await queues.job("Quay")
    await queues.set_job("Quay", last_outcome="warn", last_drifted=True, last_run_at=NOON)
    await watching.watch.keep()

    await watching.watch.show()

    def value(name: str, **labels: str) -> float | None:
        return metrics.REGISTRY.get_sample_value(name, labels)

    assert value("crawler_findings", rule="SourceDrifting") == 1
    assert value("crawler_findings", rule="SourceSilent") == 0
    assert value("crawler_findings", rule="NoInstances") is None
    assert value("crawler_alerts_firing", severity="warning") == 1
    assert value("crawler_alerts_firing", severity="critical") == 0
    latest = watching.watch.latest
    assert latest is not None
    assert latest.firing[Severity.WARNING] == 1
