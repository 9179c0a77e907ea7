"""Plans the next run of a job: gathers the inputs, applies the rules, returns the changes of the job."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.planning import effective_source
from lamplighter.crawl.planning.outlook import InstallationOutlook, OutlookCache
from lamplighter.crawl.planning.source_defaults import SourceDefaults, rate_limit, windows_of
from lamplighter.model.crawl import CrawlJob, CrawlRun, JobChange, JobState
from lamplighter.model.schedule import Belief, Learnt, PolicyName
from lamplighter.model.source import Source
from lamplighter.ports import Clock
from lamplighter.rules.change import learning, priors
from lamplighter.rules.change.learning import VisitEvidence
from lamplighter.rules.change.priors import USUAL
from lamplighter.rules.hosts import server_hints
from lamplighter.rules.schedule import backoff, policies, schedule
from lamplighter.rules.schedule.backoff import Backoff
from lamplighter.rules.schedule.policies.learned import weight
from lamplighter.rules.schedule.schedule import NextRun, Observed
from lamplighter.rules.schedule.urgency import urgency
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import host_activity, host_times
from lamplighter.store.hosts.host_times import HostTimes
from lamplighter.store.jobs import cohorts
from lamplighter.store.records import records
from lamplighter.store.runs import run_pages

#: how quickly the average cost of a run follows what runs really cost
_COST_SHARE = 0.3
#: more new records than this are not dated one by one
_MOST_DATED = 200
_SHORTEST_PACE = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The next run, and the job's changed fields with its reason."""

    next: NextRun
    #: None when the run did not fail
    backoff: Backoff | None
    #: the job's changed fields, except its state
    changes: JobChange


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A job with the inputs of its next run."""

    job: CrawlJob
    #: the effective source
    source: Source
    host: HostTimes | None
    policy: PolicyName
    outlook: InstallationOutlook


class Planner:
    """Decides when a job runs next."""

    def __init__(
        self, *, source_defaults: SourceDefaults, clock: Clock, draw: Callable[[], float] = random.random
    ) -> None:
        self.source_defaults = source_defaults
        self.outlooks = OutlookCache(clock=clock)
        self._draw = draw

    async def after_run(
        self, db: Connection, job: CrawlJob, run: CrawlRun, *, failed: bool, now: datetime, is_permanent: bool = False
    ) -> RunPlan:
        """Plans the run after one that ended; `is_permanent`: it failed for a reason that a quick retry would meet."""
        case = await self._case(db, job, now=now)
        seed = await run_pages.seed_of(db, run.id)
        learnt = await self._learnt(db, case, run, failed=failed, seed=seed, now=now)
        is_changed = run.tally.pages_changed > 0 or job.learnt is None
        unchanged = job.unchanged_count if failed else 0 if is_changed else job.unchanged_count + 1
        yielded = run.tally.records_inserted + run.tally.records_updated
        retreat = _retreat(job, is_permanent=is_permanent) if failed else None
        observed = Observed(
            policy=case.policy,
            ask=self._ask(case, learnt, unchanged=unchanged, yielded=yielded, now=now),
            backoff=retreat,
            fresh_for=_fresh_for(seed, case, now=now),
            away_for=_until(_latest(_busy_until(case.host), seed.due_at if failed and seed is not None else None), now),
            windows=windows_of(case.source, case.host),
            rhythm_at=_rhythm(job),
            set_to=case.source.interval,
        )
        planned = schedule.next_run(
            observed, now=now, draw=self._draw(), place=case.outlook.place, spread=case.outlook.spread
        )
        case.outlook.note(job, planned.at, planned.pace)
        changes = JobChange(
            learnt=learnt,
            unchanged_count=unchanged,
            retry_count=retreat.retry_count if retreat is not None else 0,
            failure_count=retreat.failure_count if retreat is not None else 0,
            backoff_until=planned.at if failed else None,
            next_run_at=planned.at,
            next_run_reason=planned.reason,
            pace=max(_SHORTEST_PACE, planned.pace),
            urgency=urgency(weight=weight(job.priority), learnt=learnt, due_at=planned.at),
            cost=_cost(job, run, failed=failed),
            page_changes=job.page_changes + run.revisit_changes,
            page_hours=job.page_hours + run.revisit_hours,
        )
        return RunPlan(next=planned, backoff=retreat, changes=changes)

    async def after_announcement(
        self,
        db: Connection,
        job: CrawlJob,
        *,
        probability: float,
        now: datetime,
        siblings: Mapping[str, Any] | None = None,
    ) -> JobChange:
        """The job's changes after an announced change: its run may move forward, it is not forced.

        `siblings` are the figures of other sources on its host, where these told of the change.
        """
        if job.learnt is None or job.learnt.visited_at is None:
            return JobChange()
        learnt = learning.announce(learning.repaired(job.learnt, otherwise=_usual(job)), probability)
        changes = JobChange(signal=learnt.signal)
        case = await self._case(db, job, now=now)
        is_waiting = job.state is JobState.SCHEDULED and not job.failure_count
        if case.policy is not PolicyName.LEARNED or not is_waiting or job.next_run_at is None:
            return changes
        ask = self._ask(case, learnt, unchanged=job.unchanged_count, yielded=0, now=job.learnt.visited_at)
        planned = schedule.sooner(
            ask,
            windows_of(case.source, case.host),
            planned_at=job.next_run_at,
            reason=job.next_run_reason,
            now=now,
            siblings=siblings,
        )
        if planned is None:
            return changes
        lane = urgency(weight=weight(job.priority), learnt=learnt, due_at=planned.at)
        return changes | JobChange(next_run_at=planned.at, next_run_reason=planned.reason, urgency=lane)

    async def after_refit(self, db: Connection, job: CrawlJob, *, now: datetime) -> JobChange:
        """The job's changes once its belief was replaced: its run is planned anew, sooner or later than before."""
        is_waiting = job.state is JobState.SCHEDULED and not job.failure_count
        if job.learnt is None or job.learnt.visited_at is None or not is_waiting or job.next_run_at is None:
            return JobChange()
        case = await self._case(db, job, now=now)
        if case.policy is not PolicyName.LEARNED or not schedule.follows_belief(job.next_run_reason):
            return JobChange()
        learnt = learning.repaired(job.learnt, otherwise=_usual(job))
        planned = schedule.anew(
            self._ask(case, learnt, unchanged=job.unchanged_count, yielded=0, now=job.learnt.visited_at),
            windows_of(case.source, case.host),
            planned_at=job.next_run_at,
            pace=job.pace or job.interval,
            set_to=case.source.interval,
            reason=job.next_run_reason or {},
            now=now,
        )
        lane = urgency(weight=weight(job.priority), learnt=learnt, due_at=planned.at)
        return JobChange(
            next_run_at=planned.at,
            next_run_reason=planned.reason,
            pace=max(_SHORTEST_PACE, planned.pace),
            urgency=lane,
        )

    async def _case(self, db: Connection, job: CrawlJob, *, now: datetime) -> _Case:
        source = await effective_source.of_job(db, job, default=self.source_defaults.policy)
        return _Case(
            job=job,
            source=source,
            host=(await host_times.many(db, [job.host_id])).get(job.host_id or 0),
            policy=self.source_defaults.policy_of(source),
            outlook=await self.outlooks.latest(db, now=now),
        )

    def _ask(self, case: _Case, learnt: Learnt, *, unchanged: int, yielded: int, now: datetime) -> policies.PolicyInput:
        job = case.job
        return policies.PolicyInput(
            baseline=job.interval,
            priority=job.priority,
            unchanged_count=unchanged,
            yielded=yielded,
            learnt=learnt,
            price=case.outlook.price(job.host_id),
            pooled=case.outlook.pooled,
            bounds=self.source_defaults.bounds_of(case.source, job.interval),
            profile=case.outlook.profile(case.source),
            now=now,
            rate_limit=rate_limit(case.source),
            max_depth=case.source.max_depth,
        )

    async def _learnt(
        self, db: Connection, case: _Case, run: CrawlRun, *, failed: bool, seed: Any, now: datetime
    ) -> Learnt:
        """What is learnt after this run; a failed run adds nothing."""
        job = case.job
        usual = _usual(job)
        known = learning.repaired(job.learnt, otherwise=usual) if job.learnt is not None else None
        if failed:
            return known or Learnt(belief=usual)
        fit = case.outlook.fit(case.source)
        if known is None or known.visited_at is None:
            host = None
            if job.host_id is not None:
                host = await cohorts.of_host(db, job.host_id, except_job=job.id, is_felt=fit.is_felt)
            usual = case.outlook.prior(case.source, job.interval, host=host)
        return learning.learn(
            known,
            await self._seen(db, job, run, seed=seed, now=now),
            prior=usual,
            is_felt=fit.is_felt,
            hours_between=case.outlook.profile(case.source).hours_between,
            activity=await _activity(db, job),
            believed=((job.next_run_reason or {}).get("expected") or {}).get("believed_staleness"),
        )

    async def _seen(self, db: Connection, job: CrawlJob, run: CrawlRun, *, seed: Any, now: datetime) -> VisitEvidence:
        """What the run found, with the dates of changes where the site gives them."""
        is_changed = run.tally.pages_changed > 0
        at = seed.fetched_at if seed is not None and seed.fetched_at is not None else now
        since = job.learnt.visited_at if job.learnt is not None else None
        new = run.tally.records_inserted
        if not is_changed or since is None or not 0 < new <= _MOST_DATED:
            return VisitEvidence(at=at, is_changed=is_changed, last_modified=_last_modified(seed))
        dates = [moment for moment in await records.publication_dates(db, run.source_id, newest=new) if moment]
        if len(dates) < new or not all(since < moment <= at for moment in dates):
            return VisitEvidence(at=at, is_changed=True, last_modified=_last_modified(seed))
        return VisitEvidence(at=at, is_changed=True, count=len(set(dates)), last_modified=max(dates))


def _usual(job: CrawlJob) -> Belief:
    """The belief about a source of which only its interval is known, in the hours that its beliefs are about."""
    is_felt = job.learnt.is_felt if job.learnt is not None else True
    return priors.baseline_prior(job.interval, USUAL._replace(is_felt=is_felt))


async def _activity(db: Connection, job: CrawlJob) -> Callable[[datetime, datetime], tuple[float, float]]:
    """How busy the job's host was between two moments, where that predicts changes."""
    found = await host_activity.of_host(db, job.host_id) if job.host_id is not None else None
    if found is None:
        return lambda start, end: (1.0, 1.0)
    from lamplighter.crawl.planning.known_activity import known_activity  # loads a library of arrays

    return known_activity(found).between


def _last_modified(seed: Any) -> datetime | None:
    return server_hints.http_date(seed.last_modified or "") if seed is not None else None


def _retreat(job: CrawlJob, *, is_permanent: bool) -> Backoff:
    return backoff.after_failure(
        job.interval,
        retry_count=job.retry_count,
        failure_count=job.failure_count,
        max_retries=job.max_retries,
        unit=job.retry_backoff,
        is_permanent=is_permanent,
    )


def _fresh_for(seed: Any, case: _Case, *, now: datetime) -> timedelta | None:
    """How long the server calls its response fresh; an exact interval that a person set is kept all the same."""
    is_exact = case.policy is PolicyName.FIXED and case.source.interval is not None
    return _until(seed.fresh_until, now) if seed is not None and not is_exact else None


def _rhythm(job: CrawlJob) -> datetime | None:
    """The time that its rhythm counts from."""
    beat = (job.next_run_reason or {}).get("rhythm_at")
    return datetime.fromisoformat(beat) if beat is not None else None


def _busy_until(host: HostTimes | None) -> datetime | None:
    """Until when the host gets no requests, because it is blocked or over its budget."""
    if host is None:
        return None
    return _latest(host.blocked_until, host.budget_free_at)


def _latest(*times: datetime | None) -> datetime | None:
    return max((time for time in times if time is not None), default=None)


def _until(moment: datetime | None, now: datetime) -> timedelta | None:
    return moment - now if moment is not None and moment > now else None


def _cost(job: CrawlJob, run: CrawlRun, *, failed: bool) -> float:
    """The average requests of a run; the first run counts in full, a failed one not at all."""
    if failed:
        return job.cost
    sent = requests(run)
    is_first = job.learnt is None or job.learnt.visited_at is None
    return float(sent) if is_first else job.cost + _COST_SHARE * (sent - job.cost)


def requests(run: CrawlRun) -> int:
    """Pages that a run requested."""
    tally = run.tally
    return max(1, tally.pages_fetched + tally.pages_unchanged + tally.pages_failed)
