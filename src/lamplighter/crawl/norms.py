"""What holds for a source that does not say otherwise, and what holds for one that does."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Self

from lamplighter import telemetry
from lamplighter.model.host import HostPolicy
from lamplighter.model.schedule import Bounds, OrganisationType, PolicyName, Window
from lamplighter.rules import baseline, window_text
from lamplighter.store.host_times import HostTimes
from lamplighter.store.sources import SourceRow

log = telemetry.logger("norms")
WIDE = Bounds(least=timedelta(minutes=1), most=timedelta(days=30))


@dataclass(frozen=True, slots=True, kw_only=True)
class Norms:
    """The installation's own choices."""

    policy: PolicyName = PolicyName.LEARNED
    #: between runs of a source that says nothing about it; None computes it from its priority, rate and depth
    interval: timedelta | None = None
    bounds: Bounds = WIDE
    #: fetches; None for the one: as much as the sources' own intervals would spend, for the other: no limit
    budget_per_hour: float | None = None
    host_budget_per_hour: float | None = None
    host: HostPolicy = field(default_factory=HostPolicy)
    #: whether a source without a crawl job gets one by itself
    auto_manage: bool = True

    def as_asked(self) -> Self:
        """The same, where somebody asks for the job: then a source that has none gets it in any case."""
        return replace(self, auto_manage=True)

    def baseline(self, source: SourceRow, host: HostTimes | None) -> timedelta:
        """How often a source would be visited if nothing were known of it."""
        return baseline.baseline(
            source.interval,
            OrganisationType(source.organisation_type) if source.organisation_type else None,
            priority=source.priority,
            rate_limit=self.rate_limit(host),
            max_depth=source.max_depth,
            default=self.interval,
        )

    def rate_limit(self, host: HostTimes | None) -> float:
        """Requests per second that the host's delay leaves; 0 means without limit."""
        delay = host.delay(self.host) if host is not None else self.host.min_delay
        return timedelta(seconds=1) / delay if delay else 0.0

    def bounds_of(self, source: SourceRow, interval: timedelta) -> Bounds:
        """A source's own bounds, else the installation's, which never forbid the interval that was asked for."""
        least = source.min_interval or min(self.bounds.least, interval)
        most = source.max_interval or max(self.bounds.most, interval)
        return Bounds(least=least, most=max(least, most))

    def host_budget(self, host: HostTimes) -> float | None:
        """Fetches per hour of a host; None means without limit."""
        return host.budget_per_hour if host.budget_per_hour is not None else self.host_budget_per_hour


def windows_of(source: SourceRow, host: HostTimes | None) -> list[tuple[Window, ...]]:
    """The windows of a source and of its host; one that cannot be read any more is named and left out."""
    lists = []
    for whose, stored in ((source.url, source.windows), (host.key if host else "", host.windows if host else None)):
        windows, complaints = window_text.loaded(stored or [])
        for complaint in complaints:
            log.warning("window.unusable", whose=whose, complaint=complaint)
        if windows:
            lists.append(windows)
    return lists
