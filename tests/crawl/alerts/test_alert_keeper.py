"""Alerts from end to end: what is wrong in the database fires, is told once, and clears."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from lamplighter import metrics
from lamplighter.adapters.messaging.in_process_queue import InProcessQueue
from lamplighter.adapters.messaging.outbox_events import OutboxEvents
from lamplighter.crawl.alerts.alert_keeper import AlertKeeper
from lamplighter.model.alert import RuleCheck, Severity
from lamplighter.model.event import EventFigures
from lamplighter.model.fleet import CrawlPause, Duty
from lamplighter.store.alerts import alerts
from lamplighter.store.alerts.alerts import AlertFilter
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.events import events
from lamplighter.store.fleet import crawl_pause
from lamplighter.store.hosts import hosts
from lamplighter.store.proxies import proxies
from lamplighter.store.schema import tables
from tests.changing import add_proxy, set_pair
from tests.clocks import At
from tests.crawl.alerts.keeper_by_hand import Watching, be_there
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON

MINUTE = timedelta(minutes=1)


async def _watching(db: Database, **source_defaults: Any) -> tuple[Queues, Watching]:
    queues = Queues(db, **source_defaults)
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
    ((alert,), total) = await db.look(lambda c: alerts.listed(c, AlertFilter(), limit=9, offset=0))
    assert (total, alert.subject) == (1, f"source:{source.public_id}")
    assert alert.cleared_at is not None


async def test_a_source_whose_runs_cannot_be_opened_is_silent_until_they_can(db: Database) -> None:
    queues, watching = await _watching(db)
    await queues.job("Quay", interval=HOUR)
    await queues.round("Quay")
    (source,) = await queues.rows(tables.sources)

    told = []
    await queues.set_source("Quay", url="ht!tp:/nowhere")
    for _ in range(8):
        assert await queues.poll(30 * MINUTE) == []
        told.append(await watching.look())
    await queues.set_source("Quay", url=source.url)
    await queues.round("Quay")
    for _ in range(3):
        told.append(await watching.look())
        queues.clock.at += MINUTE

    # Three hours after its last run it is found, and a look later it has held for long enough.
    assert told.index([("fired", "SourceSilent")]) == 7
    assert [each for each in told if each] == [[("fired", "SourceSilent")], [("cleared", "SourceSilent")]]


@on_sqlite
async def test_a_source_whose_host_asks_to_be_left_alone_each_time_is_silent(db: Database) -> None:
    queues, watching = await _watching(db, policy="fixed")
    await queues.job("Quay", interval=HOUR)
    await queues.round("Quay")

    told = []
    for quarter in range(16):
        if quarter % 4 == 0:
            until = queues.clock.at + 90 * MINUTE
            await queues.set_host("quay.example", blocked_until=until, block_reason="429", failure_count=1)
        assert await queues.poll() == []
        told.append(await watching.look())
        queues.clock.at += 15 * MINUTE
    await queues.set_host("quay.example", blocked_until=None, failure_count=0)
    await queues.round("Quay")
    for _ in range(3):
        told.append(await watching.look())
        queues.clock.at += MINUTE

    # Due after an hour; found two hours later, and a quarter more must it hold.
    assert told.index([("fired", "SourceSilent")]) in (13, 14)
    assert [each for each in told if each] == [[("fired", "SourceSilent")], [("cleared", "SourceSilent")]]
    assert (await queues.job_of("Quay")).held_since is None


@on_sqlite
async def test_a_host_left_alone_for_a_while_before_a_night_makes_no_source_silent(db: Database) -> None:
    queues, watching = await _watching(db, policy="fixed")
    await queues.job("Quay", interval=30 * MINUTE, windows_text="08:00-20:00 UTC")
    queues.clock.at = NOON + timedelta(hours=7, minutes=30)
    await queues.round("Quay")
    queues.clock.at += 29 * MINUTE
    await queues.set_job("Quay", next_run_at=queues.clock.at)
    await queues.set_host("quay.example", blocked_until=queues.clock.at + 5 * MINUTE, failure_count=1)

    told = []
    while queues.clock.at < NOON + 20 * HOUR:
        await queues.poll()
        told += await watching.look()
        queues.clock.at += 10 * MINUTE

    assert told == []


async def test_runs_that_their_deadline_ended_count_among_those_of_the_hour(db: Database) -> None:
    queues, watching = await _watching(db)
    for number in range(10):
        await queues.job(f"Quay {number}")
    await queues.poll()
    queues.clock.at += HOUR + MINUTE
    for number in range(10):
        await queues.end(f"Quay {number}", failed="timeout")

    seen = await watching.watch.look(queues.clock.at)

    assert [each.detail for each in seen["LowCrawlSuccessRate"].findings] == [
        "10 of the 10 runs of the last hour failed: 0% succeeded"
    ]


@on_sqlite
async def test_a_pause_of_all_leaves_what_metrics_say_of_silence_as_it_was(db: Database) -> None:
    queues, watching = await _watching(db)
    await queues.job("Quay", interval=HOUR)
    for hours in (3, 4):
        queues.clock.at = NOON + hours * HOUR
        await watching.look()
    await db.write(lambda c: crawl_pause.begin(c, CrawlPause(since=NOON, paused_by="anna", reason="")))
    queues.clock.at += HOUR

    await watching.watch.show()

    assert metrics.REGISTRY.get_sample_value("crawler_findings", {"rule": "SourceSilent"}) == 1


@on_sqlite
async def test_what_was_seen_when_alerts_were_kept_is_shown_without_looking_again(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    queues, watching = await _watching(db)
    looks = []
    really_look = watching.watch.look

    async def look(now: datetime) -> dict[str, RuleCheck]:
        looks.append(now)
        return await really_look(now)

    monkeypatch.setattr(watching.watch, "look", look)

    await watching.watch.keep()
    await watching.watch.show()
    queues.clock.at += MINUTE
    await watching.watch.show()

    assert looks == [NOON, NOON + MINUTE]


class Carrier(OutboxEvents):
    """Knows of events what a stream would."""

    said = EventFigures(engine="redis", circuit="closed", lag=80, pending=30, dead_letters=2)

    async def figures(self) -> EventFigures:
        """As set."""
        return self.said


@on_sqlite
async def test_what_the_stream_knows_of_events_is_judged(db: Database) -> None:
    clock, carrier = At(), Carrier(db)
    await be_there(db, clock.at)
    watch = AlertKeeper(db, clock=clock, queue=InProcessQueue(), events=carrier, longest_run=HOUR)

    seen = await watch.look(clock.at)
    carrier.said = EventFigures(engine="redis", circuit="open", lag=None, pending=None, dead_letters=None)
    away = await watch.look(clock.at)

    assert [each.value for each in seen["HighConsumerLag"].findings] == [110]
    assert [each.subject for each in seen["DeadLetters"].findings] == ["letters:events"]
    assert (away["HighConsumerLag"].value, away["DeadLetters"].is_whole) == (0, False)


@on_sqlite
async def test_letters_that_the_stream_has_lost_are_no_longer_a_finding(db: Database) -> None:
    clock, carrier = At(), Carrier(db)
    await be_there(db, clock.at)
    event_id = await db.write(lambda writing: events.publish(writing, "X", source_id=None, payload={}, now=clock.at))
    await db.write(lambda writing: events.give_up(writing, event_id, detail="broken", now=clock.at))
    watch = AlertKeeper(db, clock=clock, queue=InProcessQueue(), events=carrier, longest_run=HOUR)

    carrier.said = EventFigures(engine="redis", circuit="closed", lag=0, pending=0, dead_letters=1)
    before = await watch.look(clock.at)
    carrier.said = EventFigures(engine="redis", circuit="closed", lag=0, pending=0, dead_letters=0)
    after = await watch.look(clock.at)

    assert (len(before["DeadLetters"].findings), after["DeadLetters"].findings) == (1, ())


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
    assert said["detail"] == "Quay: the run of 2026-03-14 12:00 UTC found far fewer records than usual"
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
    pause = CrawlPause(since=NOON, paused_by="anna", reason="")
    await db.write(lambda c: crawl_pause.begin(c, pause))

    told = []
    for hours in (0, 1, 7):
        queues.clock.at = NOON + hours * HOUR
        told += await watching.look()
    assert told == [("fired", "CrawlingPaused")]
    await db.write(crawl_pause.end)
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
    ids = [await add_proxy(db, now=NOON, protocol="http", address="127.0.0.1", port=port) for port in (1, 2, 3)]
    await proxies.assign(db, host_id, ids, priority=50)


async def _used(db: Connection, *, succeeded: int, failed: int) -> None:
    await set_pair(db, 1, 1, success_total=succeeded, failure_total=failed, last_used_at=NOON)


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
