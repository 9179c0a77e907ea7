"""What planning must know of the whole installation, a minute old at most: prices, cohorts, the load to come."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from lamplighter.model.crawl import CrawlJob
from lamplighter.model.schedule import Belief
from lamplighter.ports import Clock
from lamplighter.rules import priors, slots, weekly
from lamplighter.rules.policies.priority import level
from lamplighter.rules.priors import Evidence
from lamplighter.rules.slots import LoadMap
from lamplighter.store import cohorts, job_load, pricing
from lamplighter.store.cohorts import Cohort
from lamplighter.store.database import Connection
from lamplighter.store.pricing import Pricing
from lamplighter.store.sources import SourceRow

_KEPT_SECONDS = 60.0


def cohort_key(kind: str | None, organisation_type: str | None, priority: int) -> str:
    """The name of the sources that are alike."""
    return f"{kind or 'any'}/{organisation_type or 'any'}/{level(priority).name}"


@dataclass(slots=True, kw_only=True)
class Outlook:
    """The whole, as it looked a short while ago; the load is kept up with what was planned since."""

    pricing: Pricing = field(default_factory=Pricing)
    host_prices: Mapping[int, float] = field(default_factory=dict)
    cohorts: Mapping[str, Cohort] = field(default_factory=dict)
    load: LoadMap | None = None

    def price(self, host_id: int | None) -> float | None:
        """What a run is worth: the host's own price, else everybody's; None before it was first found out."""
        own = self.host_prices.get(host_id) if host_id is not None else None
        if own is not None:
            return own
        common = self.pricing.price
        return common * self.pricing.correction if common is not None else None

    def profile(self, source: SourceRow) -> weekly.Profile:
        """When in the week sources like this one change, as far as that is known to help."""
        cohort = self._cohort(source)
        return weekly.learnt_profile(cohort.by_hour) if cohort is not None and cohort.has_rhythm else weekly.FLAT

    def prior(self, source: SourceRow, baseline: timedelta, *, host: tuple[float, float] | None) -> Belief:
        """What to believe of a source before its second visit."""
        cohort = self._cohort(source)
        return priors.prior(
            baseline=priors.baseline_prior(baseline),
            cohort=Evidence(changes=cohort.changes, hours=cohort.hours) if cohort is not None else None,
            host=Evidence(changes=host[0], hours=host[1]) if host is not None else None,
        )

    def place(self, at: datetime, pace: timedelta, earliest: datetime, latest: datetime) -> datetime:
        """The least loaded moment in this stretch."""
        if self.load is None:
            return at
        return slots.place(self.load, at=at, pace=pace, earliest=earliest, latest=latest)

    def note(self, job: CrawlJob, at: datetime, pace: timedelta) -> None:
        """Counts what was just planned."""
        if self.load is not None and job.recurring:
            self.load = self.load.with_job(at, pace)

    def _cohort(self, source: SourceRow) -> Cohort | None:
        return self.cohorts.get(cohort_key(source.kind, source.organisation_type, source.priority))


class Outlooks:
    """Hands out the outlook, and looks again when it is too old."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._latest = Outlook()
        self._read_at = float("-inf")

    async def latest(self, db: Connection, *, now: datetime) -> Outlook:
        """The outlook, a minute old at most."""
        if self._clock.monotonic() - self._read_at > _KEPT_SECONDS:
            self._latest = await look(db, now=now)
            self._read_at = self._clock.monotonic()
        return self._latest

    def forget(self) -> None:
        """Looks again at the next occasion: something was decided anew."""
        self._read_at = float("-inf")


async def look(db: Connection, *, now: datetime) -> Outlook:
    """Reads it all."""
    return Outlook(
        pricing=await pricing.get(db),
        host_prices=await pricing.host_prices(db),
        cohorts=await cohorts.all_of_them(db),
        load=await load_map(db, now=now),
    )


async def load_map(db: Connection, *, now: datetime) -> LoadMap:
    """How the coming day fills up."""
    starts = await job_load.starts(db, until=now + slots.HORIZON, slot=slots.SLOT)
    groups = [slots.Group(first_slot=group.slot, pace=group.pace, count=group.jobs) for group in starts]
    return LoadMap.of(groups, now)
