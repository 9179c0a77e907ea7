"""Plans the next run of a job: gathers what bears on it, lets the rules decide, says what changes in the job."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl import effective
from lamplighter.crawl.norms import Norms, windows_of
from lamplighter.crawl.noticing import Noticing
from lamplighter.crawl.outlook import Outlook, Outlooks
from lamplighter.model.crawl import CrawlJob, CrawlRun, JobState
from lamplighter.model.schedule import Learnt, PolicyName
from lamplighter.ports import Clock
from lamplighter.rules import backoff, learning, policies, priors, schedule, server_hints
from lamplighter.rules.backoff import Backoff
from lamplighter.rules.learning import Seen
from lamplighter.rules.policies.learned import weight
from lamplighter.rules.schedule import NextRun, Observed
from lamplighter.rules.urgency import urgency
from lamplighter.store import cohorts, crawl_jobs, host_times, records, run_pages
from lamplighter.store.database import Connection
from lamplighter.store.host_times import HostTimes
from lamplighter.store.sources import SourceRow

#: how quickly the average cost of a run follows what runs really cost
_COST_SHARE = 0.3
#: more new records than this are not dated one by one
_MOST_DATED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """When next, and what the job remembers of how that came about."""

    next: NextRun
    #: None when the run did not fail
    backoff: Backoff | None
    #: columns of the job, other than its state
    changes: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A job with all that bears on its next run."""

    job: CrawlJob
    #: as it holds for the job
    source: SourceRow
    host: HostTimes | None
    policy: PolicyName
    outlook: Outlook


class Planner:
    """Answers one question: when does this job run next?"""

    def __init__(self, *, norms: Norms, clock: Clock, draw: Callable[[], float] = random.random) -> None:
        self.norms = norms
        self.outlooks = Outlooks(clock=clock)
        #: writes down what the end of a run means for those who want to be told
        self.noticing = Noticing(clock=clock)
        self._draw = draw

    async def after_run(self, db: Connection, job: CrawlJob, run: CrawlRun, *, failed: bool, now: datetime) -> Plan:
        """The plan after a run that ended now."""
        case = await self._case(db, job, now=now)
        seed = await run_pages.seed_of(db, run.id)
        learnt = await self._learnt(db, case, run, failed=failed, seed=seed, now=now)
        is_changed = run.tally.pages_changed > 0 or job.learnt is None
        unchanged = job.unchanged_count if failed else 0 if is_changed else job.unchanged_count + 1
        yielded = run.tally.records_inserted + run.tally.records_updated
        retreat = _retreat(job) if failed else None
        observed = Observed(
            policy=case.policy,
            ask=self._ask(case, learnt, unchanged=unchanged, yielded=yielded, now=now),
            backoff=retreat,
            fresh_for=_until(seed.fresh_until if seed is not None else None, now),
            away_for=_until(_busy_until(case.host), now),
            windows=windows_of(case.source, case.host),
            rhythm_at=_rhythm(job) if case.policy is PolicyName.FIXED else None,
        )
        planned = schedule.next_run(observed, now=now, draw=self._draw(), place=case.outlook.place)
        case.outlook.note(job, planned.at, planned.pace)
        changes = crawl_jobs.learnt_values(learnt) | {
            "unchanged_count": unchanged,
            "retry_count": retreat.retry_count if retreat is not None else 0,
            "failure_count": retreat.failure_count if retreat is not None else 0,
            "backoff_until": planned.at if failed else None,
            "next_run_at": planned.at,
            "next_run_reason": planned.reason,
            "pace_seconds": max(1, int(planned.pace.total_seconds())),
            "urgency": urgency(weight=weight(job.priority), learnt=learnt, due_at=planned.at),
            "cost": _cost(job, run, failed=failed),
            "page_changes": job.page_changes + run.revisit_changes,
            "page_hours": job.page_hours + run.revisit_hours,
        }
        return Plan(next=planned, backoff=retreat, changes=changes)

    async def after_announcement(
        self, db: Connection, job: CrawlJob, *, probability: float, now: datetime
    ) -> dict[str, Any]:
        """What changes in a job when a change was announced: its run may come forward, it is not forced."""
        if job.learnt is None or job.learnt.visited_at is None:
            return {}
        learnt = learning.announce(
            learning.repaired(job.learnt, otherwise=priors.baseline_prior(job.interval)), probability
        )
        changes: dict[str, Any] = {"signal": learnt.signal}
        case = await self._case(db, job, now=now)
        is_waiting = job.state is JobState.SCHEDULED and not job.failure_count
        if case.policy is not PolicyName.LEARNED or not is_waiting or job.next_run_at is None:
            return changes
        ask = self._ask(case, learnt, unchanged=job.unchanged_count, yielded=0, now=job.learnt.visited_at)
        planned = schedule.sooner(
            ask, windows_of(case.source, case.host), planned_at=job.next_run_at, reason=job.next_run_reason, now=now
        )
        if planned is None:
            return changes
        lane = urgency(weight=weight(job.priority), learnt=learnt, due_at=planned.at)
        return changes | {"next_run_at": planned.at, "next_run_reason": planned.reason, "urgency": lane}

    async def _case(self, db: Connection, job: CrawlJob, *, now: datetime) -> _Case:
        source = await effective.of_job(db, job, default=self.norms.policy)
        return _Case(
            job=job,
            source=source,
            host=(await host_times.many(db, [job.host_id])).get(job.host_id or 0),
            policy=PolicyName(source.policy) if source.policy else self.norms.policy,
            outlook=await self.outlooks.latest(db, now=now),
        )

    def _ask(self, case: _Case, learnt: Learnt, *, unchanged: int, yielded: int, now: datetime) -> policies.Ask:
        job = case.job
        return policies.Ask(
            baseline=job.interval,
            priority=job.priority,
            unchanged_count=unchanged,
            yielded=yielded,
            learnt=learnt,
            price=case.outlook.price(job.host_id),
            bounds=self.norms.bounds_of(case.source, job.interval),
            profile=case.outlook.profile(case.source),
            now=now,
            rate_limit=self.norms.rate_limit(case.host),
            max_depth=case.source.max_depth,
        )

    async def _learnt(
        self, db: Connection, case: _Case, run: CrawlRun, *, failed: bool, seed: Any, now: datetime
    ) -> Learnt:
        """What is known after this visit; a failed one teaches nothing."""
        job = case.job
        usual = priors.baseline_prior(job.interval)
        known = learning.repaired(job.learnt, otherwise=usual) if job.learnt is not None else None
        if failed:
            return known or Learnt(belief=usual)
        if known is None or known.visited_at is None:
            host = await cohorts.of_host(db, job.host_id, except_job=job.id) if job.host_id is not None else None
            usual = case.outlook.prior(case.source, job.interval, host=host)
        seen = await self._seen(db, job, run, seed=seed, now=now)
        hours_between = case.outlook.profile(case.source).hours_between
        return learning.learn(known, seen, prior=usual, hours_between=hours_between)

    async def _seen(self, db: Connection, job: CrawlJob, run: CrawlRun, *, seed: Any, now: datetime) -> Seen:
        """What the visit found, with the dates of the changes where the site tells them."""
        is_changed = run.tally.pages_changed > 0
        at = seed.fetched_at if seed is not None and seed.fetched_at is not None else now
        since = job.learnt.visited_at if job.learnt is not None else None
        new = run.tally.records_inserted
        if not is_changed or since is None or not 0 < new <= _MOST_DATED:
            return Seen(at=at, is_changed=is_changed, last_modified=_last_modified(seed))
        dates = [moment for moment in await records.publication_dates(db, run.source_id, newest=new) if moment]
        if len(dates) < new or not all(since < moment <= at for moment in dates):
            return Seen(at=at, is_changed=True, last_modified=_last_modified(seed))
        return Seen(at=at, is_changed=True, count=len(set(dates)), last_modified=max(dates))


def _last_modified(seed: Any) -> datetime | None:
    return server_hints.http_date(seed.last_modified or "") if seed is not None else None


def _retreat(job: CrawlJob) -> Backoff:
    return backoff.after_failure(
        job.interval,
        retry_count=job.retry_count,
        failure_count=job.failure_count,
        max_retries=job.max_retries,
        unit=job.retry_backoff,
    )


def _rhythm(job: CrawlJob) -> datetime | None:
    """The beat on which a fixed rhythm goes on."""
    beat = (job.next_run_reason or {}).get("rhythm_at")
    return datetime.fromisoformat(beat) if beat is not None else None


def _busy_until(host: HostTimes | None) -> datetime | None:
    """Until when the host is not to be asked: by its own word, its breaker or its budget."""
    if host is None:
        return None
    return max((time for time in (host.blocked_until, host.budget_free_at) if time is not None), default=None)


def _until(moment: datetime | None, now: datetime) -> timedelta | None:
    return moment - now if moment is not None and moment > now else None


def _cost(job: CrawlJob, run: CrawlRun, *, failed: bool) -> float:
    """Pages asked for in a run, on average; a first visit is no average, and a failed one says nothing of others."""
    if failed:
        return job.cost
    asked = requests(run)
    is_first = job.learnt is None or job.learnt.visited_at is None
    return float(asked) if is_first else job.cost + _COST_SHARE * (asked - job.cost)


def requests(run: CrawlRun) -> int:
    """Pages that a run asked for."""
    tally = run.tally
    return max(1, tally.pages_fetched + tally.pages_unchanged + tally.pages_failed)
