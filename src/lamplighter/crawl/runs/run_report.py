"""The last log lines of a run: its outcome, its duration, the next run and its reason."""

from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any

from lamplighter import telemetry
from lamplighter.crawl.process import counters, spans
from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.model.run_figures import NO_FIGURES
from lamplighter.model.run_log import LogAction, LogLevel
from lamplighter.rules.schedule import reasons
from lamplighter.store.engine.after_commit import after_commit
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import crawl_runs, run_log
from lamplighter.store.runs.crawl_runs import RunOwner

log = telemetry.logger("finish")
_LEVEL = {RunOutcome.OK: LogLevel.INFO, RunOutcome.FAIL: LogLevel.ERROR}


async def tell_cancelled(db: Connection, run: CrawlRun, *, why: str, now: datetime) -> None:
    """Logs that a run was cancelled."""
    await _write(db, run, [run_log.line(run.id, LogAction.RUN_CANCELLED, why, at=now)])
    whose = await crawl_runs.whose(db, run.id)
    after_commit(lambda: log.info("run.cancelled", run=run.public_id, source_id=whose.source_id, why=why))
    _count(run, whose, RunOutcome.CANCELLED, now=now)


async def tell_finished(
    db: Connection,
    run: CrawlRun,
    *,
    outcome: RunOutcome,
    message: str,
    drift: str | None,
    next_run_at: datetime | None,
    next_run_reason: Any,
    failure_count: int,
    now: datetime,
) -> None:
    """Writes the end to the run's log and the process log; `failure_count` are the failures in a row."""
    whose = await crawl_runs.whose(db, run.id)
    source, host = whose.source, whose.host
    duration_ms = round((now - run.started_at).total_seconds() * 1000)
    why = reasons.sentence(next_run_reason) if next_run_at is not None else None
    said = {
        "outcome": outcome,
        "source": source,
        "host": host,
        "number": run.number,
        "duration_ms": duration_ms,
        **asdict(run.tally),
        "next_run_at": next_run_at.isoformat() if next_run_at is not None else None,
        "why": why,
    }
    then = f"next run {next_run_at:%Y-%m-%d %H:%M:%S} UTC: {why}" if next_run_at else "no next run is planned"
    words = f"{source}{f' ({host})' if host else ''}: {message}; took {duration_ms / 1000:.1f} s; {then}"
    level = _LEVEL.get(outcome, LogLevel.WARNING)
    lines = _about_drift(run, drift, now) + _about_lines_left_out(run, now)
    lines.append(run_log.line(run.id, LogAction.RUN_FINISHED, words, at=now, level=level, **said))
    await _write(db, run, lines)
    ids = {"run": run.public_id, "source_id": whose.source_id}
    after_commit(lambda: log.info("run.finished", **ids, message=message, **said))
    if outcome is RunOutcome.FAIL:
        minutes = round((next_run_at - now).total_seconds() / 60, 1) if next_run_at is not None else None
        failed = {"failure_count": failure_count, "backoff_minutes": minutes, "message": message}
        after_commit(lambda: log.warning("run.failed", **ids, source=source, **failed))
    _count(run, whose, outcome, now=now)


def _count(run: CrawlRun, whose: RunOwner, outcome: RunOutcome, *, now: datetime) -> None:
    """Counts and traces the run after the commit."""
    after_commit(partial(counters.run_ended, run, whose, outcome, now=now))
    after_commit(partial(spans.of_run, run, whose, outcome=outcome, now=now))


def _about_drift(run: CrawlRun, drift: str | None, now: datetime) -> list[dict[str, Any]]:
    if drift is None:
        return []
    return [run_log.line(run.id, LogAction.DRIFT_FOUND, f"extractor may be broken: {drift}", at=now, reason=drift)]


def _about_lines_left_out(run: CrawlRun, now: datetime) -> list[dict[str, Any]]:
    missing = (run.figures or NO_FIGURES).log_left_out
    if not missing:
        return []
    words = f"{missing} lines are left out: LAMPLIGHTER_RUN_LOG_LINES limits the log of a run"
    return [run_log.line(run.id, LogAction.LINES_LEFT_OUT, words, at=now, lines=missing)]


async def _write(db: Connection, run: CrawlRun, lines: list[dict[str, Any]]) -> None:
    """Writes the last lines, whatever the log's limits are."""
    await run_log.write(db, lines)
    await crawl_runs.count_lines(db, run.id, len(lines))
