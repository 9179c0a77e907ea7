"""Chooses the prior of each cohort by replaying stored visits, and replays the sources that began with another."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np

from lamplighter.crawl.planning.known_activity import HOUR
from lamplighter.crawl.planning.outlook import cohort_key
from lamplighter.rules.change import activity, fitting
from lamplighter.rules.change.activity import Bools, Floats, HostVisits, Ints
from lamplighter.rules.change.fitting import Visits
from lamplighter.rules.change.priors import GAP_IN_INTERVALS, PRIOR_SHAPE, USUAL, Fit
from lamplighter.store.engine.database import Database
from lamplighter.store.hosts import host_activity
from lamplighter.store.hosts.host_activity import SourceVisit
from lamplighter.store.jobs.cohorts import FittedJob

#: how far back visits are replayed
LOOK_BACK = timedelta(days=90)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: an odd number by which ids are scattered, so that a sample is not the oldest sources
_SCATTER = 2_654_435_761


class CohortFits(NamedTuple):
    """The priors that predicted best, and the beliefs of sources that began with other ones."""

    by_cohort: dict[str, Fit]
    #: for `cohorts.save_replayed`
    replayed: list[Mapping[str, Any]]


async def fits(db: Database, jobs: Sequence[FittedJob], *, now: datetime) -> CohortFits:
    """Fits every cohort of these jobs; reads in transactions of their own, and computes on another thread."""
    found = CohortFits({}, [])
    async with db.read() as connection:
        bins = await host_activity.used_bins(connection, gain=activity.LEAST_GAIN)
    for key, group in groupby(sorted(jobs, key=_key), key=_key):
        members = sorted(group, key=lambda job: job.id * _SCATTER % 2**32)
        sample = members[: fitting.MOST_SOURCES]
        some = await _read(db, sample, bins, now=now)
        fit = await asyncio.to_thread(some.fitted) if len(some.visits.source) else USUAL
        found.by_cohort[key] = fit
        others = [job for job in members if (job.prior_a or PRIOR_SHAPE, bool(job.is_felt)) != fit]
        for start in range(0, len(others), fitting.MOST_SOURCES):
            some = await _read(db, others[start : start + fitting.MOST_SOURCES], bins, now=now)
            found.replayed.extend(await asyncio.to_thread(partial(some.rows, fit)))
    return found


class _Replay:
    """Sources and their visits, as arrays."""

    def __init__(self, jobs: Sequence[FittedJob], visits: Sequence[SourceVisit], bins: Mapping[int, float]) -> None:
        self._jobs = jobs
        rows = {job.source_id: row for row, job in enumerate(jobs)}
        pairs = [(before, after) for before, after in pairwise(visits) if before.source_id == after.source_id]
        first = min((visit.at for visit in visits), default=_EPOCH)
        who = np.array([rows[after.source_id] for _, after in pairs], dtype=np.int64)
        start, end = (np.array([(pair[side].at - first) / HOUR for pair in pairs], dtype=np.float64) for side in (0, 1))
        changed = np.array([after.has_changed for _, after in pairs], dtype=bool)
        self._gap = np.array([GAP_IN_INTERVALS * job.interval_seconds / 3600 for job in jobs], dtype=np.float64)
        # Whoever has no host is a host of its own.
        ids = [job.host_id if job.host_id is not None else -job.id for job in jobs]
        self._host = np.unique(np.array(ids, dtype=np.int64), return_inverse=True)[1]
        busy = self._busy(who, start, end, changed, [bins.get(host_id) for host_id in ids])
        self.visits = Visits(source=who, hours=end - start, is_changed=changed, activity=busy)

    def _busy(self, who: Ints, start: Floats, end: Floats, changed: Bools, bins: Sequence[float | None]) -> Floats:
        """The mean activity of hosts during each visit, where it predicts."""
        mean = np.ones(len(who))
        count = len(self._gap)
        rate = (activity.sums(who, changed, count) + 1) / (activity.sums(who, end - start, count) + self._gap)
        by_host: dict[int, float] = {int(self._host[row]): found for row, found in enumerate(bins) if found is not None}
        for host, bin_hours in by_host.items():
            mine = self._host[who] == host
            if mine.any():
                nobody = np.zeros(int(mine.sum()), dtype=np.int64)
                visits = HostVisits(
                    host=nobody, start=start[mine], end=end[mine], is_changed=changed[mine], rate=rate[who[mine]]
                )
                until = float(end[mine].max())
                curve = activity.activity(visits, hosts=1, began=0.0, until=until, bin_hours=bin_hours)
                mean[mine] = curve.between(nobody, start[mine], end[mine]).mean
        return mean

    def fitted(self) -> Fit:
        """The prior that predicted best."""
        return fitting.fitted(self.visits, gap=self._gap, host=self._host)

    def rows(self, fit: Fit) -> list[Mapping[str, Any]]:
        """The beliefs of the sources had they begun with this prior."""
        again = fitting.replayed(self.visits, [fit], gap=self._gap, host=self._host)[0]
        return [
            {
                "job": job.id,
                "visits": job.visit_count,
                "new_belief_a": float(again.lessons.a[row]),
                "new_belief_b": float(again.lessons.b[row]),
                "new_prior_a": fit.shape,
                "new_prior_b": float(again.prior_hours[row]),
                "new_rise": float(again.lessons.rise[row]),
                "new_fall": float(again.lessons.fall[row]),
                "new_is_felt": fit.is_felt,
                "new_evidence_changes": float(again.changes[row]),
                "new_evidence_hours": float(again.watched[row]),
            }
            for row, job in enumerate(self._jobs)
        ]


async def _read(db: Database, jobs: Sequence[FittedJob], bins: Mapping[int, float], *, now: datetime) -> _Replay:
    async with db.read() as connection:
        visits = await host_activity.visits_to(connection, [job.source_id for job in jobs], since=now - LOOK_BACK)
    return _Replay(jobs, visits, bins)


def _key(job: FittedJob) -> str:
    return cohort_key(job.kind, job.organisation_type, job.priority)
