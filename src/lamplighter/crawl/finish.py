"""The one sink of runs: outcome, next run and state of the job, written together."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from lamplighter import crash_points
from lamplighter.crawl import run_report, spending
from lamplighter.crawl.noticing import End
from lamplighter.crawl.planner import Plan, Planner
from lamplighter.crawl.standing import Standing, look, settle
from lamplighter.model.crawl import CrawlJob, CrawlRun, JobState, Outcome, PauseReason, Tally, Trigger
from lamplighter.model.page import Phase
from lamplighter.model.visit import Refusal
from lamplighter.rules import lifecycle, run_streak
from lamplighter.rules.lifecycle import Step
from lamplighter.rules.run_streak import Ended
from lamplighter.store import crawl_jobs, crawl_runs, page_orders, run_pages
from lamplighter.store.database import Connection

#: a source whose start page robots.txt forbids is looked at again when the robots.txt is
ROBOTS_REST = timedelta(hours=12)
#: a dead link or two is the web's ordinary state; from this share of failed pages on it is worth a look
WORRYING_SHARE = 0.1
#: how a note begins that concerns the source's recipe
RECIPE = "recipe: "
#: states in which the end of a run decides what comes next; all but the last are of a job that was paused when somebody
#: had it run, and let go on before that run was over
_GOING_ON = (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING)


class Verdict(NamedTuple):
    """How a run ended, and in words."""

    outcome: Outcome
    message: str


#: of a run of submitted pages all of which were paused or cancelled before they were asked for
_NOTHING_LEFT = Verdict(Outcome.OK, "no page was left to ask for")


async def finish_done(
    db: Connection, run_ids: Iterable[int], *, now: datetime, planner: Planner, overdue: bool = False
) -> list[int]:
    """Ends those of the runs that have no page left to do; the caller holds their rows. Returns which."""
    done = await crawl_runs.without_open_pages(db, run_ids)
    for run_id in done:
        await _finish(db, run_id, now=now, planner=planner, overdue=overdue)
    if done:
        crash_points.reached("finish.before_commit")
    return done


async def cancel_run(db: Connection, run_id: int, *, why: str, now: datetime) -> None:
    """Stops a run that goes on; what it had found stays, what it had not asked for is not asked for."""
    if run_id not in await crawl_runs.lock_open(db, [run_id]):
        return
    await page_orders.put_back(db, run_id, now=now)
    await run_pages.close_open(db, run_id, phase=Phase.CANCELLED, reason="cancelled", detail=why)
    run = await crawl_runs.get(db, run_id)
    assert run is not None
    await page_orders.settle(db, run_id, since=run.started_at)
    shown = (await look(db, run, overdue=True)).shown
    await crawl_runs.close(db, run_id, now=now, outcome=Outcome.CANCELLED, message=why, records_shown=shown)
    await run_report.tell_cancelled(db, run, why=why, now=now)


async def _finish(db: Connection, run_id: int, *, now: datetime, planner: Planner, overdue: bool) -> None:
    run = await crawl_runs.get(db, run_id)
    job = await crawl_jobs.lock(db, run.job_id) if run is not None else None
    if run is None or job is None:
        return
    problem = await run_pages.first_problem(db, run_id)
    standing = await _look(db, run, overdue=overdue)
    note = run.figures.first_note if run.figures is not None else None
    is_idle = run.trigger is Trigger.TASKS and run.tally == Tally() and problem is None
    verdict = _NOTHING_LEFT if is_idle else judge(run.tally, problem, standing, note=note, overdue=overdue)
    await crawl_runs.close(
        db,
        run_id,
        now=now,
        outcome=verdict.outcome,
        message=verdict.message,
        records_shown=standing.shown,
        has_drifted=standing.drift is not None,
    )
    await page_orders.settle(db, run_id, since=run.started_at)
    await settle(db, run, standing, outcome=verdict.outcome, now=now)
    await spending.settle(db, job, run, norms=planner.norms, now=now)
    changes = await _consequences(
        db, job, run, problem, failed=verdict.outcome is Outcome.FAIL, planner=planner, now=now
    )
    if run.trigger is not Trigger.TASKS:
        changes |= {"last_outcome": verdict.outcome, "last_drifted": standing.drift is not None}
        changes |= run_streak.after(job.failed_runs, job.turned_away_runs, Ended(*verdict))._asdict()
    await crawl_jobs.change(db, job.id, now=now, last_run_at=run.started_at, **changes)
    drift = standing.drift.reason if standing.drift is not None and standing.is_news else None
    await planner.noticing.run_ended(db, End(job, run, verdict.outcome, verdict.message, drift, changes), now=now)
    await run_report.tell_finished(
        db,
        run,
        outcome=verdict.outcome,
        message=verdict.message,
        drift=standing.drift.reason if standing.drift is not None else None,
        next_run_at=changes.get("next_run_at", job.next_run_at),
        next_run_reason=changes.get("next_run_reason", job.next_run_reason),
        now=now,
    )


async def _look(db: Connection, run: CrawlRun, *, overdue: bool) -> Standing:
    """How the source stands. Submitted pages are a part of it: nothing follows from what they do not show."""
    if run.trigger is not Trigger.TASKS:
        return await look(db, run, overdue=overdue)
    return (await look(db, run, overdue=True))._replace(drift=None)


async def _consequences(
    db: Connection, job: CrawlJob, run: CrawlRun, problem: Any, *, failed: bool, planner: Planner, now: datetime
) -> dict[str, Any]:
    """What changes in the job; nothing after a run of submitted pages, which says nothing about the source."""
    if run.trigger is Trigger.TASKS:
        return {}
    plan = await planner.after_run(db, job, run, failed=failed, now=now)
    return plan.changes | next_state(job, plan, _refusal(problem) if failed else None, now=now)


def judge(tally: Tally, problem: Any, standing: Standing, *, note: str | None, overdue: bool) -> Verdict:
    """Nothing had: fail. Much amiss or not understood: warn. Otherwise ok. What robots.txt forbids is in order."""
    had = tally.pages_fetched + tally.pages_unchanged
    trouble = f"{problem.reason}: {problem.detail} ({problem.url})" if problem is not None else ""
    if not had:
        return Verdict(Outcome.FAIL, trouble or "no page could be had")
    summary = (
        f"{had} pages ({tally.pages_unchanged} unchanged, {tally.pages_refused} refused, {tally.pages_failed} failed), "
        f"{tally.records_found} records: {tally.records_inserted} new, {tally.records_updated} changed, "
        f"{tally.records_unchanged} as before, {tally.records_skipped} skipped"
        + (f", {tally.records_failed} could not be stored" if tally.records_failed else "")
    )
    if standing.drift is not None:
        return Verdict(Outcome.WARN, f"extractor may be broken: {standing.drift.reason}; {summary}")
    if overdue:
        return Verdict(Outcome.WARN, f"stopped at its deadline; {summary}")
    if tally.pages_failed > WORRYING_SHARE * (had + tally.pages_failed):
        return Verdict(Outcome.WARN, f"{summary}; first {trouble}")
    if note is not None and note.startswith(RECIPE):
        return Verdict(Outcome.WARN, f"{summary}; {note}")
    if not tally.records_found and not standing.shown and not standing.has_shown_before and tally.pages_fetched:
        return Verdict(Outcome.WARN, f"{summary}; {note or 'nothing on them looks like a record: a recipe would help'}")
    return Verdict(Outcome.OK, summary)


def _refusal(problem: Any) -> Refusal | None:
    """Why we did not even ask, if that is what went wrong."""
    refusals = {str(refusal): refusal for refusal in (Refusal.ROBOTS, Refusal.TAKEDOWN)}
    return refusals.get(problem.reason) if problem is not None else None


def next_state(job: CrawlJob, plan: Plan, refusal: Refusal | None, *, now: datetime) -> dict[str, Any]:
    """Where the job goes from here, over and above its plan."""
    if job.state is JobState.PAUSED:
        return _after_forced_run(job, refusal, failed=plan.backoff is not None)
    if job.state not in _GOING_ON:  # cancelled while it ran: that stands
        return {"next_run_at": None, "next_run_reason": None}
    job = replace(job, state=JobState.RUNNING)
    if refusal is not None:
        return _at_rest(refusal, job, now)
    if plan.backoff is None:
        step = Step.REPEAT if job.recurring else Step.COMPLETE
    elif not plan.backoff.is_final:
        step = Step.TRY_AGAIN
    elif plan.backoff.opens_breaker:
        return _resting(PauseReason.BREAKER, plan.next.at, job) | {"next_run_reason": plan.next.reason}
    else:
        step = Step.REPEAT if job.recurring else Step.GIVE_UP
    state = lifecycle.after(job.state, step)
    ended = {"next_run_at": None, "next_run_reason": None} if state in (JobState.COMPLETED, JobState.FAILED) else {}
    return {"state": state} | ended


def _after_forced_run(job: CrawlJob, refusal: Refusal | None, *, failed: bool) -> dict[str, Any]:
    """A paused job that was made to run stays paused, unless it was automation's doubt that the run dispelled."""
    if not failed and job.pause_reason in lifecycle.ENDING_BY_THEMSELVES:
        woken: dict[str, Any] = {"pause_reason": None, "resume_at": None}
        if job.recurring:
            return woken | {"state": lifecycle.after(job.state, Step.WAKE)}
        ended = {"state": lifecycle.after(job.state, Step.COMPLETE), "next_run_at": None, "next_run_reason": None}
        return woken | ended
    as_before = {"next_run_at": job.next_run_at, "next_run_reason": job.next_run_reason}
    return as_before | _same_failures(job) if refusal is not None else as_before


def _at_rest(refusal: Refusal, job: CrawlJob, now: datetime) -> dict[str, Any]:
    """Not asking is no failure of the source: its failures stay as they were."""
    if refusal is Refusal.ROBOTS:
        rest = _resting(PauseReason.ROBOTS, now + ROBOTS_REST, job) | {"next_run_reason": {"why": "robots disallow"}}
    else:
        rest = _resting(PauseReason.TAKEDOWN, None, job) | {"next_run_reason": {"why": "on the takedown list"}}
    return rest | _same_failures(job)


def _same_failures(job: CrawlJob) -> dict[str, Any]:
    return {"retry_count": job.retry_count, "failure_count": job.failure_count, "backoff_until": job.backoff_until}


def _resting(reason: PauseReason, until: datetime | None, job: CrawlJob) -> dict[str, Any]:
    """Automation's own pause, with the time at which it ends by itself."""
    return {
        "state": lifecycle.after(job.state, Step.REST),
        "pause_reason": reason,
        "resume_at": until,
        "next_run_at": until,
    }
