"""The outlook for planning, cached for a minute: the installation's prices, cohorts and planned load."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from lamplighter.model.crawl import CrawlJob
from lamplighter.model.schedule import Belief
from lamplighter.model.source import Source
from lamplighter.ports import Clock
from lamplighter.rules.change import priors, weekly
from lamplighter.rules.change.priors import USUAL, Fit, GroupEvidence
from lamplighter.rules.schedule import slots
from lamplighter.rules.schedule.priority_levels import level
from lamplighter.rules.schedule.slots import LoadMap
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import cohorts, job_load, pricing
from lamplighter.store.jobs.cohorts import Cohort
from lamplighter.store.jobs.pricing import Pricing

_KEPT_SECONDS = 60.0
#: starts are counted so far ahead, so that weekly sources that were added together are spread too
_COUNTED = timedelta(days=8)


def cohort_key(kind: str | None, organisation_type: str | None, priority: int) -> str:
    """The key of a source's cohort."""
    return f"{kind or 'any'}/{organisation_type or 'any'}/{level(priority).name}"


@dataclass(slots=True, kw_only=True)
class InstallationOutlook:
    """Prices, cohorts and load of the installation; newly planned runs are added to the load."""

    pricing: Pricing = field(default_factory=Pricing)
    host_prices: Mapping[int, float] = field(default_factory=dict)
    cohorts: Mapping[str, Cohort] = field(default_factory=dict)
    load: LoadMap | None = None

    def price(self, host_id: int | None) -> float | None:
        """The price of a fetch: the host's own, else the common one; None before the first solution."""
        own = self.host_prices.get(host_id) if host_id is not None else None
        return own if own is not None else self.pricing.price

    @property
    def pooled(self) -> float:
        """The factor by which all sources together were staler than expected."""
        return float((self.pricing.figures or {}).get("promise_correction", 1.0))

    def fit(self, source: Source) -> Fit:
        """How beliefs about the source begin."""
        cohort = self._cohort(source)
        return Fit(shape=cohort.shape, is_felt=cohort.is_felt) if cohort is not None else USUAL

    def profile(self, source: Source) -> weekly.Profile:
        """The weekly change profile of the source's cohort; flat if it has no rhythm."""
        cohort = self._cohort(source)
        return weekly.learnt_profile(cohort.by_hour) if cohort is not None and cohort.has_rhythm else weekly.FLAT

    def prior(self, source: Source, baseline: timedelta, *, host: tuple[float, float] | None) -> Belief:
        """The belief about a source before its visits."""
        cohort = self._cohort(source)
        return priors.prior(
            baseline=priors.baseline_prior(baseline, self.fit(source)),
            cohort=GroupEvidence(changes=cohort.changes, hours=cohort.hours) if cohort is not None else None,
            host=GroupEvidence(changes=host[0], hours=host[1]) if host is not None else None,
        )

    def place(self, at: datetime, pace: timedelta, earliest: datetime, latest: datetime) -> datetime:
        """The least loaded time in this range."""
        if self.load is None:
            return at
        return slots.place(self.load, at=at, pace=pace, earliest=earliest, latest=latest)

    def spread(self, at: datetime, pace: timedelta) -> datetime:
        """The same time, or a later one if many runs are planned for then."""
        return slots.spread(self.load, at=at, pace=pace) if self.load is not None else at

    def note(self, job: CrawlJob, at: datetime, pace: timedelta) -> None:
        """Adds a new run to the load."""
        if self.load is not None and job.recurring:
            self.load = self.load.with_job(at, pace)

    def _cohort(self, source: Source) -> Cohort | None:
        return self.cohorts.get(cohort_key(source.kind, source.organisation_type, source.priority))


class OutlookCache:
    """Caches the outlook and reads it again when it is too old."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._latest = InstallationOutlook()
        self._read_at = float("-inf")

    async def latest(self, db: Connection, *, now: datetime) -> InstallationOutlook:
        """The outlook, a minute old at most."""
        if self._clock.monotonic() - self._read_at > _KEPT_SECONDS:
            self._latest = await look(db, now=now)
            self._read_at = self._clock.monotonic()
        return self._latest

    def forget(self) -> None:
        """Drops the cached outlook: its data has changed."""
        self._read_at = float("-inf")


async def look(db: Connection, *, now: datetime) -> InstallationOutlook:
    """The outlook."""
    return InstallationOutlook(
        pricing=await pricing.get(db),
        host_prices=await pricing.host_prices(db),
        cohorts=await cohorts.all_of_them(db),
        load=await load_map(db, now=now),
    )


async def load_map(db: Connection, *, now: datetime) -> LoadMap:
    """The load planned for a day."""
    starts = await job_load.starts(db, until=now + _COUNTED, slot=slots.SLOT)
    groups = [slots.SlotGroup(first_slot=group.slot, pace=group.pace, count=group.jobs) for group in starts]
    return LoadMap.of(groups, now)
