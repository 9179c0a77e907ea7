"""A sitemap or feed says that the start page of another source has changed: its run comes forward."""

from collections.abc import Mapping
from datetime import datetime

from lamplighter import telemetry
from lamplighter.crawl.planner import Planner
from lamplighter.rules import urls
from lamplighter.store import crawl_jobs
from lamplighter.store.database import Connection

log = telemetry.logger("announcements")
#: how far such a word is trusted
TRUST = 0.8


async def hear(db: Connection, changed_at: Mapping[str, datetime], *, planner: Planner, now: datetime) -> int:
    """Takes note of what was announced (URL -> when it changed), and returns how many jobs that concerned."""
    believable = {urls.url_key(url): moment for url, moment in changed_at.items() if moment <= now}
    if not believable:
        return 0
    heard = 0
    for job_id, url_key in await crawl_jobs.starting_at(db, believable):
        job = await crawl_jobs.lock(db, job_id)
        if job is None or job.learnt is None or job.learnt.visited_at is None:
            continue
        # An announcement that was heard before, or that our copy is newer than, says nothing new.
        if job.learnt.signal or believable[url_key] <= job.learnt.visited_at:
            continue
        changes = await planner.after_announcement(db, job, probability=TRUST, now=now)
        await crawl_jobs.change(db, job.id, now=now, **changes)
        heard += 1
    if heard:
        log.info("changes.announced", jobs=heard)
    return heard
