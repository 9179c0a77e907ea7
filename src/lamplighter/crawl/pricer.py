"""Finds out what a fetch is worth: distributes the budget anew over all sources, every hour or so."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from lamplighter import telemetry
from lamplighter.crawl import effective
from lamplighter.crawl.norms import Norms
from lamplighter.crawl.outlook import Outlooks
from lamplighter.model.schedule import PolicyName
from lamplighter.ports import Clock
from lamplighter.rules import pricing
from lamplighter.rules.policies.learned import weight
from lamplighter.rules.pricing import Demand, Priced
from lamplighter.rules.priors import baseline_prior
from lamplighter.rules.recency import UNKNOWN_AGE
from lamplighter.store import host_times, job_demand, tag_orders
from lamplighter.store import pricing as stored
from lamplighter.store.database import Connection, Database
from lamplighter.store.host_times import HostTimes
from lamplighter.store.job_demand import Wanting
from lamplighter.store.tag_orders import TagOrder

log = telemetry.logger("pricer")
HOUR = timedelta(hours=1)
#: over which time the fetches really made are counted
LOOK_BACK = timedelta(days=1)
#: a host is asked for this much of what its delay would allow at the most, so that it never has to catch its breath
USABLE_SHARE = 0.5
#: "+20 % fetches would …"
MORE = 1.2


class Pricer:
    """Answers one question: from how much staleness on is a visit worth its fetches?"""

    def __init__(
        self, db: Database, *, clock: Clock, norms: Norms, outlooks: Outlooks, every: timedelta = HOUR
    ) -> None:
        self._db = db
        self._clock = clock
        self._norms = norms
        self._outlooks = outlooks
        self._every = every

    async def reprice_if_old(self) -> None:
        """Solves again when the price is as old as that, whoever found it; and as soon as there is anybody to price."""
        async with self._db.read() as db:
            solved_at = (await stored.get(db)).solved_at
        if solved_at is None or self._clock.now() - solved_at >= self._every:
            await self.reprice()

    async def reprice(self) -> None:
        """Solves for the price and stores it with its figures."""
        now = self._clock.now()
        async with self._db.read() as db:
            tags = await tag_orders.of_all(db)
        chunks = job_demand.chunks(self._db)
        wanting = [self._held(job, tags.get(job.source_id, ())) async for chunk in chunks for job in chunk]
        async with self._db.read() as db:
            used = await job_demand.used_per_hour(db, since=now - LOOK_BACK, until=now)
            times = await host_times.many(db, {job.host_id for job in wanting})
            before = await stored.get(db)
        learned = [job for job in wanting if job.policy == PolicyName.LEARNED]
        if not learned:
            return
        others = [job for job in wanting if job.policy != PolicyName.LEARNED]
        demand = self._demand(learned)
        budget = self._budget(learned, others)
        capacity = self._capacity(times, others)
        priced, outlook = await asyncio.to_thread(_solved, demand, budget, capacity)
        correction = before.correction if used is None else _corrected(before.correction, used, budget + _spent(others))
        figures = {
            "sources": len(learned),
            "budget_per_hour": budget,
            "is_budget_given": self._norms.budget_per_hour is not None,
            "demand_per_hour": priced.demand_per_hour,
            "used_per_hour": used,
            "expected_staleness": priced.expected_staleness,
            "staleness_with_more": outlook.with_more,
            "staleness_with_less": outlook.with_less,
            "is_budget_too_small": priced.is_budget_too_small,
            "least_budget_per_hour": priced.least_budget_per_hour,
            "hosts_at_capacity": len(priced.host_prices),
        }
        await self._db.write(lambda db: _save(db, priced, correction, figures, now))
        self._outlooks.forget()
        log.info("price.solved", price=priced.price, correction=correction, **figures)

    def _held(self, job: Wanting, tags: Sequence[TagOrder]) -> Wanting:
        """The job with what its source inherits, what a person set, and the installation's policy where nobody did."""
        if tags:
            inherited = ("policy", "min_interval_seconds", "max_interval_seconds")
            job = job._replace(**{name: effective.first_said(name, job, tags) for name in inherited})
        adaptive = (job.override or {}).get("adaptive")
        policy = effective.policy_of(job.policy, adaptive=adaptive, default=self._norms.policy)
        return job._replace(policy=policy or self._norms.policy)

    def _budget(self, learned: Sequence[Wanting], others: Sequence[Wanting]) -> float:
        """What may be spent on sources that learn; without a budget, what their own intervals would have spent."""
        if self._norms.budget_per_hour is not None:
            return max(0.0, self._norms.budget_per_hour - _spent(others))
        intervals = np.array([job.interval_seconds for job in learned], dtype=float)
        return pricing.baseline_budget(intervals, np.array([job.cost for job in learned], dtype=float))

    def _demand(self, jobs: Sequence[Wanting]) -> Demand:
        beliefs = [_belief(job) for job in jobs]
        least, most = self._norms.bounds.least.total_seconds(), self._norms.bounds.most.total_seconds()
        return Demand(
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

    def _capacity(self, times: Mapping[int, HostTimes], others: Sequence[Wanting]) -> dict[int, float]:
        """Fetches per hour that each host can serve politely, less what sources that do not learn take."""
        capacity = {host_id: self._polite(host) for host_id, host in times.items()}
        for job in others:
            if job.host_id in capacity:
                capacity[job.host_id] = max(0.0, capacity[job.host_id] - _spent([job]))
        return capacity

    def _polite(self, host: HostTimes) -> float:
        delay, budget = host.delay(self._norms.host), self._norms.host_budget(host)
        by_delay = USABLE_SHARE * (HOUR / delay) if delay else float("inf")
        return min(by_delay, budget if budget is not None else float("inf"))


def _belief(job: Wanting) -> tuple[float, float]:
    if job.belief_a is not None and job.belief_b is not None:
        return job.belief_a, job.belief_b
    prior = baseline_prior(timedelta(seconds=job.interval_seconds))
    return prior.a, prior.b


def _age(job: Wanting) -> float:
    """Hours from the last change to the last visit."""
    if job.visited_at is None or job.changed_at is None:
        return UNKNOWN_AGE
    return max(0.0, (job.visited_at - job.changed_at) / HOUR)


def _spent(jobs: Sequence[Wanting]) -> float:
    """Fetches per hour of jobs that keep to their own pace."""
    return sum(job.cost * 3600 / (job.pace_seconds or job.interval_seconds) for job in jobs)


def _solved(demand: Demand, budget: float, capacity: Mapping[int, float]) -> tuple[Priced, pricing.Outlook]:
    return (
        pricing.solve(demand, budget_per_hour=budget, host_capacity=capacity),
        pricing.more(demand, budget_per_hour=budget, host_capacity=capacity, factor=MORE),
    )


def _corrected(correction: float, used: float, budget: float) -> float:
    """The factor on the price that brings what is really spent nearer to the budget; bounded, should both lie."""
    return min(max(pricing.corrected(correction, used, budget), 0.25), 4.0)


async def _save(db: Connection, priced: Priced, correction: float, figures: Mapping[str, Any], now: datetime) -> None:
    await stored.save(db, price=priced.price, correction=correction, figures=dict(figures), solved_at=now)
    await stored.save_host_prices(db, priced.host_prices)
