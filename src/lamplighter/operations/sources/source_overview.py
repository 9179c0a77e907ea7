"""The health of all sources, their recent run totals, and those that need an operator."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import reduce
from typing import NamedTuple

from lamplighter.model.crawl import RunOutcome, SourceState
from lamplighter.operations.sources.source_health import SourceHealth, health_of
from lamplighter.rules.hosts import host_causes
from lamplighter.rules.sources import source_state
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import job_holds, tallies
from lamplighter.store.jobs.job_holds import HostInTrouble
from lamplighter.store.runs import run_hours
from lamplighter.store.runs.run_hours import RunTotals
from lamplighter.store.sources import source_lists, source_summaries
from lamplighter.store.sources.source_summaries import SummarySource

_HOUR = timedelta(hours=1)
#: the most pressing sources that are grouped by cause
_GROUPED = 200
#: so many sources of one host and cause are named of together
_FEWEST_TOGETHER = 2


class OverviewSpan(Enum):
    """How far back is looked: its name for programs and people, and the steps of its curve."""

    HOUR = ("1h", "1 h", timedelta(minutes=5), 12)
    DAY = ("24h", "24 h", _HOUR, 24)
    WEEK = ("7d", "7 d", 4 * _HOUR, 42)

    def __init__(self, word: str, label: str, step: timedelta, steps: int) -> None:
        self.word = word
        self.label = label
        self.step = step
        self.steps = steps


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOverview:
    """All sources together."""

    total: int
    #: state -> number of sources; they add up to the total
    states: Mapping[SourceState, int]
    span: OverviewSpan
    #: what runs came to within the span
    came: RunTotals
    #: the same step by step, the oldest first; the last step is not over yet
    curve: Sequence[tuple[datetime, RunTotals]]
    #: that the curve covers so far
    hours_seen: float

    @property
    def most_runs(self) -> int:
        """Of any step."""
        return max(came.runs for _, came in self.curve)


class PressingSource(NamedTuple):
    """A source that needs a person, and why."""

    source: SummarySource
    health: SourceHealth


class PressingHost(NamedTuple):
    """A host whose sources fail for the same cause, or wait for it."""

    host: str
    cause: str
    failing: int
    waiting: int
    #: when requests are sent again; None when the host is not blocked
    until: datetime | None

    @property
    def sentence(self) -> str:
        """The cause, and how many sources it concerns."""
        return host_causes.sentence(self.host, self.cause, failing=self.failing, waiting=self.waiting)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """What needs a person, by cause: hosts in trouble, then single sources."""

    hosts: Sequence[PressingHost]
    #: sources that no host stands for, the most pressing first
    rows: Sequence[PressingSource]
    #: sources that are neither listed nor counted with a host
    more: int


async def overview(db: Connection, span: OverviewSpan, *, now: datetime) -> SourceOverview:
    """How all are doing."""
    total = await tallies.sources(db)
    curve = await _curve(db, span, now=now)
    return SourceOverview(
        total=total,
        states=source_state.by_state(await tallies.jobs_now(db, sources=total, now=now), sources=total),
        span=span,
        came=reduce(RunTotals.with_, (came for _, came in curve), RunTotals()),
        curve=curve,
        hours_seen=max((now - curve[0][0]) / _HOUR, 1 / 60),
    )


async def attention(db: Connection, *, limit: int, now: datetime) -> Attention:
    """The sources that fail, are blocked, were stopped by their breaker, or drift; those of one cause together."""
    ids, total = await source_lists.most_pressing(db, limit=_GROUPED)
    summaries = await source_summaries.of(db, ids)
    groups: dict[tuple[str, str], set[int]] = defaultdict(set)
    for source, _, run in summaries:
        cause = host_causes.of_message(run.message) if run is not None and run.outcome is RunOutcome.FAIL else None
        if cause is not None:
            groups[urls.parse(source.url).host_key, cause].add(source.id)
    blocked = {host.key: host for host in await job_holds.blocked_hosts(db, now=now, limit=limit)}
    hosts, grouped = _by_host(groups, blocked)
    single = [each for each in summaries if each.source.id not in grouped][: max(1, limit - len(hosts))]
    rows = [PressingSource(each.source, health_of(*each)) for each in single]
    return Attention(hosts=hosts[:limit], rows=rows, more=max(0, total - len(grouped) - len(rows)))


def _by_host(
    groups: Mapping[tuple[str, str], set[int]], blocked: Mapping[str, HostInTrouble]
) -> tuple[list[PressingHost], set[int]]:
    """The hosts for which several sources fail or wait, the most sources first; and the sources that fail there."""
    found, grouped, named = list[PressingHost](), set[int](), set[str]()
    for (host, cause), sources in sorted(groups.items(), key=lambda group: -len(group[1])):
        trouble = blocked.get(host) if host not in named else None
        waiting = trouble.waiting if trouble is not None else 0
        if len(sources) + waiting < _FEWEST_TOGETHER:
            continue
        named.add(host)
        grouped |= sources
        until = trouble.blocked_until if trouble is not None else None
        found.append(PressingHost(host, cause, len(sources), waiting, until))
    for trouble in blocked.values():
        if trouble.key not in named and trouble.waiting:
            cause = host_causes.of_block(trouble.block_reason)
            found.append(PressingHost(trouble.key, cause, 0, trouble.waiting, trouble.blocked_until))
    return sorted(found, key=lambda host: -(host.failing + host.waiting)), grouped


async def _curve(db: Connection, span: OverviewSpan, *, now: datetime) -> list[tuple[datetime, RunTotals]]:
    """Steps lie on whole multiples since 1970, so that each is the same however often one looks."""
    length = int(span.step.total_seconds())
    last = datetime.fromtimestamp(int(now.timestamp()) // length * length, UTC)
    times = [last - span.step * number for number in reversed(range(span.steps))]
    if span.step < _HOUR:
        found = await run_hours.by_span(db, since=times[0], span=span.step)
        return [(time, found.get(time, RunTotals())) for time in times]
    hours = await run_hours.by_hour(db, since=times[0])
    within = range(int(span.step / _HOUR))
    return [
        (time, reduce(RunTotals.with_, (hours.get(time + n * _HOUR, RunTotals()) for n in within), RunTotals()))
        for time in times
    ]
