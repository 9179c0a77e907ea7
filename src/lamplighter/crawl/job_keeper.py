"""Makes the crawl job of a source match the source. Every change of a source ends here, and does only this."""

from datetime import datetime

from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.store import crawl_jobs, sources
from lamplighter.store.database import Connection


async def match(db: Connection, source_id: int, *, now: datetime) -> None:
    """Creates, pauses, resumes or re-times the job so that it says what the source says; harmless to repeat."""
    source = await sources.get(db, source_id)
    if source is None:  # its job went with it
        return
    job = await crawl_jobs.of_source(db, source_id)
    if job is None:
        if source.enabled:
            await crawl_jobs.add(
                db, source_id=source_id, priority=source.priority, interval=source.interval, next_run_at=now, now=now
            )
        return
    if (job.priority, job.interval) != (source.priority, source.interval):
        seconds = int(source.interval.total_seconds())
        await crawl_jobs.change(db, job.id, now=now, priority=source.priority, interval_seconds=seconds)
    if not source.enabled and job.state in (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING):
        await crawl_jobs.change(
            db, job.id, now=now, state=JobState.PAUSED, pause_reason=PauseReason.SOURCE_DISABLED, resume_at=None
        )
    if source.enabled and job.pause_reason is PauseReason.SOURCE_DISABLED:
        await crawl_jobs.change(
            db, job.id, now=now, state=JobState.PENDING, pause_reason=None, next_run_at=now, next_run_reason=None
        )
