"""Computes the price of a fetch: distributes the budget over all sources, about every hour."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from lamplighter import telemetry
from lamplighter.crawl.planning import effective_source
from lamplighter.crawl.planning.outlook import OutlookCache
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.schedule import PolicyName
from lamplighter.model.source import TagOptions
from lamplighter.ports import Clock
from lamplighter.rules.change import pricing, promises
from lamplighter.rules.change.pricing import Priced, VisitDemand
from lamplighter.rules.change.priors import baseline_prior
from lamplighter.rules.change.promises import SeenHours
from lamplighter.rules.change.recency import UNKNOWN_AGE
from lamplighter.rules.schedule import policy_choice
from lamplighter.rules.schedule.policies.learned import weight
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import host_times
from lamplighter.store.hosts.host_times import HostTimes
from lamplighter.store.jobs import job_demand
from lamplighter.store.jobs import pricing as stored
from lamplighter.store.jobs.job_demand import JobDemand
from lamplighter.store.sources import tags as stored_tags

log = telemetry.logger("pricer")
HOUR = timedelta(hours=1)
#: the longest period over which actual fetches are counted: what was not fetched while nothing ran is not made up for
LOOK_BACK = timedelta(hours=6)
#: "+20 % fetches would …"
MORE = 1.2


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
        others = [job for job in wanting if job.policy != PolicyName.LEARNED]
        demand = self._demand(learned)
        budget = self._budget(learned, others)
        capacity = self._capacity(times, others)
        hours = (now - since) / HOUR
        owed = pricing.owed(before.owed, used=used - _spent(others) * hours, budget=budget, hours=hours)
        priced, outlook = await asyncio.to_thread(_solved, demand, pricing.paced(budget, owed=owed), capacity)
        passed = (now - before.solved_at) / HOUR if before.solved_at is not None else 0.0
        promised, seen = _promised(learned, priced, before.figures or {}, hours=passed)
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

    def _budget(self, learned: Sequence[JobDemand], others: Sequence[JobDemand]) -> float:
        """The budget for learned sources; without a given budget, what their own intervals would spend."""
        if self.source_defaults.budget_per_hour is not None:
            return max(0.0, self.source_defaults.budget_per_hour - _spent(others))
        intervals = np.array([job.interval_seconds for job in learned], dtype=float)
        return pricing.baseline_budget(intervals, np.array([job.cost for job in learned], dtype=float))

    def _demand(self, jobs: Sequence[JobDemand]) -> VisitDemand:
        beliefs = [_belief(job) for job in jobs]
        bounds = self.source_defaults.bounds
        least, most = bounds.least.total_seconds(), bounds.most.total_seconds()
        return VisitDemand(
            a=np.array([belief[0] for belief in beliefs], dtype=float),
            b=np.array([belief[1] for belief in beliefs], dtype=float),
            weight=np.array([weight(job.priority) for job in jobs], dtype=float),
            signal=np.array([job.signal for job in jobs], dtype=float),
            age=np.array([_age(job) for job in jobs], dtype=float),
            cost=np.array([job.cost for job in jobs], dtype=float),
            least=np.array([job.min_interval_seconds or min(least, job.interval_seconds) for job in jobs]) / 3600,
            most=np.array([job.max_interval_seconds or max(most, job.interval_seconds) for job in jobs]) / 3600,
            host=np.array([job.host_id or 0 for job in jobs], dtype=np.int64),
        )

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


def _belief(job: JobDemand) -> tuple[float, float]:
    if job.belief_a is not None and job.belief_b is not None:
        return job.belief_a, job.belief_b
    prior = baseline_prior(timedelta(seconds=job.interval_seconds))
    return prior.a, prior.b


def _age(job: JobDemand) -> float:
    """Hours from the last change to the last visit; not a number where hours are not felt."""
    if not job.is_felt:
        return float("nan")
    if job.visited_at is None or job.changed_at is None:
        return UNKNOWN_AGE
    return max(0.0, (job.visited_at - job.changed_at) / HOUR)


def _spent(jobs: Sequence[JobDemand]) -> float:
    """Fetches per hour of jobs that keep to their own pace."""
    return sum(job.cost * 3600 / (job.pace_seconds or job.interval_seconds) for job in jobs)


def _solved(demand: VisitDemand, budget: float, capacity: Mapping[int, float]) -> tuple[Priced, pricing.BudgetOutlook]:
    return (
        pricing.solve(demand, budget_per_hour=budget, host_capacity=capacity),
        pricing.more(demand, budget_per_hour=budget, host_capacity=capacity, factor=MORE),
    )


def _promised(
    learned: Sequence[JobDemand], priced: Priced, before: Mapping[str, Any], *, hours: float
) -> tuple[float, dict[str, Any]]:
    """How much staler all sources are than is believed, and the figures from which the next price goes on."""
    sums = np.array([(job.watched_hours, job.seen_stale_hours) for job in learned], dtype=float)
    watched, stale = np.where(np.isfinite(sums) & (sums >= 0), sums, 0.0).T
    month = SeenHours(float(watched.sum()), float(stale.sum()))
    month_before, days = (SeenHours(*before.get(name, SeenHours())) for name in ("seen_in_month", "seen_in_days"))
    days = promises.recent(days, month_before=month_before, month=month, hours=hours)
    believed = promises.mean_share(priced.staleness, watched)
    correction = promises.correction(days, believed=believed, watched_each=float(watched.mean()))
    return correction, {"seen_in_month": list(month), "seen_in_days": list(days)}


async def _save(db: Connection, priced: Priced, owed: float, figures: Mapping[str, Any], now: datetime) -> None:
    await stored.save(db, price=priced.price, owed=owed, figures=figures, solved_at=now)
    await stored.save_host_prices(db, priced.host_prices)
