"""Moves a source's run forward when a sitemap or feed says that its start page has changed."""

from collections.abc import Mapping
from datetime import datetime

from lamplighter import telemetry
from lamplighter.crawl.planning.planner import Planner
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs

log = telemetry.logger("announcements")
#: the probability that such an announcement is right
TRUST = 0.8


async def hear(db: Connection, changed_at: Mapping[str, datetime], *, planner: Planner, now: datetime) -> int:
    """Applies announced changes (URL -> when it changed) to jobs, and returns how many it changed."""
    believable = {urls.url_key(url): moment for url, moment in changed_at.items() if moment <= now}
    if not believable:
        return 0
    heard = 0
    for job_id, url_key in await crawl_jobs.starting_at(db, believable):
        job = await crawl_jobs.lock(db, job_id)
        if job is None or job.learnt is None or job.learnt.visited_at is None:
            continue
        # Skip an announcement that was applied before, or that is older than our copy.
        if job.learnt.signal or believable[url_key] <= job.learnt.visited_at:
            continue
        changes = await planner.after_announcement(db, job, probability=TRUST, now=now)
        await crawl_jobs.change(db, job.id, changes, now=now)
        heard += 1
    if heard:
        log.info("changes.announced", jobs=heard)
    return heard
