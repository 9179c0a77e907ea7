"""Source defaults: what applies to a source that does not say otherwise."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Self

from lamplighter import telemetry
from lamplighter.model import window_json
from lamplighter.model.host import HostPolicy
from lamplighter.model.schedule import IntervalBounds, PolicyName, Window
from lamplighter.model.source import Source
from lamplighter.rules.schedule import baseline, policy_choice
from lamplighter.store.hosts.host_times import HostTimes

log = telemetry.logger("source_defaults")
HOUR = timedelta(hours=1)
#: the share of what a host's delay allows that is used at most, so that no host is under constant load
USABLE_SHARE = 0.5
WIDE = IntervalBounds(least=timedelta(minutes=1), most=timedelta(days=30))


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDefaults:
    """The installation's defaults."""

    policy: PolicyName = PolicyName.LEARNED
    #: between runs of a source without its own interval; None computes it from its priority, rate and depth
    interval: timedelta | None = None
    bounds: IntervalBounds = WIDE
    #: fetches; None means here: as much as the sources' own intervals would spend; for hosts: no limit
    budget_per_hour: float | None = None
    host_budget_per_hour: float | None = None
    host: HostPolicy = field(default_factory=HostPolicy)
    #: whether a source without a crawl job gets one by itself
    auto_manage: bool = True

    def as_requested(self) -> Self:
        """The defaults for an explicit request: a source without a job gets one in any case."""
        return replace(self, auto_manage=True)

    def policy_of(self, source: Source) -> PolicyName:
        """How the interval of an effective source is chosen."""
        return source.policy or self.policy

    def baseline(self, source: Source) -> timedelta:
        """The interval of an effective source before anything was observed."""
        return baseline.baseline(
            source.interval,
            source.organisation_type,
            policy=self.policy_of(source),
            priority=source.priority,
            rate_limit=rate_limit(source),
            max_depth=source.max_depth,
            default=self.interval,
        )

    def bounds_of(self, source: Source, interval: timedelta) -> IntervalBounds:
        """An effective source's bounds: its own, those of an interval that a person set, else the installation's."""
        return policy_choice.bounds(
            self.policy_of(source),
            least=source.min_interval,
            most=source.max_interval,
            set_to=source.interval,
            baseline=interval,
            usual=self.bounds,
        )

    def polite_per_hour(self, host: HostTimes) -> float:
        """Fetches per hour that a host can serve politely."""
        delay, budget = host.delay(self.host), self.host_budget(host)
        by_delay = USABLE_SHARE * (HOUR / delay) if delay else float("inf")
        return min(by_delay, budget if budget is not None else float("inf"))

    def host_budget(self, host: HostTimes) -> float | None:
        """Fetches per hour of a host; None means no limit."""
        return host.budget_per_hour if host.budget_per_hour is not None else self.host_budget_per_hour


def rate_limit(source: Source) -> float:
    """Requests per second as a source sets them (S2); 0 where it sets none. Hosts may allow fewer."""
    return timedelta(seconds=1) / source.min_delay if source.min_delay else 0.0


def windows_of(source: Source, host: HostTimes | None) -> list[tuple[Window, ...]]:
    """The windows of a source and of its host; an invalid one is logged and left out."""
    of_host, host_faults = window_json.loaded((host.windows if host else None) or [])
    for whose, faults in ((source.url, source.window_faults), (host.key if host else "", host_faults)):
        for complaint in faults:
            log.warning("window.unusable", whose=whose, complaint=complaint)
    return [windows for windows in (source.windows, of_host) if windows]
