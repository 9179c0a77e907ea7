"""Finishes runs: writes outcome, next run and job state in one transaction."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from lamplighter import crash_points
from lamplighter.crawl.alerts.notice_writer import NoticeWriter, RunEnd
from lamplighter.crawl.planning import budget_spending
from lamplighter.crawl.planning.planner import Planner, RunPlan
from lamplighter.crawl.runs import run_report
from lamplighter.crawl.runs.drift_and_presence import PresenceCheck, look, settle
from lamplighter.model.crawl import (
    CrawlJob,
    CrawlRun,
    JobChange,
    JobState,
    PauseReason,
    RunAdvice,
    RunOutcome,
    RunTally,
    Trigger,
)
from lamplighter.model.fields import otherwise
from lamplighter.model.page import LEFT_FOR_LATER, Phase
from lamplighter.model.reading import EMPTY_LIST, PageRole
from lamplighter.model.run_figures import NO_FIGURES, RunFigures
from lamplighter.model.visit import Fault, Refusal
from lamplighter.rules.change import run_streak
from lamplighter.rules.change.run_streak import EndedRun
from lamplighter.rules.formats.plural import counted
from lamplighter.rules.pages import cut_short, page_failures
from lamplighter.rules.schedule import lifecycle
from lamplighter.rules.schedule.lifecycle import JobStep
from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import tasks, waiting_pages
from lamplighter.store.records import change_sets
from lamplighter.store.runs import crawl_runs, run_pages

#: a source whose start page robots.txt forbids is tried again after this time, when robots.txt is read again
ROBOTS_PAUSE = timedelta(hours=12)
#: the prefix of notes about the source's recipe
RECIPE = "recipe: "
#: states in which the end of a run decides the next state; all but the last are of a paused job that was forced to
#: run, and resumed before that run was over
_GOING_ON = (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING)

#: reasons that last: a quick retry would meet them again
_PERMANENT = frozenset(str(fault) for fault in Fault if fault.is_permanent) | {
    str(refusal) for refusal in Refusal if refusal.is_final
}


class Verdict(NamedTuple):
    """A run's outcome and message."""

    outcome: RunOutcome
    message: str


#: of a run whose tasks were all paused or cancelled before they were fetched
_NOTHING_LEFT = Verdict(RunOutcome.OK, "no page was left to fetch")


async def finish_done(
    db: Connection,
    run_ids: Iterable[int],
    *,
    now: datetime,
    planner: Planner,
    notice_writer: NoticeWriter,
    overdue: bool = False,
) -> list[int]:
    """Finishes the runs without open pages, and returns them; the caller holds locks on the runs."""
    done = await crawl_runs.without_open_pages(db, run_ids)
    for run_id in done:
        end = await _finish(db, run_id, now=now, planner=planner, overdue=overdue)
        if end is not None:
            await notice_writer.run_ended(db, end, now=now)
    if done:
        crash_points.reached("finish.before_commit")
    return done


async def cancel_run(db: Connection, run_id: int, *, why: str, now: datetime) -> None:
    """Cancels an open run; what it found stays, its open pages are not fetched."""
    if run_id not in await crawl_runs.lock_open(db, [run_id]):
        return
    await tasks.put_back(db, run_id, now=now)
    await run_pages.close_open(db, run_id, phase=Phase.CANCELLED, reason="cancelled", detail=why)
    run = await crawl_runs.get(db, run_id)
    assert run is not None
    await tasks.settle(db, run_id, since=run.started_at)
    shown = (await look(db, run, overdue=True)).shown
    await crawl_runs.close(db, run_id, now=now, outcome=RunOutcome.CANCELLED, message=why, records_shown=shown)
    await _note_changes(db, run, is_baseline=False, now=now)
    await run_report.tell_cancelled(db, run, why=why, now=now)
    signal(Signal.JOBS)  # another run may take its place


async def _finish(db: Connection, run_id: int, *, now: datetime, planner: Planner, overdue: bool) -> RunEnd | None:
    """Ends one run and plans the next; returns the end for notices, None if the job is gone."""
    run = await crawl_runs.get(db, run_id)
    job = await crawl_jobs.lock(db, run.job_id) if run is not None else None
    if run is None or job is None:
        return None
    problem = await run_pages.first_problem(db, run_id)
    presence = await _look(db, run, overdue=overdue)
    note = run.figures.first_note if run.figures is not None else None
    is_idle = run.trigger is Trigger.TASKS and run.tally == RunTally() and problem is None
    failed = await run_pages.failed_by_reason(db, run_id) if run.tally.pages_failed else {}
    verdict = (
        _NOTHING_LEFT if is_idle else judge(run.tally, problem, presence, note=note, overdue=overdue, failed=failed)
    )
    verdict = await _with_cut(db, run, verdict, presence, now=now)
    await crawl_runs.close(
        db,
        run_id,
        now=now,
        outcome=verdict.outcome,
        message=verdict.message,
        records_shown=presence.shown,
        has_drifted=presence.drift is not None,
    )
    await tasks.settle(db, run_id, since=run.started_at)
    await settle(db, run, presence, outcome=verdict.outcome, now=now)
    is_baseline = job.baseline_at is None and run.trigger is not Trigger.TASKS
    await _note_changes(db, run, is_baseline=is_baseline, now=now)
    await budget_spending.settle(db, job, run, source_defaults=planner.source_defaults, now=now)
    changes = await _consequences(db, job, run, problem, verdict, planner=planner, now=now)
    if run.trigger is not Trigger.TASKS:
        streaks = run_streak.after(job.failed_runs, job.turned_away_runs, EndedRun(*verdict))
        changes |= JobChange(
            last_outcome=verdict.outcome,
            last_drifted=presence.drift is not None,
            last_advice=await _advice(db, run, verdict),
            failed_runs=streaks.failed_runs,
            turned_away_runs=streaks.turned_away_runs,
        )
        if job.baseline_at is None and run_streak.ends_baseline(
            verdict.outcome, saw_everything=presence.saw_everything, number=run.number
        ):
            changes |= JobChange(baseline_at=now)
    await crawl_jobs.change(db, job.id, changes | JobChange(last_run_at=run.started_at), now=now)
    if otherwise(changes.retry_count, 0):
        signal(Signal.JOBS)  # its retry may be due before the scheduler looks again
    drift = presence.drift.reason if presence.drift is not None and presence.is_news else None
    await run_report.tell_finished(
        db,
        run,
        outcome=verdict.outcome,
        message=verdict.message,
        drift=presence.drift.reason if presence.drift is not None else None,
        next_run_at=otherwise(changes.next_run_at, job.next_run_at),
        next_run_reason=otherwise(changes.next_run_reason, job.next_run_reason),
        failure_count=otherwise(changes.failed_runs, job.failed_runs),
        now=now,
    )
    return RunEnd(job, run, verdict.outcome, verdict.message, drift, changes, is_baseline)


async def _note_changes(db: Connection, run: CrawlRun, *, is_baseline: bool, now: datetime) -> None:
    await change_sets.note_run(
        db,
        run.id,
        source_id=run.source_id,
        began_at=run.started_at,
        new=run.tally.records_inserted,
        is_baseline=is_baseline,
        now=now,
    )


async def _with_cut(
    db: Connection, run: CrawlRun, verdict: Verdict, presence: PresenceCheck, *, now: datetime
) -> Verdict:
    """The verdict with a note if the page budget cut the run short, and the figures of what was left."""
    if run.trigger is Trigger.TASKS or verdict.outcome is RunOutcome.FAIL:
        return verdict
    left, figures = await waiting_pages.left_over(db, run.id), run.figures or NO_FIGURES
    beyond = figures.skipped.get(LEFT_FOR_LATER, 0)
    note = cut_short.note(
        page_budget=run.page_budget,
        lists=left.lists,
        links=left.links + beyond,
        shown=presence.shown,
        about=figures.list_pages * figures.list_records,
    )
    if note is None:
        return verdict
    waiting = RunFigures(skipped={LEFT_FOR_LATER: left.lists + left.links})
    await crawl_runs.add_up(db, {run.id: {}}, now=now, figures={run.id: figures.merged(waiting)})
    return verdict._replace(message=f"{verdict.message}; {note}")


async def _advice(db: Connection, run: CrawlRun, verdict: Verdict) -> RunAdvice | None:
    """What an operator should change in the source; nothing when the run failed, which is to be mended first."""
    if verdict.outcome is RunOutcome.FAIL:
        return None
    if await run_pages.has_moved(db, run.id):
        return RunAdvice.MOVED
    return RunAdvice.MAX_PAGES if cut_short.note_in(verdict.message) else None


async def _look(db: Connection, run: CrawlRun, *, overdue: bool) -> PresenceCheck:
    """Checks the source. A run of tasks covers only a part of it, so it neither drops pages nor drifts."""
    if run.trigger is not Trigger.TASKS:
        return await look(db, run, overdue=overdue)
    return (await look(db, run, overdue=True))._replace(drift=None)


async def _consequences(
    db: Connection, job: CrawlJob, run: CrawlRun, problem: Any, verdict: Verdict, *, planner: Planner, now: datetime
) -> JobChange:
    """The job's changes; none after a run of tasks, which says nothing about the source."""
    if run.trigger is Trigger.TASKS:
        return JobChange()
    failed = verdict.outcome is RunOutcome.FAIL
    plan = await planner.after_run(db, job, run, failed=failed, now=now, is_permanent=_is_permanent(problem))
    return plan.changes | next_state(job, plan, _refusal(problem) if failed else None, now=now)


def judge(
    tally: RunTally,
    problem: Any,
    presence: PresenceCheck,
    *,
    note: str | None,
    overdue: bool,
    failed: Mapping[str, int] = MappingProxyType({}),
) -> Verdict:
    """No start page: fail. Drift, deadline, worrying failures or no records: warn. Else ok, with notes.

    Refusals and the odd dead link are ordinary. `failed` counts the failed pages by reason, without refusals.
    """
    had = tally.pages_fetched + tally.pages_unchanged
    trouble = f"{problem.reason}: {problem.detail} ({problem.url})" if problem is not None else ""
    if not had or (problem is not None and problem.role == PageRole.SEED):
        return Verdict(RunOutcome.FAIL, trouble or "no page could be fetched")
    summary = (
        f"{counted(had, 'page')} ({tally.pages_unchanged} unchanged, {tally.pages_refused} refused, "
        f"{tally.pages_failed} failed), "
        f"{counted(tally.records_found, 'record')}: {tally.records_inserted} new, {tally.records_updated} changed, "
        f"{tally.records_unchanged} as before, {tally.records_skipped} skipped"
        + (f", {tally.records_failed} could not be stored" if tally.records_failed else "")
    )
    if presence.drift is not None:
        return Verdict(RunOutcome.WARN, f"extractor may be broken: {presence.drift.reason}; {summary}")
    if overdue:
        return Verdict(RunOutcome.WARN, f"stopped at its deadline; {summary}")
    if page_failures.are_worrying(failed, fetched=had):
        return Verdict(RunOutcome.WARN, f"{summary}; first {trouble}")
    if note is not None and note.startswith(RECIPE):
        return Verdict(RunOutcome.WARN, f"{summary}; {note}")
    is_empty = note is not None and note.startswith(EMPTY_LIST)
    has_none = not tally.records_found and not presence.shown and not presence.has_shown_before
    if has_none and tally.pages_fetched and not is_empty:
        return Verdict(
            RunOutcome.WARN, f"{summary}; {note or 'nothing on them looks like a record: a recipe would help'}"
        )
    remark = trouble if failed else note if is_empty else None
    return Verdict(RunOutcome.OK, f"{summary}; note: {remark}" if remark else summary)


def _is_permanent(problem: Any) -> bool:
    """Whether the run failed for a reason that a quick retry would meet again."""
    return problem is not None and problem.reason in _PERMANENT


def _refusal(problem: Any) -> Refusal | None:
    """The refusal, if that made the run fail."""
    refusals = {str(refusal): refusal for refusal in (Refusal.ROBOTS, Refusal.TAKEDOWN)}
    return refusals.get(problem.reason) if problem is not None else None


def next_state(job: CrawlJob, plan: RunPlan, refusal: Refusal | None, *, now: datetime) -> JobChange:
    """The job's next state, besides its plan."""
    if job.state is JobState.PAUSED:
        return _after_forced_run(job, refusal, failed=plan.backoff is not None)
    if job.state not in _GOING_ON:  # cancelled while it ran: it stays cancelled
        return _NOTHING_PLANNED
    job = replace(job, state=JobState.RUNNING)
    if refusal is not None:
        return _at_rest(refusal, job, now)
    if plan.backoff is None:
        step = JobStep.REPEAT if job.recurring else JobStep.COMPLETE
    elif not plan.backoff.is_final:
        step = JobStep.TRY_AGAIN
    elif plan.backoff.opens_breaker:
        return _paused(PauseReason.BREAKER, plan.next.at, job, why=plan.next.reason)
    else:
        step = JobStep.REPEAT if job.recurring else JobStep.GIVE_UP
    state = lifecycle.after(job.state, step)
    ended = _NOTHING_PLANNED if state in (JobState.COMPLETED, JobState.FAILED) else JobChange()
    return ended | JobChange(state=state)


def _after_forced_run(job: CrawlJob, refusal: Refusal | None, *, failed: bool) -> JobChange:
    """A paused job that was forced to run stays paused, unless it was an automatic pause and the run worked."""
    if not failed and job.pause_reason in lifecycle.ENDING_BY_THEMSELVES:
        woken = JobChange(pause_reason=None, resume_at=None)
        if job.recurring:
            return woken | JobChange(state=lifecycle.after(job.state, JobStep.WAKE))
        return woken | _NOTHING_PLANNED | JobChange(state=lifecycle.after(job.state, JobStep.COMPLETE))
    as_before = JobChange(next_run_at=job.next_run_at, next_run_reason=job.next_run_reason)
    return as_before | _same_failures(job) if refusal is not None else as_before


def _at_rest(refusal: Refusal, job: CrawlJob, now: datetime) -> JobChange:
    """Pauses the job after a refusal; its failure counts stay unchanged."""
    if refusal is Refusal.ROBOTS:
        pause = _paused(PauseReason.ROBOTS, now + ROBOTS_PAUSE, job, why={"why": "robots disallow"})
    else:
        pause = _paused(PauseReason.TAKEDOWN, None, job, why={"why": "on the takedown list"})
    return pause | _same_failures(job)


def _same_failures(job: CrawlJob) -> JobChange:
    return JobChange(retry_count=job.retry_count, failure_count=job.failure_count, backoff_until=job.backoff_until)


def _paused(reason: PauseReason, until: datetime | None, job: CrawlJob, *, why: Mapping[str, Any]) -> JobChange:
    """An automatic pause, with the time at which it ends."""
    return JobChange(
        state=lifecycle.after(job.state, JobStep.REST),
        pause_reason=reason,
        resume_at=until,
        next_run_at=until,
        next_run_reason=why,
    )


_NOTHING_PLANNED = JobChange(next_run_at=None, next_run_reason=None)
