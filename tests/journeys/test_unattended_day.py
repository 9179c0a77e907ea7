"""A day with nobody at the desk: everything goes wrong once, and whoever should hear of it does.

The service is whole: its own loops, its own gate and client, which ask origins on loopback by way of real proxies, and
tell real receivers of webhooks. Only time is virtual, so that a day takes minutes.
"""

import asyncio
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations, cycle, islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pytest
import sqlalchemy as sa

from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.alerts import notification_channels, notification_rules
from lamplighter.operations.alerts.notification_channels import ChannelSettings
from lamplighter.operations.alerts.notification_rules import RuleSettings
from lamplighter.operations.events import dead_letters
from lamplighter.operations.fleet import crawl_pause
from lamplighter.operations.jobs import jobs
from lamplighter.rules.alerts.alerts import BY_NAME
from lamplighter.settings import load
from lamplighter.store.engine.database import Connection
from lamplighter.store.events import events
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.schema import tables
from tests.fetch.stored_proxies import a_host, add_proxies
from tests.journeys.access_records import Records
from tests.journeys.unattended import HOUR, LOOK, MINUTE, Hook, Household, Site, Weight, left_alone, virtual_loop, weigh
from tests.moments import NOON
from tests.origin import Answer, Origin
from tests.proxies import HttpProxy, SocksProxy
from tests.proxies.listener import Listener
from tests.witness import ANY_HOST, Policy, Violation, report, violations

#: so many share a host that is asked through proxies, and something happens to so many alone
PROXIED, ALONE = 12, 4
PLENTY, SCARCE = 100 << 30, 1 << 20
#: every so often the page is asked for that is gone for hours: its breaker opens before all crawling is paused
OFTEN = 6 * MINUTE
#: from then on all is as before: every source is there, and everything has been wrong and is mended
SETTLED = 14
#: what a service that keeps nothing may grow by, give or take
MOST_PER_HOUR = {"rss_mb": 0.4, "blocks": 500, "open_files": 0.3, "tasks": 0.1}
#: channels hear of a source that failed so often in a row
FAILURES = 2

Act = Callable[[], Awaitable[object]]


class Size(NamedTuple):
    """How much of a day it is."""

    hours: int
    #: sites that break together
    troubled: int
    healthy: int
    #: sources are added within so many hours
    staggered: float
    #: so many hours after the beginning something happens to the service itself
    service_from: float

    @property
    def sources(self) -> int:
        """All of them."""
        return PROXIED + ALONE + self.troubled + self.healthy


WHOLE = Size(hours=24, troubled=100, healthy=184, staggered=6, service_from=10.5)
#: sites and receivers are well all the time
SHORT = Size(hours=4, troubled=4, healthy=20, staggered=0.4, service_from=0.5)


class Place(NamedTuple):
    """What there is besides the service."""

    proxied: Sequence[Site]
    drifting: Site
    broken: Site
    shut: Site
    stuck: Site
    troubled: Sequence[Site]
    healthy: Sequence[Site]
    proxies: Sequence[Listener]
    #: always there; away for two hours; never there
    desk: Hook
    pager: Hook
    old: Hook
    #: what the sites saw
    records: Records

    @property
    def sites(self) -> Sequence[Site]:
        """All of them."""
        alone = (self.drifting, self.broken, self.shut, self.stuck)
        return [*self.proxied, *alone, *self.troubled, *self.healthy]

    def forget(self) -> None:
        """Keeps nothing in memory of what anybody here was asked."""
        self.records.take_from(*(site.origin for site in self.sites))
        for proxy in self.proxies:
            proxy.asked.clear()


class Disk:
    """How much room there is left, as the test says."""

    free = PLENTY

    def __call__(self, _: Sequence[Path]) -> int:
        return self.free


class Day:
    """What happens, and when."""

    def __init__(self, household: Household, place: Place, disk: Disk, size: Size) -> None:
        self.household = household
        self.db, self.service = household.db, household.service
        self.place = place
        self.disk = disk
        self.size = size
        self.weights: list[Weight] = []
        self._old_channel = ""

    async def pass_(self) -> None:
        """From the first hour to the last."""
        for hour, act in sorted(self._agenda(), key=lambda each: each[0]):
            await self.household.sleep_until(hour)
            await act()
        await self.household.sleep_until(self.size.hours)

    def _agenda(self) -> Iterator[tuple[float, Act]]:
        yield 0, self._begin
        for group, interval in self._groups():
            spread = min(interval, self.size.staggered)
            for number, site in enumerate(group):
                yield number * spread / len(group), self._watch(site, every=interval * HOUR)
        for hour in range(SETTLED, self.size.hours + 1):
            yield hour, self._weigh(hour)
        yield from self._what_happens_to_the_service(self.size.service_from)
        if self.size is WHOLE:
            yield from self._one_broken_address()
            yield from self._one_bad_hour()
            yield from self._what_happens_to_one()
            yield from self._what_happens_to_receivers()

    def _groups(self) -> Iterator[tuple[Sequence[Site], int]]:
        """Sites, and every how many hours they are asked."""
        yield self.place.proxied, 1
        yield self.place.troubled, 6
        for number, interval in enumerate((6, 12, 12, 12)):
            yield self.place.healthy[number::4], interval

    def _one_broken_address(self) -> Iterator[tuple[float, Act]]:
        """The stored address of a source is broken for hours; what is told of the source meanwhile comes to nothing."""
        stuck = self.place.stuck
        yield 2, self._set_address(stuck, "http://[nowhere/", host_id=None)
        yield 4, self._tell(*[stuck] * 40)
        yield 6, self._discard_letters
        yield 10, self._set_address(stuck, stuck.url)

    def _one_bad_hour(self) -> Iterator[tuple[float, Act]]:
        """A third of the hosts break, and all proxies die."""
        yield 7, self._answers(*self.place.troubled, trouble=Answer(status=500))
        yield 8, self._answers(*self.place.troubled, trouble=None)
        for proxy in self.place.proxies:
            yield 7, proxy.close
            yield 8, proxy.open

    def _what_happens_to_one(self) -> Iterator[tuple[float, Act]]:
        """A robots.txt cannot be had, a page is gone until somebody tries whether it is back, a site is rebuilt."""
        shut, broken, drifting = self.place.shut, self.place.broken, self.place.drifting
        yield 7, self._answers(shut, robots_trouble=Answer(status=503))
        yield 7, self._watch(shut, every=HOUR)
        yield 8.5, self._answers(shut, robots_trouble=None)
        yield 7, self._answers(broken, trouble=Answer(status=404))
        yield 13.8, self._answers(broken, trouble=None)
        yield 13.8, self._run_now(broken)
        rebuilt = Answer(headers={"Content-Type": "text/html"}, body=b"<html><body><div>soon</div></body></html>")
        yield 9, self._answers(drifting, trouble=rebuilt)
        yield 11, self._answers(drifting, trouble=None)

    def _what_happens_to_receivers(self) -> Iterator[tuple[float, Act]]:
        """One is away for two hours, another never works and is given up at last."""
        yield 9, self.place.pager.origin.close
        yield 11, self.place.pager.origin.open
        yield 11.8, self._add_old_channel
        yield 13.5, self._remove_old_channel

    def _what_happens_to_the_service(self, begin: float) -> Iterator[tuple[float, Act]]:
        """Nobody settles events, there is no room, somebody pauses all crawling, no sign of life is given."""
        yield begin, self._holds("deliver")
        yield begin, self._tell(*islice(cycle(self.place.healthy), 120))
        yield begin + 0.5, self._lets_go("deliver")
        yield begin + 0.5, self._has_room(SCARCE)
        yield begin + 1.2, self._has_room(PLENTY)
        yield begin + 1.5, self._pause
        yield begin + 2, self._resume
        yield begin + 2.3, self._holds("heartbeat")
        yield begin + 2.8, self._lets_go("heartbeat")

    async def _begin(self) -> None:
        place = self.place
        host = await a_host(self.db, place.proxied[0].origin.address)
        await add_proxies(self.db, *place.proxies, host=host, vault=self.service.vault)
        kinds = ("alert.fired", "alert.cleared", "run.failed", "run.recovered")
        for name, hook in (("desk", place.desk), ("pager", place.pager)):
            await self._add_channel(name, hook, *kinds, max_tries=20)
        await self._watch(place.broken, every=OFTEN if self.size is WHOLE else HOUR)()
        await self._watch(place.drifting, every=HOUR)()
        await self._watch(place.stuck, every=HOUR)()
        if self.size is not WHOLE:
            await self._watch(place.shut, every=HOUR)()

    def _watch(self, site: Site, *, every: timedelta) -> Act:
        return lambda: self.household.watch(site, interval=every)

    def _weigh(self, hour: int) -> Act:
        async def act() -> None:
            # What is weighed is the service; what the test itself remembers would look like a leak of it.
            self.place.forget()
            self.weights.append(weigh(hour))

        return act

    def _answers(self, *sites: Site, **answers: Answer | None) -> Act:
        async def act() -> None:
            for site in sites:
                for name, answer in answers.items():
                    setattr(site, name, answer)

        return act

    def _tell(self, *sites: Site) -> Act:
        async def work(db: Connection) -> None:
            for site in sites:
                source_id = site.source.id
                await events.publish(db, "SOURCE_UPDATED", source_id=source_id, payload={}, now=self.household.now)

        async def act() -> None:
            await self.db.write(work)
            self.service.bells.events.ring()

        return act

    def _set_address(self, site: Site, url: str, **job: Any) -> Act:
        """Behind everybody's back."""
        sources, jobs = tables.sources, tables.crawl_jobs

        async def work(db: Connection) -> None:
            await db.execute(sa.update(sources).where(sources.c.id == site.source.id).values(url=url))
            if job:
                await db.execute(sa.update(jobs).where(jobs.c.source_id == site.source.id).values(**job))

        return lambda: self.db.write(work)

    async def _discard_letters(self) -> None:
        carrier = self.service.events.carrier
        for letter in (await dead_letters.listed(carrier, limit=1000, offset=0)).rows:
            await dead_letters.discard(self.db, carrier, letter.id, stamp=Stamp("test", self.household.now))

    def _run_now(self, site: Site) -> Act:
        async def work(db: Connection) -> None:
            job = await crawl_jobs.of_source(db, site.source.id)
            assert job is not None
            now, source_defaults = self.household.now, self.service.source_defaults
            await jobs.force_run(db, job, stamp=Stamp("test", now), deadline=HOUR, source_defaults=source_defaults)

        async def act() -> None:
            await self.db.write(work)
            self.service.bells.hosts.ring()

        return act

    def _holds(self, loop: str) -> Act:
        async def act() -> None:
            self.household.stuck.add(loop)

        return act

    def _lets_go(self, loop: str) -> Act:
        async def act() -> None:
            self.household.stuck.discard(loop)

        return act

    def _has_room(self, free: int) -> Act:
        async def act() -> None:
            self.disk.free = free

        return act

    async def _pause(self) -> None:
        await self.db.write(lambda db: crawl_pause.pause(db, reason="works", stamp=Stamp("test", self.household.now)))

    async def _resume(self) -> None:
        await self.db.write(lambda db: crawl_pause.resume(db, stamp=Stamp("test", self.household.now)))

    async def _add_channel(self, name: str, hook: Hook, *kinds: str, max_tries: int) -> str:
        messenger, now = self.service.notifying.messenger, self.household.now

        async def work(db: Connection) -> str:
            settings = ChannelSettings(name=name, kind="webhook", target=hook.url, max_tries=max_tries)
            channel = await notification_channels.add(db, settings, messenger=messenger, stamp=Stamp("test", now))
            for kind in kinds:
                threshold = FAILURES if kind.startswith("run.") else 1
                rule = RuleSettings(
                    channel=channel.public_id, kind=kind, threshold=threshold, digest_minutes=0, with_baseline=True
                )
                await notification_rules.add(db, rule, stamp=Stamp("test", now))
            return channel.public_id

        return await self.db.write(work)

    async def _add_old_channel(self) -> None:
        self._old_channel = await self._add_channel("old", self.place.old, "alert.fired", max_tries=2)

    async def _remove_old_channel(self) -> None:
        now = self.household.now
        await self.db.write(lambda db: notification_channels.remove(db, self._old_channel, stamp=Stamp("test", now)))


class Expected(NamedTuple):
    """An alert, in hours: from when on its rule holds at the earliest, until when something is wrong at least."""

    rule: str
    subject: str
    wrong_from: float
    wrong_until: float
    #: by when it must have been told, and by when that it is over
    fired_by: float
    cleared_by: float


def _expected_of_the_service(begin: float) -> list[Expected]:
    machine, duties = f"machine:{socket.gethostname()}", ("fetch", "parse", "schedule")
    return [
        Expected("HighConsumerLag", "", begin, begin + 0.5, begin + 0.3, begin + 0.8),
        Expected("DiskLow", machine, begin + 0.5, begin + 1.2, begin + 0.7, begin + 1.4),
        Expected("CrawlingPaused", "", begin + 1.5, begin + 2, begin + 1.9, begin + 2.2),
        *(
            Expected("NobodyOnDuty", f"duty:{duty}", begin + 2.3, begin + 2.8, begin + 2.8, begin + 3.0)
            for duty in duties
        ),
    ]


def _expected_of_sites(place: Place, runs: Sequence[Any]) -> list[Expected]:
    """Those that only rest after the bad hour, are not among them: none is expected meanwhile.

    What is gone is tried again thrice at once, and then after 2, 4, 8 and 16 intervals, each a jitter and a look late:
    three hours at least, until its breaker opens.
    """
    exits = place.proxied[0].host_subject
    failed_at = _first_failure(place.broken, runs)
    return [
        Expected("SourceSilent", place.stuck.subject, 0.9 + 3, 10, 5.5, 11.4),
        Expected("HighEventProcessingErrors", "", 4, 4.1, 4.3, 4.6),
        Expected("DeadLetters", "letters:events", 4, 6, 4.4, 6.3),
        Expected("RobotsUnreachable", place.shut.host_subject, 7, 8.5, 7.5, 9.7),
        Expected(
            "SourceSilent", place.broken.subject, failed_at + 2 * OFTEN / HOUR, failed_at + 3, failed_at + 1, 11.2
        ),
        Expected("BreakerOpen", place.broken.subject, failed_at + 3, 13.8, 11.2, 14.1),
        Expected("JobFailureSpike", "", 7, 8, 8.2, 9.4),
        Expected("LowCrawlSuccessRate", "", 7, 8, 7.8, 9.9),
        Expected("DomainShortOfProxies", exits, 7, 8, 8.2, 9.4),
        Expected("DomainProxyFailures", exits, 7, 8, 8.2, 9.9),
        Expected("SourceDrifting", place.drifting.subject, 9, 11, 10.4, 12.8),
        Expected("DeadLetters", "letters:notifications", 12.1, 13.5, 12.6, 13.7),
    ]


def _first_failure(site: Site, runs: Sequence[Any]) -> float:
    """The hour at which a page that is gone from seven on was first missed: jitter decides where in its interval."""
    hour = min(
        _hour(run.started_at) for run in runs if run.source_id == site.source.id and run.outcome == RunOutcome.FAIL
    )
    assert 7 <= hour <= 7 + (1.3 * OFTEN + LOOK) / HOUR
    return hour


@dataclass(frozen=True, slots=True, kw_only=True)
class Evening:
    """What there was to see when the day was over."""

    alerts: Sequence[Any]
    runs: Sequence[Any]
    notifications: Sequence[Any]
    oldest_log_line: datetime
    weights: Sequence[Weight]
    impolite: Sequence[Violation]


async def _day(folder: Path, size: Size) -> tuple[Place, Evening]:
    async with AsyncExitStack() as stack:

        async def an_origin() -> Origin:
            return await stack.enter_async_context(Origin(clock=asyncio.get_running_loop().time))

        records = Records(folder / "records.jsonl")
        shared = await an_origin()
        proxied = [Site(number, shared, f"/{number}", records=records) for number in range(PROXIED)]
        sites = [Site(number, await an_origin(), records=records) for number in range(PROXIED, size.sources)]
        kinds = (HttpProxy, SocksProxy) * 3
        proxies = [await stack.enter_async_context(kind(exit=f"127.0.0.{n}")) for n, kind in enumerate(kinds, 11)]
        drifting, broken, shut, stuck, *others = sites
        desk, pager, old = [Hook(await an_origin(), status=status) for status in (200, 200, 500)]
        place = Place(
            proxied=proxied,
            drifting=drifting,
            broken=broken,
            shut=shut,
            stuck=stuck,
            troubled=others[: size.troubled],
            healthy=others[size.troubled :],
            proxies=proxies,
            desk=desk,
            pager=pager,
            old=old,
            records=records,
        )
        disk = Disk()
        household = await stack.enter_async_context(left_alone(folder / "data", free_bytes=disk))
        day = Day(household, place, disk, size)
        await day.pass_()
        place.forget()
        return place, Evening(
            alerts=await household.rows(tables.alerts),
            runs=await household.rows(tables.crawl_runs),
            notifications=await household.rows(tables.notifications),
            oldest_log_line=min(line.at for line in await household.rows(tables.run_log_lines)),
            weights=day.weights,
            impolite=violations(records.hits(), {ANY_HOST: Policy(delay=load({}).min_delay_ms / 1000)}),
        )


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(SHORT, id="short"),
        pytest.param(WHOLE, id="whole", marks=pytest.mark.minutes),
    ],
)
@pytest.mark.timeout(3600)
def test_whatever_goes_wrong_is_told_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: Size
) -> None:
    loop = virtual_loop(monkeypatch)

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        place, evening = runner.run(_day(tmp_path, size))

    expected = _expected_of_the_service(size.service_from)
    _alerts_came_and_went(evening, [*expected, *_expected_of_sites(place, evening.runs)] if size is WHOLE else expected)
    _everybody_was_told(place, evening)
    assert evening.impolite == [], report(evening.impolite)
    assert len({run.source_id for run in evening.runs}) == size.sources
    assert sum(run.outcome == RunOutcome.OK for run in evening.runs) > 0.9 * len(evening.runs)
    healthy = {site.source.id for site in place.healthy}
    assert [run for run in evening.runs if run.source_id in healthy and run.outcome == RunOutcome.FAIL] == []
    if size is WHOLE:
        _receivers_held_up_no_other(place, evening)
        _nothing_grew(evening.weights)
        # Six hours of the runs' log are kept, and swept every quarter of an hour.
        assert size.hours - 7 < _hour(evening.oldest_log_line) < size.hours - 5.5


def _alerts_came_and_went(evening: Evening, expected: Sequence[Expected]) -> None:
    assert Counter((alert.rule, alert.subject) for alert in evening.alerts) == Counter(each[:2] for each in expected)
    by_name = {(alert.rule, alert.subject): alert for alert in evening.alerts}
    for each in expected:
        alert = by_name[each[:2]]
        earliest = each.wrong_from + BY_NAME[each.rule].hold / HOUR
        assert earliest <= _hour(alert.fired_at) <= each.fired_by, each
        assert each.wrong_until <= _hour(alert.cleared_at) <= each.cleared_by, each


def _hour(moment: datetime) -> float:
    return (moment - NOON) / HOUR


def _everybody_was_told(place: Place, evening: Evening) -> None:
    expected = Counter[tuple[str, str]]()
    for alert in evening.alerts:
        expected.update([("alert.fired", alert.public_id), ("alert.cleared", alert.public_id)])
    for site in (
        *place.proxied,
        place.drifting,
        place.broken,
        place.shut,
        place.stuck,
        *place.troubled,
        *place.healthy,
    ):
        mine = [run.outcome for run in evening.runs if run.source_id == site.source.id]
        expected.update((event, site.source.public_id) for event in _told_of(mine))
    for hook in (place.desk, place.pager):
        assert Counter((told.event, told.about) for told in hook.told) == expected
        assert len({told.key for told in hook.told}) == len(hook.told)
    assert {row.state for row in evening.notifications} == {"sent"}


def _receivers_held_up_no_other(place: Place, evening: Evening) -> None:
    late = [row for row in evening.notifications if row.sent_at - row.created_at > 2 * LOOK]
    # One that is away, or never works, holds up no other; what waited for it came when it was back.
    assert {row.channel_id for row in late} == {max(row.channel_id for row in evening.notifications)}
    assert all(9 <= _hour(row.created_at) <= 11 <= _hour(row.sent_at) for row in late)
    assert place.old.tries > 0


def _told_of(outcomes: Sequence[str]) -> Iterator[str]:
    """What people hear of a source whose runs came to this, one after the other."""
    failures = 0
    for outcome in outcomes:
        if outcome == RunOutcome.FAIL:
            failures += 1
            if failures == FAILURES:
                yield "run.failed"
        else:
            if failures >= FAILURES:
                yield "run.recovered"
            failures = 0


def _nothing_grew(weights: Sequence[Weight]) -> None:
    slopes = {name: _slope(weights, name) for name in MOST_PER_HOUR}

    grew = [name for name, slope in slopes.items() if slope >= MOST_PER_HOUR[name]]
    figures = [f"{name}: {slope:.2f} an hour, {MOST_PER_HOUR[name]} allowed" for name, slope in slopes.items()]
    assert not grew, "\n".join([f"grew: {', '.join(grew)}", *figures, *map(str, weights)])


def _slope(weights: Sequence[Weight], name: str) -> float:
    """By the middle of all slopes between two hours, which a single step of the allocator does not move."""
    hours = [(weight.hour, getattr(weight, name)) for weight in weights]
    return median((later - earlier) / (b - a) for (a, earlier), (b, later) in combinations(hours, 2))
