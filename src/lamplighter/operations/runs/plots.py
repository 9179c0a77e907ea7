"""What the crawl did over time, as plots: from the runs by the hour, from samples, and from the runs' response times.

Runs count in the step in which they began.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from lamplighter.model.plot import Period, Plot, PlotSeries
from lamplighter.model.run_figures import Times
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import samples
from lamplighter.store.fleet.samples import Sample
from lamplighter.store.runs import run_hours, run_responses
from lamplighter.store.runs.run_hours import RunYield
from lamplighter.store.runs.run_responses import MOST_RUNS, RunResponses

#: hosts with a line of their own
_MOST_HOSTS = 5
_TONES = ("lamp", "good", "idle", "bad", "edge")
#: field of RunYield, label, tone; the first lies at the bottom
_PAGES = (
    ("pages_fetched", "fetched", "lamp"),
    ("pages_unchanged", "not modified", "good"),
    ("pages_failed", "failed", "bad"),
    ("pages_refused", "refused", "idle"),
)
_RECORDS = (
    ("records_inserted", "new", "good"),
    ("records_updated", "changed", "lamp"),
    ("records_unchanged", "as before", "idle"),
)
_QUEUE = (("to_fetch", "pages to fetch", "lamp"), ("to_parse", "pages to parse", "idle"), ("due", "due jobs", "good"))
_BYTES = (("bytes_fetched", "received", "lamp"),)

PlotMaker = Callable[[Connection, Period, datetime], Awaitable[Plot]]


async def pages(db: Connection, period: Period, now: datetime) -> Plot:
    """Pages by what came of them."""
    return await _of_runs(db, period, now, title="Pages", unit="pages", layers=_PAGES)


async def records(db: Connection, period: Period, now: datetime) -> Plot:
    """Records by what they were compared with those of the run before."""
    return await _of_runs(db, period, now, title="Records", unit="records", layers=_RECORDS)


async def received(db: Connection, period: Period, now: datetime) -> Plot:
    """Bytes of bodies."""
    return await _of_runs(db, period, now, title="Bytes", unit="B", layers=_BYTES)


async def queue(db: Connection, period: Period, now: datetime) -> Plot:
    """What waits: pages and jobs."""
    times, found = await _samples(db, period, now)
    series = [PlotSeries(label=label, values=_sampled(times, found, name), tone=tone) for name, label, tone in _QUEUE]
    return Plot(title="Queue length", times=times, series=series, unit="waiting")


async def staleness(db: Connection, period: Period, now: datetime) -> Plot:
    """The share of the watched time in which copies were stale: as the schedule expected, and as visits showed."""
    times, found = await _samples(db, period, now)
    lines = (("expected_staleness", "promised", "idle"), ("measured_staleness", "measured", "lamp"))
    series = [
        PlotSeries(label=label, values=_sampled(times, found, name, factor=100.0), tone=tone)
        for name, label, tone in lines
    ]
    return Plot(title="Staleness promised and measured", times=times, series=series, unit="%")


async def budget(db: Connection, period: Period, now: datetime) -> Plot:
    """Fetches that were made, and those that the budget had left."""
    times, found = await _samples(db, period, now)
    came = await run_hours.yields(db, since=times[0], span=period.step)
    hours = period.step.total_seconds() / 3600
    spent: list[float | None] = []
    left: list[float | None] = []
    for time in times:
        run_yield, sample = came.get(time, RunYield()), found.get(time)
        made = run_yield.requests if run_yield is not None else None
        per_hour = sample.budget_per_hour if sample is not None else None
        spent.append(made)
        left.append(None if made is None or per_hour is None else round(max(0.0, per_hour * hours - made), 1))
    series = [PlotSeries(label="spent", values=spent), PlotSeries(label="left", values=left, tone="idle")]
    title = f"Fetch budget per {period.per_step}"
    return Plot(title=title, times=times, series=series, unit="fetches", is_stacked=True)


async def response_times(db: Connection, period: Period, now: datetime) -> Plot:
    """The average response times of the hosts that answered most."""
    times = period.times(now)
    found = await run_responses.latest(db, since=times[0])
    by_host: dict[str, list[RunResponses]] = defaultdict(list)
    for run in found:
        by_host[run.host].append(run)
    most = sorted(by_host, key=lambda host: -sum(run.times.count for run in by_host[host]))[:_MOST_HOSTS]
    series = [
        PlotSeries(label=host, values=_average(_by_step(period, times, by_host[host])), tone=tone)
        for host, tone in zip(most, _TONES, strict=False)
    ]
    note = "the hosts with the most responses" if len(by_host) > _MOST_HOSTS else ""
    return _of_responses(times, series, notes=(note, _cut(found)))


async def response_times_of(db: Connection, host_id: int, period: Period, now: datetime) -> Plot:
    """The response times of one host."""
    times = period.times(now)
    found = await run_responses.of_host(db, host_id, since=times[0])
    by_step = _by_step(period, times, found)
    slow = [_rounded(each.p95) if each is not None else None for each in by_step]
    series = [
        PlotSeries(label="average", values=_average(by_step)),
        PlotSeries(label="95th percentile", values=slow, tone="idle"),
    ]
    return _of_responses(times, series, notes=(_cut(found),))


#: name in addresses -> its plot
PLOTS: Mapping[str, PlotMaker] = {
    "pages": pages,
    "records": records,
    "queue": queue,
    "bytes": received,
    "staleness": staleness,
    "budget": budget,
    "response-times": response_times,
}


def columns(plot: Plot) -> list[str]:
    """The names of the columns of a plot as a table."""
    return ["time", *(f"{each.label} ({plot.unit})" for each in plot.series)]


def rows(plot: Plot) -> list[list[Any]]:
    """A plot as a table: a time, and the value of each series then."""
    values = [each.values for each in plot.series]
    return [[time.isoformat(), *(each[row] for each in values)] for row, time in enumerate(plot.times)]


async def _of_runs(
    db: Connection,
    period: Period,
    now: datetime,
    *,
    title: str,
    unit: str,
    layers: Sequence[tuple[str, str, str]],
) -> Plot:
    times = period.times(now)
    found = await run_hours.yields(db, since=times[0], span=period.step)
    steps = [found.get(time, RunYield()) for time in times]
    series = [
        PlotSeries(label=label, values=[getattr(step, name) if step is not None else None for step in steps], tone=tone)
        for name, label, tone in layers
    ]
    return Plot(title=f"{title} per {period.per_step}", times=times, series=series, unit=unit, is_stacked=True)


async def _samples(db: Connection, period: Period, now: datetime) -> tuple[list[datetime], dict[datetime, Sample]]:
    times = period.times(now)
    return times, await samples.by_span(db, since=times[0], span=period.step)


def _sampled(
    times: Sequence[datetime], found: Mapping[datetime, Sample], name: str, *, factor: float = 1.0
) -> list[float | None]:
    values = (getattr(found[time], name) if time in found else None for time in times)
    return [round(value * factor, 2) if value is not None else None for value in values]


def _by_step(period: Period, times: Sequence[datetime], found: Sequence[RunResponses]) -> list[Times | None]:
    steps: list[Times | None] = [None] * len(times)
    for run in found:
        step = (run.started_at - times[0]) // period.step
        if run.times.count and 0 <= step < len(steps):
            before = steps[step]
            steps[step] = run.times if before is None else before.merged(run.times)
    return steps


def _average(steps: Sequence[Times | None]) -> list[float | None]:
    return [_rounded(each.average) if each is not None else None for each in steps]


def _rounded(milliseconds: float | None) -> float | None:
    return round(milliseconds, 1) if milliseconds is not None else None


def _cut(found: Sequence[RunResponses]) -> str:
    return f"the latest {MOST_RUNS:,} runs" if len(found) >= MOST_RUNS else ""


def _of_responses(times: Sequence[datetime], series: Sequence[PlotSeries], *, notes: Sequence[str]) -> Plot:
    note = ", ".join(filter(None, notes))
    return Plot(title="Response times", times=times, series=series, unit="ms", note=note)
