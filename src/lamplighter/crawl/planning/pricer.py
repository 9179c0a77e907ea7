"""Computes the price of a fetch: distributes the budget over all sources, about every hour."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from lamplighter import telemetry
from lamplighter.crawl.planning import effective_source
from lamplighter.crawl.planning.outlook import OutlookCache
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.schedule import PolicyName
from lamplighter.model.source import TagOptions
from lamplighter.ports import Clock
from lamplighter.rules.schedule import policy_choice
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import host_times
from lamplighter.store.hosts.host_times import HostTimes
from lamplighter.store.jobs import job_demand
from lamplighter.store.jobs import pricing as stored
from lamplighter.store.jobs.job_demand import JobDemand
from lamplighter.store.sources import tags as stored_tags

if TYPE_CHECKING:
    from lamplighter.rules.change.pricing import Priced

log = telemetry.logger("pricer")
HOUR = timedelta(hours=1)
#: the longest period over which actual fetches are counted: what was not fetched while nothing ran is not made up for
LOOK_BACK = timedelta(hours=6)


class Pricer:
    """Decides how much staleness a visit must save to be worth its fetches."""

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        source_defaults: SourceDefaults,
        outlooks: OutlookCache,
        every: timedelta = HOUR,
    ) -> None:
        self._db = db
        self._clock = clock
        self.source_defaults = source_defaults
        #: the defaults of the latest price
        self._priced_for = source_defaults
        self._outlooks = outlooks
        self._every = every

    async def reprice_if_old(self) -> None:
        """Computes the price again if it is too old, whichever process computed it, or if the defaults changed."""
        async with self._db.read() as db:
            solved_at = (await stored.get(db)).solved_at
        is_for_others = self._priced_for != self.source_defaults
        if solved_at is None or is_for_others or self._clock.now() - solved_at >= self._every:
            await self.reprice()

    async def reprice(self) -> None:
        """Solves for the price and stores it with its figures."""
        now = self._clock.now()
        self._priced_for = self.source_defaults
        async with self._db.read() as db:
            tags = await stored_tags.settings_of_all(db)
        chunks = job_demand.chunks(self._db)
        wanting = [self._held(job, tags.get(job.source_id, ())) async for chunk in chunks for job in chunk]
        async with self._db.read() as db:
            times = await host_times.many(db, {job.host_id for job in wanting})
            before = await stored.get(db)
            since = max(before.solved_at or now, now - LOOK_BACK)
            used = await job_demand.used(db, since=since, until=now)
        learned = [job for job in wanting if job.policy == PolicyName.LEARNED]
        if not learned:
            return
        # Its library of arrays is loaded with the first price: a process that does not lead never needs it.
        from lamplighter.crawl.planning import price_solving
        from lamplighter.rules.change import pricing

        others = [job for job in wanting if job.policy != PolicyName.LEARNED]
        demand = price_solving.demand_of(learned, self.source_defaults.bounds)
        budget = self._budget(others)
        if budget is None:
            budget = price_solving.own_budget(learned)
        capacity = self._capacity(times, others)
        hours = (now - since) / HOUR
        within = pricing.made_up_within(pricing.mean_interval(demand.cost, budget))
        mine = used - _spent(others) * hours
        owed = pricing.owed(before.owed, used=mine, budget=budget, hours=hours, within=within)
        paced = pricing.paced(budget, owed=owed, within=within)
        priced, outlook = await asyncio.to_thread(price_solving.solved, demand, paced, capacity)
        passed = (now - before.solved_at) / HOUR if before.solved_at is not None else 0.0
        promised, seen = price_solving.promised(learned, priced, before.figures or {}, hours=passed)
        figures = {
            "sources": len(learned),
            "budget_per_hour": budget,
            # with what sources that keep to their own pace spend
            "whole_budget_per_hour": budget + _spent(others),
            "is_budget_given": self.source_defaults.budget_per_hour is not None,
            "demand_per_hour": priced.demand_per_hour,
            "used_per_hour": used / hours if hours else None,
            "promise_correction": promised,
            **seen,
            "expected_staleness": min(1.0, promised * priced.expected_staleness),
            "staleness_with_more": min(1.0, promised * outlook.with_more),
            "staleness_with_less": min(1.0, promised * outlook.with_less),
            "is_budget_too_small": priced.is_budget_too_small,
            "least_budget_per_hour": priced.least_budget_per_hour,
            "hosts_at_capacity": len(priced.host_prices),
        }
        await self._db.write(lambda db: _save(db, priced, owed, figures, now))
        self._outlooks.forget()
        log.info("price.solved", price=priced.price, owed=owed, **figures)

    def _held(self, job: JobDemand, tags: Sequence[TagOptions]) -> JobDemand:
        """The job with its inherited settings, its override, and else the installation's policy."""
        if tags:
            job = job._replace(
                policy=effective_source.first_said("policy", job, tags),
                min_interval_seconds=_first(job.min_interval_seconds, [tag.min_interval for tag in tags]),
                max_interval_seconds=_first(job.max_interval_seconds, [tag.max_interval for tag in tags]),
                set_interval_seconds=_first(job.set_interval_seconds, [tag.interval for tag in tags]),
            )
        override, default = job.override or {}, self.source_defaults.policy
        said = PolicyName(job.policy) if job.policy is not None else None
        set_to = override.get("interval_seconds") or job.set_interval_seconds
        named = policy_choice.overridden(
            said,
            adaptive=override.get("adaptive"),
            sets_interval=override.get("interval_seconds") is not None,
            has_interval=set_to is not None,
            default=default,
        )
        policy = override.get("policy") or policy_choice.chosen(named, has_interval=set_to is not None, default=default)
        return job._replace(
            policy=policy or default,
            min_interval_seconds=job.min_interval_seconds or set_to,
            max_interval_seconds=job.max_interval_seconds or set_to,
        )

    def _budget(self, others: Sequence[JobDemand]) -> float | None:
        """The budget for learned sources; None if none is given."""
        given = self.source_defaults.budget_per_hour
        return max(0.0, given - _spent(others)) if given is not None else None

    def _capacity(self, times: Mapping[int, HostTimes], others: Sequence[JobDemand]) -> dict[int, float]:
        """Fetches per hour that each host can serve politely, less those of sources that do not learn."""
        capacity = {host_id: self.source_defaults.polite_per_hour(host) for host_id, host in times.items()}
        for job in others:
            if job.host_id in capacity:
                capacity[job.host_id] = max(0.0, capacity[job.host_id] - _spent([job]))
        return capacity


def _first(own: int | None, of_tags: Iterable[timedelta | None]) -> int | None:
    """The source's own seconds, else those of the first tag that has them."""
    if own is not None:
        return own
    return next((int(span.total_seconds()) for span in of_tags if span is not None), None)


def _spent(jobs: Sequence[JobDemand]) -> float:
    """Fetches per hour of jobs that keep to their own pace."""
    return sum(job.cost * 3600 / (job.pace_seconds or job.interval_seconds) for job in jobs)


async def _save(db: Connection, priced: "Priced", owed: float, figures: Mapping[str, Any], now: datetime) -> None:
    await stored.save(db, price=priced.price, owed=owed, figures=figures, solved_at=now)
    await stored.save_host_prices(db, priced.host_prices)
