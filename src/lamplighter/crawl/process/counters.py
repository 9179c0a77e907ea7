"""Counters for `/metrics`: visits, pages parsed, runs ended.

Series that are counted per page are looked up once, here: finding one by its labels costs more than counting.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from lamplighter import metrics
from lamplighter.crawl.reading.reader_messages import Digest
from lamplighter.fetch.fetcher import FetchResult
from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Redirected, Refusal, Refused
from lamplighter.store.runs.crawl_runs import RunOwner

#: the reason of a visit that needs none
_NONE: Final = "none"
_FETCHES = {
    Fetched: metrics.FETCHES.labels("fetched", _NONE),
    NotModified: metrics.FETCHES.labels("not_modified", _NONE),
    Redirected: metrics.FETCHES.labels("redirected", _NONE),
}
_REFUSALS = {reason: metrics.FETCHES.labels("refused", reason) for reason in Refusal}
_FAULTS = {fault: metrics.FETCHES.labels("failed", fault) for fault in Fault}
#: the metric's label for each outcome of a run
STATUS = {
    RunOutcome.OK: "success",
    RunOutcome.WARN: "warning",
    RunOutcome.FAIL: "failure",
    RunOutcome.CANCELLED: "cancelled",
}
#: the name for submitted pages, whose source has none
SUBMITTED = "submitted pages"


def visited(result: FetchResult) -> None:
    """Counts the visit of a page."""
    visit = result.visit
    if isinstance(visit, Refused):
        _REFUSALS[visit.reason].inc()
        return
    metrics.TURN_WAIT_SECONDS.observe(result.waited.total_seconds())
    metrics.FETCH_SECONDS.observe(visit.took.total_seconds())
    if isinstance(visit, Failed):
        _FAULTS[visit.fault].inc()
        return
    _FETCHES[type(visit)].inc()
    if isinstance(visit, Fetched):
        metrics.FETCHED_BYTES.inc(len(visit.body))


def pages_read(digests: Iterable[Digest]) -> None:
    """Counts the CPU time of parsing, as the reader process measured it."""
    for digest in digests:
        if digest.effort is not None:
            metrics.PARSE_SECONDS.observe(digest.effort.cpu_ms / 1000)


def run_ended(run: CrawlRun, whose: RunOwner, outcome: RunOutcome, *, now: datetime) -> None:
    """Counts a run that has ended, and what it found."""
    name, tally = metrics.named(whose.source if whose.is_named else SUBMITTED), run.tally
    metrics.RUNS.labels(STATUS[outcome]).inc()
    if outcome is not RunOutcome.CANCELLED:
        status = "failure" if outcome is RunOutcome.FAIL else "success"
        metrics.CRAWL_SECONDS.labels(name, status).observe(max(0.0, (now - run.started_at).total_seconds()))
    metrics.ARTICLES_EXTRACTED.labels(name).inc(tally.records_inserted)
    for result in ("inserted", "updated", "unchanged", "skipped", "failed"):
        metrics.RECORDS.labels(result).inc(getattr(tally, f"records_{result}"))
