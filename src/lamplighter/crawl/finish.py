"""The one sink of runs: outcome, next run and state of the job, written together."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from lamplighter import crash_points, telemetry
from lamplighter.crawl.standing import Standing, look, settle
from lamplighter.model.crawl import CrawlJob, CrawlRun, JobState, Outcome, PauseReason, Tally
from lamplighter.model.visit import Refusal
from lamplighter.rules import schedule
from lamplighter.store import crawl_jobs, crawl_runs, pages, run_log
from lamplighter.store.database import Connection

log = telemetry.logger("finish")
#: a source whose start page robots.txt forbids is looked at again when the robots.txt is
ROBOTS_REST = timedelta(hours=12)
#: a dead link or two is the web's ordinary state; from this share of failed pages on it is worth a look
WORRYING_SHARE = 0.1


#: how a note begins that concerns the source's recipe
RECIPE = "recipe: "


class Verdict(NamedTuple):
    """How a run ended, and in words."""

    outcome: Outcome
    message: str


async def finish_done(
    db: Connection, run_ids: Iterable[int], *, now: datetime, draw: Callable[[], float], overdue: bool = False
) -> list[int]:
    """Ends those of the runs that have no page left to do; the caller holds their rows. Returns which."""
    done = await crawl_runs.without_open_pages(db, run_ids)
    for run_id in done:
        await _finish(db, run_id, now=now, draw=draw(), overdue=overdue)
    if done:
        crash_points.reached("finish.before_commit")
    return done


async def _finish(db: Connection, run_id: int, *, now: datetime, draw: float, overdue: bool) -> None:
    run = await crawl_runs.get(db, run_id)
    job = await crawl_jobs.lock(db, run.job_id) if run is not None else None
    if run is None or job is None:
        return
    problem = await pages.first_problem(db, run_id)
    standing = await look(db, run, overdue=overdue)
    note = await run_log.first_note(db, run_id)
    verdict = judge(run.tally, problem, standing, note=note, overdue=overdue)
    await crawl_runs.close(
        db,
        run_id,
        now=now,
        outcome=verdict.outcome,
        message=verdict.message,
        records_shown=standing.shown,
        has_drifted=standing.drift is not None,
    )
    await settle(db, run, standing, outcome=verdict.outcome, now=now)
    changes = _after(job, run, verdict, problem, fresh_until=await _fresh_until(db, run_id), now=now, draw=draw)
    await crawl_jobs.change(db, job.id, now=now, **changes)
    level = "info" if verdict.outcome is Outcome.OK else "warning"
    line = run_log.line(run_id, at=now, level=level, category="lifecycle", message=verdict.message)
    await run_log.write(db, [line])
    log.info(
        "run.finished",
        run=run_id,
        source=run.source_id,
        outcome=verdict.outcome,
        message=verdict.message,
        next_run_at=str(changes.get("next_run_at")),
    )


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


def _after(
    job: CrawlJob,
    run: CrawlRun,
    verdict: Verdict,
    problem: Any,
    *,
    fresh_until: datetime | None,
    now: datetime,
    draw: float,
) -> dict[str, Any]:
    """What the end of a run changes in its job."""
    failed = verdict.outcome is Outcome.FAIL
    tally = run.tally
    changed = bool(tally.records_inserted or tally.records_updated or tally.pages_changed)
    failures = job.failure_count + 1 if failed else 0
    # A failed visit says nothing about change.
    unchanged = job.unchanged_count if failed else 0 if changed else job.unchanged_count + 1
    observed = schedule.Observed(
        interval=job.interval,
        unchanged_count=unchanged,
        failure_count=failures,
        fresh_for=fresh_until - now if fresh_until is not None and fresh_until > now else None,
    )
    planned = schedule.next_run(observed, now=now, draw=draw)
    changes: dict[str, Any] = {
        "failure_count": failures,
        "unchanged_count": unchanged,
        "backoff_until": planned.at if failed else None,
        "next_run_at": planned.at,
        "next_run_reason": planned.reason,
    }
    if job.state is not JobState.RUNNING:  # paused or cancelled while it ran: that stands
        return changes
    return changes | {"state": JobState.SCHEDULED} | _pause(failed, failures, problem, now)


def _pause(failed: bool, failures: int, problem: Any, now: datetime) -> dict[str, Any]:
    """Automation's own pauses, each with the time it ends by itself."""
    reason = problem.reason if failed and problem is not None else None
    if reason == Refusal.ROBOTS:
        return _paused(PauseReason.ROBOTS, now + ROBOTS_REST, "robots disallow")
    if reason == Refusal.TAKEDOWN:
        return _paused(PauseReason.TAKEDOWN, None, "on the takedown list")
    if failures >= schedule.BREAKER_AT:
        return _paused(PauseReason.BREAKER, now + schedule.probe_after(failures), "auto-paused after failures")
    return {}


def _paused(reason: PauseReason, until: datetime | None, why: str) -> dict[str, Any]:
    return {
        "state": JobState.PAUSED,
        "pause_reason": reason,
        "resume_at": until,
        "next_run_at": until,
        "next_run_reason": {"why": why},
    }


async def _fresh_until(db: Connection, run_id: int) -> datetime | None:
    seed = await pages.seed_of(db, run_id)
    return seed.fresh_until if seed is not None else None
