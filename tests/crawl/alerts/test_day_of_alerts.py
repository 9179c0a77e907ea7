"""24 hours on a virtual clock, in which everything goes wrong once: each alert fires and clears once, and none else."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, Trigger
from lamplighter.model.fleet import CrawlPause, Duty
from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.model.schedule import PolicyName
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.events import events
from lamplighter.store.fleet import crawl_pause
from lamplighter.store.hosts import hosts, robots_files
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.proxies import proxies
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema import tables
from tests.changing import add_proxy, set_host, set_pair, set_proxy
from tests.crawl.alerts.keeper_by_hand import EVERYTHING, Watching, be_there
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON

STEP = timedelta(minutes=10)
SOURCES = ("Quay", "Dock", "Pier")


class Day:
    """Three sources that are crawled every hour, a host with proxies, a process; and what may happen to them."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.queues = Queues(db)
        self.watching = Watching(db, self.queues.clock)
        self.duties = EVERYTHING
        self.figures: dict[str, float] = {}
        self.schedules = True

    async def begin(self) -> None:
        for name in SOURCES:
            # Half an hour apart from what goes wrong: a fixed interval has no jitter.
            await self.queues.job(name, interval=HOUR, policy=PolicyName.FIXED, next_run_at=NOON + HOUR / 2)
        await self.db.write(self._exits)

    async def _exits(self, db: Connection) -> None:
        await set_host(db, "exits.example", now=NOON)
        host_id = (await hosts.ensure(db, ["exits.example"], now=NOON))["exits.example"]
        ids = [await add_proxy(db, now=NOON, protocol="http", address="127.0.0.1", port=port) for port in (1, 2, 3)]
        await proxies.assign(db, host_id, ids, priority=50)
        await set_pair(db, host_id, ids[0], success_total=1000, last_used_at=NOON)

    async def pass_(self) -> list[tuple[str, str]]:
        """Ten minutes: the process lives on, what is due is crawled, and somebody looks."""
        now = self.queues.clock.at = self.queues.clock.at + STEP
        await be_there(self.db, now, duties=self.duties, figures=self.figures)
        for name in await self.queues.poll() if self.schedules else ():
            await self.queues.end(name)
        return await self.watching.look()

    async def high_consumer_lag(self, is_wrong: bool) -> None:
        await self._events(is_wrong, count=101)

    async def high_event_processing_errors(self, is_wrong: bool) -> None:
        """They come and fail for an hour."""
        await self._events(is_wrong, count=31, result="error", created_at=self.queues.clock.at + HOUR)

    async def dead_letters(self, is_wrong: bool) -> None:
        await self._events(is_wrong, count=1, result="error", delivered_at=self.queues.clock.at)

    async def _events(self, is_wrong: bool, *, count: int, **columns: Any) -> None:
        async def work(db: Connection) -> None:
            await db.execute(sa.delete(tables.events))
            for _ in range(count if is_wrong else 0):
                await events.publish(db, "SOURCE_UPDATED", source_id=None, payload={}, now=self.queues.clock.at)
            if columns:
                await db.execute(sa.update(tables.events).values(**columns))

        await self.db.write(work)

    async def job_failure_spike(self, is_wrong: bool) -> None:
        failed: dict[str, Any] = {"state": JobState.FAILED, "state_since": self.queues.clock.at, "next_run_at": None}
        for number in range(11 if is_wrong else 0):
            await self.queues.job(f"once {number}", recurring=False, **failed)

    async def low_crawl_success_rate(self, is_wrong: bool) -> None:
        async def work(db: Connection) -> None:
            now = self.queues.clock.at
            about: dict[str, Any] = {
                "job_id": 1,
                "source_id": 1,
                "trigger": Trigger.TASKS,
                "deadline_at": now,
                "page_budget": 1,
            }
            for number in range(1000, 1010):
                run_id = await crawl_runs.add(db, number=number, now=now, **about)
                await crawl_runs.close(db, run_id, now=now, outcome="fail", message="", records_shown=0)  # type: ignore[arg-type]

        if is_wrong:
            await self.db.write(work)

    async def domain_short_of_proxies(self, is_wrong: bool) -> None:
        await self.db.write(lambda db: set_proxy(db, 1, now=NOON, enabled=not is_wrong))

    async def domain_proxy_failures(self, is_wrong: bool) -> None:
        """Many fail at once; that they did is over an hour later."""
        if is_wrong:
            await self._set_proxy_totals(success_total=1010, failure_total=10)

    async def _set_proxy_totals(self, **totals: int) -> None:
        await self.db.write(lambda db: _every_standing(db, totals))

    async def robots_unreachable(self, is_wrong: bool) -> None:
        file = RobotsFile(
            origin="https://quay.example",
            state=RobotsState.RULES,
            body=b"",
            status=200,
            detail=None,
            failure_count=0,
            fetched_at=self.queues.clock.at,
            expires_at=self.queues.clock.at + 9 * HOUR,
        )
        file = replace(file, state=RobotsState.UNREACHABLE) if is_wrong else file
        await self.db.write(lambda db: robots_files.save(db, file))

    async def source_drifting(self, is_wrong: bool) -> None:
        """The next run shows everything again."""
        if is_wrong:
            await self.queues.set_job("Dock", last_outcome="warn", last_drifted=True)

    async def breaker_open(self, is_wrong: bool) -> None:
        blocked = {"blocked_until": self.queues.clock.at, "block_reason": "no answer", "failure_count": 5}
        well = {"blocked_until": None, "block_reason": None, "failure_count": 0}
        await self.queues.set_host("pier.example", **(blocked if is_wrong else well))

    async def disk_low(self, is_wrong: bool) -> None:
        self.figures = {"disk_low": 1.0, "disk_free_mb": 12.0} if is_wrong else {}

    async def crawling_paused(self, is_wrong: bool) -> None:
        pause = CrawlPause(since=self.queues.clock.at, paused_by="anna", reason="")
        await self.db.write(lambda db: crawl_pause.begin(db, pause) if is_wrong else crawl_pause.end(db))

    async def nobody_on_duty(self, is_wrong: bool) -> None:
        self.duties = frozenset({Duty.FETCH, Duty.SCHEDULE}) if is_wrong else EVERYTHING

    async def source_silent(self, is_wrong: bool) -> None:
        """The scheduler itself is dead."""
        self.schedules = not is_wrong


async def _every_standing(db: Connection, totals: dict[str, int]) -> None:
    mine = sa.update(tables.proxy_standings).where(tables.proxy_standings.c.proxy_id == 1)
    await db.execute(mine.values(**totals))


#: rule -> from which hour on something is wrong, until when, and what is broken and then mended
FAULTS: dict[str, tuple[int, int, Callable[[Day, bool], Awaitable[None]]]] = {
    "HighConsumerLag": (1, 2, Day.high_consumer_lag),
    "HighEventProcessingErrors": (2, 3, Day.high_event_processing_errors),
    "JobFailureSpike": (3, 4, Day.job_failure_spike),
    "LowCrawlSuccessRate": (4, 5, Day.low_crawl_success_rate),
    "DomainShortOfProxies": (5, 6, Day.domain_short_of_proxies),
    "DomainProxyFailures": (6, 7, Day.domain_proxy_failures),
    "RobotsUnreachable": (8, 9, Day.robots_unreachable),
    "SourceDrifting": (9, 10, Day.source_drifting),
    "BreakerOpen": (10, 11, Day.breaker_open),
    "DiskLow": (11, 12, Day.disk_low),
    "DeadLetters": (12, 13, Day.dead_letters),
    "CrawlingPaused": (13, 14, Day.crawling_paused),
    "NobodyOnDuty": (14, 15, Day.nobody_on_duty),
    "SourceSilent": (16, 20, Day.source_silent),
}


@on_sqlite
async def test_every_alert_of_a_bad_day_fires_and_clears_and_none_else(db: Database) -> None:
    day = Day(db)
    await day.begin()
    told: list[tuple[int, str, str]] = []

    for step in range(24 * 6):
        hour, minute = divmod(step, 6)
        for first, last, break_or_mend in FAULTS.values():
            if minute == 0 and hour in (first, last):
                await break_or_mend(day, hour == first)
        told += [(hour, kind, rule) for kind, rule in await day.pass_()]

    often = {rule: 3 if rule == "SourceSilent" else 1 for rule in FAULTS}
    for kind in ("fired", "cleared"):
        assert {rule: sum(each[1:] == (kind, rule) for each in told) for rule in {rule for _, _, rule in told}} == often
    fired = {rule: hour for hour, kind, rule in told if kind == "fired"}
    assert [rule for rule, hour in fired.items() if not FAULTS[rule][0] <= hour < FAULTS[rule][1]] == []
    jobs = await day.db.look(lambda c: crawl_jobs.of_sources(c, [1, 2, 3]))
    assert {job.state for job in jobs.values()} == {JobState.SCHEDULED}
