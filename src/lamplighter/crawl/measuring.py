"""Counts what the rounds do, for `/metrics`: answers of sites, pages read, runs ended.

What is counted per page is looked up once, here: finding a series by its labels costs more than counting in it.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from lamplighter import metrics
from lamplighter.crawl.reader_messages import Digest
from lamplighter.fetch.fetcher import Asked
from lamplighter.model.crawl import CrawlRun, Outcome
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Redirected, Refusal, Refused
from lamplighter.store.crawl_runs import Whose

#: of an answer that needs no reason
_NONE: Final = "none"
_FETCHES = {
    Fetched: metrics.FETCHES.labels("fetched", _NONE),
    NotModified: metrics.FETCHES.labels("not_modified", _NONE),
    Redirected: metrics.FETCHES.labels("redirected", _NONE),
}
_REFUSALS = {reason: metrics.FETCHES.labels("refused", reason) for reason in Refusal}
_FAULTS = {fault: metrics.FETCHES.labels("failed", fault) for fault in Fault}
#: how a run ended, in the words of the metric
STATUS = {
    Outcome.OK: "success",
    Outcome.WARN: "warning",
    Outcome.FAIL: "failure",
    Outcome.CANCELLED: "cancelled",
}
#: pages that were submitted one by one have no source that anybody named
SUBMITTED = "submitted pages"


def answered(asked: Asked) -> None:
    """Counts what came of asking for a page."""
    visit = asked.visit
    if isinstance(visit, Refused):
        _REFUSALS[visit.reason].inc()
        return
    metrics.TURN_WAIT_SECONDS.observe(asked.waited.total_seconds())
    metrics.FETCH_SECONDS.observe(visit.took.total_seconds())
    if isinstance(visit, Failed):
        _FAULTS[visit.fault].inc()
        return
    _FETCHES[type(visit)].inc()
    if isinstance(visit, Fetched):
        metrics.FETCHED_BYTES.inc(len(visit.body))


def pages_read(digests: Iterable[Digest]) -> None:
    """Counts the time that reading took, as the reader process measured it."""
    for digest in digests:
        if digest.effort is not None:
            metrics.PARSE_SECONDS.observe(digest.effort.cpu_ms / 1000)


def run_ended(run: CrawlRun, whose: Whose, outcome: Outcome, *, now: datetime) -> None:
    """Counts a run that has ended, and what it found."""
    name, tally = metrics.named(whose.source if whose.is_named else SUBMITTED), run.tally
    metrics.RUNS.labels(STATUS[outcome]).inc()
    metrics.CRAWL_SECONDS.labels(name, STATUS[outcome]).observe(max(0.0, (now - run.started_at).total_seconds()))
    metrics.ARTICLES_EXTRACTED.labels(name).inc(tally.records_inserted)
    for result in ("inserted", "updated", "unchanged", "skipped", "failed"):
        metrics.RECORDS.labels(result).inc(getattr(tally, f"records_{result}"))
