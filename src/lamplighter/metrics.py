"""Every metric, declared once: name, labels, one sentence. The reference and `/metrics` come from here.

A process counts what it does itself; figures from the database are gauges, set by the processes that export them.
Labels are bounded: words of our own, or the names of sources as far as `named` allows them.
"""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from time import monotonic
from typing import Any, ClassVar, NamedTuple

import prometheus_client
from prometheus_client import CollectorRegistry, disable_created_metrics
from prometheus_client import Gauge as PlainGauge
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.samples import Sample
from prometheus_client.utils import floatToGoString

# The start time of a process is exported once, as process_start_time_seconds, not beside each of its metrics.
disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
#: a gauge disappears when it was not set for so long, or so many times in a row
_LEAST_SECONDS, _MISSED = 180.0, 3
#: label of the sources beyond the limit
OTHER = "other"


class DeclaredMetric(NamedTuple):
    """A metric as the reference describes it."""

    name: str
    kind: str
    labels: tuple[str, ...]
    sentence: str
    buckets: tuple[float, ...] = ()


#: in the order of this file
DECLARED: list[DeclaredMetric] = []


class Counter(prometheus_client.Counter):
    """Counts in a plain number: several are counted for each page, all in the event loop's thread, without a lock."""

    def _metric_init(self) -> None:
        self._total = 0.0

    def inc(self, amount: float = 1, exemplar: dict[str, str] | None = None) -> None:
        """Counts so much more; never less than nothing."""
        if amount < 0:
            raise ValueError(f"a counter cannot be increased by {amount}")
        self._total += amount

    def _child_samples(self) -> Iterable[Any]:
        return (Sample("_total", {}, self._total, None, None),)


class Histogram(prometheus_client.Histogram):
    """Counts what falls into its buckets in plain numbers, like `Counter`."""

    def _metric_init(self) -> None:
        self._total = 0.0
        self._counts = [0] * len(self._upper_bounds)

    def observe(self, amount: float, exemplar: dict[str, str] | None = None) -> None:
        """Counts a value."""
        self._total += amount
        self._counts[bisect_left(self._upper_bounds, amount)] += 1

    def _child_samples(self) -> Iterable[Any]:
        below = list(accumulate(self._counts))
        for bound, count in zip(self._upper_bounds, below, strict=True):
            yield Sample("_bucket", {"le": floatToGoString(bound)}, count, None, None)  # type: ignore[no-untyped-call]
        yield Sample("_count", {}, below[-1], None, None)
        yield Sample("_sum", {}, self._total, None, None)


class ExpiringGauge(PlainGauge):
    """Exports nothing before it is set, and nothing once it is outdated: no value is better than an old one."""

    lasts_seconds: ClassVar[float] = _LEAST_SECONDS

    def _metric_init(self) -> None:
        super()._metric_init()
        self._set_at = float("-inf")

    def set(self, value: float) -> None:
        """Sets the value, for a while."""
        super().set(value)
        self._set_at = monotonic()

    def _child_samples(self) -> Iterable[Any]:
        return super()._child_samples() if monotonic() - self._set_at < self.lasts_seconds else ()


class SourceNames:
    """Names of sources in labels, first come, first named."""

    most: ClassVar[int] = 200
    taken: ClassVar[set[str]] = set()


def adjust(*, most_sources: int, taken_every_seconds: float) -> None:
    """Sets how many sources this process names, and how often its gauges are set."""
    SourceNames.most = most_sources
    ExpiringGauge.lasts_seconds = max(_LEAST_SECONDS, _MISSED * taken_every_seconds)


def named(source_name: str) -> str:
    """The label of a source: its own name for the first so many of this process, then `other`."""
    if source_name in SourceNames.taken:
        return source_name
    if len(SourceNames.taken) >= SourceNames.most:
        return OTHER
    SourceNames.taken.add(source_name)
    return source_name


def _counter(name: str, sentence: str, *labels: str) -> Counter:
    DECLARED.append(DeclaredMetric(name, "counter", labels, sentence))
    return Counter(name, sentence, labels, registry=REGISTRY)


def _gauge(name: str, sentence: str, *labels: str) -> ExpiringGauge:
    DECLARED.append(DeclaredMetric(name, "gauge", labels, sentence))
    return ExpiringGauge(name, sentence, labels, registry=REGISTRY)


def _histogram(name: str, sentence: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
    DECLARED.append(DeclaredMetric(name, "histogram", labels, sentence, buckets))
    return Histogram(name, sentence, labels, registry=REGISTRY, buckets=buckets)


# ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────────
EVENTS_RECEIVED = _counter("crawler_events_received_total", "Source events received, each once.", "event_type")
EVENTS_PROCESSED = _counter(
    "crawler_events_processed_total",
    "Tries to process a source event: success (also when there was nothing to do), error or duplicate.",
    "event_type",
    "result",
)
EVENT_SECONDS = _histogram(
    "crawler_event_processing_duration_seconds",
    "How long the effect of an event took.",
    (0.01, 0.05, 0.1, 0.5, 1, 5),
    "event_type",
)
CONSUMER_LAG = _gauge("crawler_consumer_lag_messages", "Events published and not yet processed.")

# ── jobs and their schedule ──────────────────────────────────────────────────────────────────────────────────────────
JOBS_CREATED = _counter("crawler_jobs_created_total", "Crawl jobs created.")
JOBS_UPDATED = _counter("crawler_jobs_updated_total", "Crawl jobs updated because their source changed.")
JOBS_BY_STATUS = _gauge(
    "crawler_jobs_by_status", "Crawl jobs in each state; a job whose runs fail is failed.", "status"
)
SOURCES = _gauge("crawler_sources", "Sources in each state, as the start page counts them.", "state")
JOBS_BY_PRIORITY = _gauge(
    "crawler_jobs_by_priority", "Crawl jobs of each priority: low, normal, high, critical.", "priority"
)
JOBS_IN_BACKOFF = _gauge(
    "crawler_jobs_in_backoff", "Crawl jobs that back off because their last runs failed, counted up to 10,000."
)
JOBS_DUE = _gauge("crawler_jobs_due", "Crawl jobs that are due and whose run is not open yet, counted up to 10,000.")
SCHEDULER_RUNS = _counter("crawler_scheduler_runs_total", "Times that the scheduler checked for due jobs.")
JOBS_DISPATCHED = _counter("crawler_scheduler_jobs_dispatched_total", "Runs opened by the scheduler.")
FRESHNESS_EXPECTED = _gauge(
    "crawler_freshness_expected_ratio", "Share of time that copies are expected to be up to date, over all sources."
)
FRESHNESS_MEASURED = _gauge(
    "crawler_freshness_measured_ratio", "Share of time that copies were up to date, as later visits showed."
)

# ── crawling ─────────────────────────────────────────────────────────────────────────────────────────────────────────
CRAWL_SECONDS = _histogram(
    "crawler_crawl_duration_seconds",
    "How long runs took: success (with a warning too) or failure; cancelled runs are not counted.",
    (1, 5, 10, 30, 60, 120, 300),
    "source_name",
    "status",
)
RUNS = _counter(
    "crawler_runs_total", "Runs that ended, over all sources: success, warning, failure, cancelled.", "status"
)
ARTICLES_EXTRACTED = _counter(
    "crawler_articles_extracted_total", "Records found for the first time, of any kind.", "source_name"
)
FETCHES = _counter(
    "crawler_fetches_total",
    "Visits of pages by outcome: fetched, not_modified, redirected, refused (by us) or failed; and why.",
    "outcome",
    "reason",
)
FETCHED_BYTES = _counter("crawler_fetched_bytes_total", "Bytes of response bodies, decompressed.")
FETCH_SECONDS = _histogram(
    "crawler_fetch_duration_seconds",
    "Time from the request to the end of the response.",
    (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
TURN_WAIT_SECONDS = _histogram(
    "crawler_turn_wait_seconds", "How long requests waited for their host's turn.", (0.01, 0.1, 0.5, 1, 3, 10, 30, 60)
)
ROBOTS_DECISIONS = _counter(
    "crawler_robots_decisions_total", "Decisions by robots.txt: allowed, disallowed, unreachable.", "decision"
)
PARSE_SECONDS = _histogram(
    "crawler_parse_duration_seconds", "CPU time of parsing one page.", (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5)
)
RECORDS = _counter(
    "crawler_records_total",
    "Records found by runs that have ended: inserted, updated, unchanged, skipped, failed.",
    "result",
)
PAGES_WAITING = _gauge(
    "crawler_pages_waiting", "Pages that wait, to be fetched or to be parsed, counted up to 100,000.", "phase"
)
COMMIT_ITEMS = _histogram("crawler_commit_items", "Results committed together.", (1, 2, 4, 8, 16, 32, 64, 128), "sink")
COMMIT_SECONDS = _histogram(
    "crawler_commit_duration_seconds", "How long a commit took.", (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5), "sink"
)
LEASES_EXPIRED = _counter(
    "crawler_leases_expired_total",
    "Leases that expired while a process held them, and were taken by another: host, page.",
    "what",
)
CRASH_RECOVERIES = _counter(
    "crawler_crash_recoveries_total",
    "Work of dead or silent processes that another process resumed: run, host, event, lead.",
    "what",
)

# ── proxies ──────────────────────────────────────────────────────────────────────────────────────────────────────────
PROXIES = _gauge("crawler_proxies", "Proxies: working, resting (backing off after failures), off.", "state")
PROXY_REQUESTS = _counter(
    "crawler_proxy_requests_total", "Requests through proxies: ok, or fault when the proxy itself failed.", "result"
)

# ── alerts ───────────────────────────────────────────────────────────────────────────────────────────────────────────
FINDINGS = _gauge(
    "crawler_findings", "Sources, hosts or parts of the installation for which an alert rule holds now.", "rule"
)
ALERTS_FIRING = _gauge("crawler_alerts_firing", "Alerts that have fired and not cleared.", "severity")
OUTBOX_AGE = _gauge(
    "crawler_outbox_age_seconds",
    "Age of the oldest waiting entry, 0 when there is none: events, index, notifications.",
    "outbox",
)
NOTIFICATIONS = _counter(
    "crawler_notifications_total", "Tries to send, by kind of channel: sent, failed, dead.", "channel", "result"
)
DISK_FREE = _gauge("crawler_disk_free_bytes", "Free bytes on the disk that holds the data.")
INSTANCES = _gauge(
    "crawler_instances",
    "Processes that work on this database: serve, worker or crawl; alive, or lost within the last day.",
    "kind",
    "state",
)

# Created at the start, so that the first of each is an increase and not a new series.
for _counts, _words in (
    (RUNS, ("success", "warning", "failure", "cancelled")),
    (ROBOTS_DECISIONS, ("allowed", "disallowed", "unreachable")),
    (RECORDS, ("inserted", "updated", "unchanged", "skipped", "failed")),
    (LEASES_EXPIRED, ("host", "page")),
    (CRASH_RECOVERIES, ("run", "host", "event", "lead")),
    (PROXY_REQUESTS, ("ok", "fault")),
):
    for _word in _words:
        _counts.labels(_word)


def leases_taken_over() -> float:
    """Leases of hosts and pages that this process took over because their holder did not renew them."""
    return sum(
        sample.value
        for metric in LEASES_EXPIRED.collect()
        for sample in metric.samples
        if sample.name == "crawler_leases_expired_total"
    )
