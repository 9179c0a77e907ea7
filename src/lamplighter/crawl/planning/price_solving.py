"""The arithmetic of prices over all sources at once, as arrays."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from lamplighter.crawl.planning.known_activity import HOUR
from lamplighter.model.schedule import IntervalBounds
from lamplighter.rules.change import pricing, promises
from lamplighter.rules.change.pricing import BudgetOutlook, Priced, VisitDemand
from lamplighter.rules.change.priors import baseline_prior
from lamplighter.rules.change.promises import SeenHours
from lamplighter.rules.change.recency import UNKNOWN_AGE
from lamplighter.rules.schedule.policies.learned import weight
from lamplighter.store.jobs.job_demand import JobDemand

#: "+20 % fetches would …"
MORE = 1.2


def demand_of(jobs: Sequence[JobDemand], bounds: IntervalBounds) -> VisitDemand:
    """What learned jobs want, one row for each."""
    beliefs = [_belief(job) for job in jobs]
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


def own_budget(learned: Sequence[JobDemand]) -> float:
    """The fetches per hour that learned sources would spend at their own intervals."""
    intervals = np.array([job.interval_seconds for job in learned], dtype=float)
    return pricing.baseline_budget(intervals, np.array([job.cost for job in learned], dtype=float))


def solved(demand: VisitDemand, budget: float, capacity: Mapping[int, float]) -> tuple[Priced, BudgetOutlook]:
    """The price of this budget, and what more or less of it would make of staleness."""
    return (
        pricing.solve(demand, budget_per_hour=budget, host_capacity=capacity),
        pricing.more(demand, budget_per_hour=budget, host_capacity=capacity, factor=MORE),
    )


def promised(
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
