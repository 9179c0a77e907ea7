"""Computes cohorts once a day: how often similar sources change, and at which hours of the week."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from lamplighter import telemetry
from lamplighter.crawl.planning.outlook import InstallationOutlook, cohort_key
from lamplighter.crawl.planning.planner import Planner
from lamplighter.crawl.planning.pricer import Pricer
from lamplighter.model.schedule import Belief
from lamplighter.model.source import Source
from lamplighter.ports import Clock
from lamplighter.rules.change import priors, weekly
from lamplighter.rules.change.priors import USUAL, Fit
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import cohorts, crawl_jobs
from lamplighter.store.jobs.cohorts import HOURS, Cohort, YoungJob
from lamplighter.store.sources import sources

log = telemetry.logger("cohorts")
EVERY = timedelta(days=1)
#: publications of this period give a cohort's weekly rhythm; those of the week after test it
TRAINED_ON = timedelta(weeks=5)
TESTED_ON = timedelta(weeks=1)
#: after so many visits a source's own evidence outweighs that of its cohort
YOUNG = 12
#: jobs that are planned again in one transaction
_PLANNED_AT_ONCE = 100


class CohortKeeper:
    """Computes the cohorts and updates the beliefs of young sources from them."""

    def __init__(self, db: Database, *, clock: Clock, planner: Planner, pricer: Pricer) -> None:
        self._db = db
        self._clock = clock
        self._planner = planner
        self._pricer = pricer

    async def gather_if_old(self) -> bool:
        """Computes the cohorts again if they are a day old; returns whether it did."""
        now = self._clock.now()
        async with self._db.read() as db:
            gathered_at = await cohorts.gathered_at(db)
            if gathered_at is not None and now - gathered_at < EVERY:
                return False
            jobs = await cohorts.visited(db)
        by_cohort: Mapping[str, Fit] = {}
        rows: Sequence[Mapping[str, Any]] = ()
        if jobs:
            from lamplighter.crawl.planning import cohort_fitting  # loads a library of arrays

            by_cohort, rows = await cohort_fitting.fits(self._db, jobs, now=now)
        await self._db.write(lambda db: self._gather(db, by_cohort, rows, now))
        self._planner.outlooks.forget()
        replayed = [row["job"] for row in rows]
        if replayed:  # they are planned at the price that their new beliefs make
            await self._pricer.reprice()
        for start in range(0, len(replayed), _PLANNED_AT_ONCE):
            await self._db.write(partial(self._plan_again, replayed[start : start + _PLANNED_AT_ONCE], now))
        return True

    async def _plan_again(self, job_ids: Sequence[int], now: datetime, db: Connection) -> None:
        """Plans runs anew that were planned by beliefs which have since been replaced."""
        for job_id in job_ids:
            job = await crawl_jobs.lock(db, job_id)
            if job is not None:
                change = await self._planner.after_refit(db, job, now=now)
                await crawl_jobs.change(db, job_id, change, now=now)

    async def _gather(
        self, db: Connection, by_cohort: Mapping[str, Fit], replayed: Sequence[Mapping[str, Any]], now: datetime
    ) -> None:
        await cohorts.save_replayed(db, replayed)
        before = await cohorts.all_of_them(db)
        found = await _found(db, by_cohort, now=now)
        await cohorts.replace_all(db, found, now=now)
        after = {cohort.key: cohort for cohort in found}
        moved = await _move_young(db, InstallationOutlook(cohorts=before), InstallationOutlook(cohorts=after))
        log.info("cohorts.gathered", cohorts=len(found), young_sources=moved, replayed_sources=len(replayed))


async def _found(db: Connection, fits: Mapping[str, Fit], *, now: datetime) -> list[Cohort]:
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
            shape=fits.get(key, USUAL).shape,
            is_felt=fits.get(key, USUAL).is_felt,
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
    await cohorts.save_beliefs(db, moved)
    return len(moved)


def _moved(
    job: YoungJob, source: Source, before: InstallationOutlook, after: InstallationOutlook
) -> tuple[float, float, float]:
    """The belief, and the hours of its prior, once the prior is today's."""
    interval = timedelta(seconds=job.interval_seconds)
    earlier = before.prior(source, interval, host=None)
    if job.prior_a is not None and job.prior_b is not None:
        earlier = Belief(a=job.prior_a, b=job.prior_b)
    prior = after.prior(source, interval, host=None)
    moved = priors.reprior(
        Belief(a=job.belief_a, b=job.belief_b),
        before=earlier,
        after=prior,
        visit_count=job.visit_count,
    )
    return moved.a, moved.b, prior.b
