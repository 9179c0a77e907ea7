"""Computes cohorts once a day: how often similar sources change, and at which hours of the week."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from lamplighter import telemetry
from lamplighter.crawl.planning.outlook import InstallationOutlook, OutlookCache, cohort_key
from lamplighter.model.schedule import Belief
from lamplighter.model.source import Source
from lamplighter.ports import Clock
from lamplighter.rules.change import priors, weekly
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import cohorts
from lamplighter.store.jobs.cohorts import HOURS, Cohort, YoungJob
from lamplighter.store.sources import sources

log = telemetry.logger("cohorts")
EVERY = timedelta(days=1)
#: publications of this period give a cohort's weekly rhythm; those of the week after test it
TRAINED_ON = timedelta(weeks=5)
TESTED_ON = timedelta(weeks=1)
#: after so many visits a source's own evidence outweighs that of its cohort
YOUNG = 12


class CohortKeeper:
    """Computes the cohorts and updates the beliefs of young sources from them."""

    def __init__(self, db: Database, *, clock: Clock, outlooks: OutlookCache) -> None:
        self._db = db
        self._clock = clock
        self._outlooks = outlooks

    async def gather_if_old(self) -> bool:
        """Computes the cohorts again if they are a day old; returns whether it did."""
        now = self._clock.now()
        async with self._db.read() as db:
            gathered_at = await cohorts.gathered_at(db)
        if gathered_at is not None and now - gathered_at < EVERY:
            return False
        await self._db.write(lambda db: self._gather(db, now))
        self._outlooks.forget()
        return True

    async def _gather(self, db: Connection, now: datetime) -> None:
        before = await cohorts.all_of_them(db)
        found = await _found(db, now=now)
        await cohorts.replace_all(db, found, now=now)
        after = {cohort.key: cohort for cohort in found}
        moved = await _move_young(db, InstallationOutlook(cohorts=before), InstallationOutlook(cohorts=after))
        log.info("cohorts.gathered", cohorts=len(found), young_sources=moved)


async def _found(db: Connection, *, now: datetime) -> list[Cohort]:
    """Computes today's cohorts."""
    evidence: dict[str, tuple[float, float]] = {}
    for member in await cohorts.members(db):
        key = cohort_key(member.kind, member.organisation_type, member.priority)
        changes, hours = evidence.get(key, (0.0, 0.0))
        evidence[key] = (changes + member.changes, hours + member.hours)
    tested_from = now - TESTED_ON
    train = await _by_hour(db, since=tested_from - TRAINED_ON, until=tested_from)
    test = await _by_hour(db, since=tested_from, until=now)
    nothing = [0.0] * HOURS
    return [
        Cohort(
            key=key,
            changes=changes,
            hours=hours,
            by_hour=[a + b for a, b in zip(train.get(key, nothing), test.get(key, nothing), strict=True)],
            has_rhythm=weekly.is_better_than_flat(train.get(key, nothing), test.get(key, nothing)),
        )
        for key, (changes, hours) in sorted(evidence.items())
    ]


async def _by_hour(db: Connection, *, since: datetime, until: datetime) -> Mapping[str, Sequence[float]]:
    """Publications of each hour of the week, by cohort."""
    found: dict[str, list[float]] = {}
    for alike, counts in (await cohorts.publications(db, since=since, until=until)).items():
        hours = found.setdefault(cohort_key(*alike), [0.0] * HOURS)
        for hour, count in counts.items():
            hours[hour] += count
    return found


async def _move_young(db: Connection, before: InstallationOutlook, after: InstallationOutlook) -> int:
    """Updates the beliefs of sources with few visits, as far as they come from the prior."""
    young = await cohorts.young(db, visits=YOUNG)
    known = await sources.many(db, [job.source_id for job in young])
    moved = {job.id: _moved(job, known[job.source_id], before, after) for job in young if job.source_id in known}
    await cohorts.save_beliefs(db, {job_id: (belief.a, belief.b) for job_id, belief in moved.items()})
    return len(moved)


def _moved(job: YoungJob, source: Source, before: InstallationOutlook, after: InstallationOutlook) -> Belief:
    interval = timedelta(seconds=job.interval_seconds)
    return priors.reprior(
        Belief(a=job.belief_a, b=job.belief_b),
        before=before.prior(source, interval, host=None),
        after=after.prior(source, interval, host=None),
        visit_count=job.visit_count,
    )
