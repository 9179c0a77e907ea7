"""One source in detail: how it fares, when it runs next and why, and what is believed of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.crawl.norms import Norms
from lamplighter.model.crawl import CrawlJob, CrawlRun, JobState, Outcome
from lamplighter.model.schedule import PolicyName
from lamplighter.operations import run_waits, runs, source_settings
from lamplighter.operations.runs import Progress
from lamplighter.operations.source_settings import SourceSettings
from lamplighter.rules import expectation, lifecycle, reasons
from lamplighter.rules.waiting import Wait
from lamplighter.store import crawl_jobs, run_lists
from lamplighter.store.database import Connection
from lamplighter.store.run_lists import Summary
from lamplighter.store.sources import SourceRow

DAY = timedelta(days=1)
#: a day of runs every five minutes; of what runs more often, the latest are shown
_MOST_RUNS = 288
_SHOWN_FAILURES = 5
_WAITING = (JobState.PENDING, JobState.SCHEDULED)
_POLICIES = {
    PolicyName.FIXED: "at a fixed interval",
    PolicyName.LEARNED: "as often as its changes are worth it",
    PolicyName.HASH_BACKOFF: "less and less often while nothing changes",
    PolicyName.YIELD_DAYS: "by how much it yields",
    PolicyName.PRIORITY: "by its priority",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDetail:
    """All that one page shows of a source."""

    settings: SourceSettings
    #: None until the source was first enabled
    job: CrawlJob | None
    last_day: Summary
    #: the latest first
    runs: Sequence[CrawlRun]
    #: the run that goes on
    progress: Progress | None
    #: what that waits for; None while something of it is done
    wait: Wait | None
    #: when it runs next, and why then; None when nothing is planned
    next_run_at: datetime | None
    next_run_why: str
    belief: str

    @property
    def ended(self) -> list[CrawlRun]:
        """Those that have ended and say something of the source, the latest first."""
        return [run for run in self.runs if run.outcome not in (None, Outcome.CANCELLED)]

    @property
    def failures(self) -> list[CrawlRun]:
        """The latest that did not go well."""
        return [run for run in self.ended if run.outcome in (Outcome.FAIL, Outcome.WARN)][:_SHOWN_FAILURES]


async def detail(db: Connection, source: SourceRow, *, norms: Norms, now: datetime) -> SourceDetail:
    """Everything that is known of a source, in a few looks."""
    job = await crawl_jobs.of_source(db, source.id)
    settings = await source_settings.settings_of(db, source, job, norms=norms, now=now)
    is_planned = job is not None and _is_planned(job)
    latest = await run_lists.of_job(db, job.id, limit=_MOST_RUNS) if job is not None else []
    going_on = next((run for run in latest if run.finished_at is None), None)
    return SourceDetail(
        settings=settings,
        job=job,
        last_day=await run_lists.summary(db, source_id=source.id, since=now - DAY),
        runs=latest,
        progress=await runs.progress(db, going_on.id) if going_on is not None else None,
        wait=await run_waits.of_run(db, going_on.id, defaults=norms.host, now=now) if going_on is not None else None,
        next_run_at=job.next_run_at if job is not None and is_planned else None,
        next_run_why=reasons.sentence(job.next_run_reason) if job is not None and is_planned else _unplanned(job),
        belief=belief_of(job, settings.policy.value, now=now),
    )


def belief_of(job: CrawlJob | None, policy: PolicyName, *, now: datetime) -> str:
    """What the scheduler believes of a source, and what it makes of that, in one sentence."""
    how = _POLICIES[policy]
    if job is None or job.learnt is None or not job.learnt.visit_count:
        return f"Nothing was observed yet; it is to be visited {how}."
    wait = max(job.next_run_at - now, timedelta(0)) if job.next_run_at is not None else timedelta(0)
    told = expectation.expectation(job.learnt, wait=wait, now=now)
    low, high = told["changes_every_range_seconds"]
    # The pace is that of the latest plan, which an interval that was set since has not seen.
    pace = job.interval if policy is PolicyName.FIXED else job.pace or job.interval
    every = reasons.span(pace.total_seconds())
    return (
        f"It had changed on {told['changes']} of {told['visits']} visits and is believed to change about every "
        f"{reasons.span(told['changes_every_seconds'])} (between {reasons.span(low)} and {reasons.span(high)}); "
        f"visited {how}, that comes to every {every}, and our copy is expected to be stale "
        f"{told['staleness']:.0%} of the time."
    )


def _is_planned(job: CrawlJob) -> bool:
    return job.state in _WAITING or job.pause_reason in lifecycle.ENDING_BY_THEMSELVES


def _unplanned(job: CrawlJob | None) -> str:
    if job is None:
        return "nothing is planned: it has no crawl job yet"
    if job.state is JobState.RUNNING:
        return "a run goes on; when it ends, the next is planned by what it found"
    if job.resume_at is not None:
        return "as soon as its pause ends"
    return f"nothing is planned: its crawl job is {job.state}"
