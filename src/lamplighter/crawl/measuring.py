"""Counts what the rounds do, for `/metrics`: answers of sites, pages read, runs ended.

What is counted per page is looked up once, here: finding a series by its labels costs more than counting in it.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Final

from lamplighter import metrics
from lamplighter.crawl.digest import Digest
from lamplighter.fetch.fetcher import Asked
from lamplighter.model.crawl import CrawlRun, Outcome
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Redirected, Refusal, Refused
from lamplighter.store import metric_figures
from lamplighter.store.after_commit import after_commit
from lamplighter.store.database import Connection

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


async def run_ended(db: Connection, run: CrawlRun, outcome: Outcome, *, now: datetime) -> None:
    """Counts a run that ends in this transaction, and what it found, once that is durable."""
    source = await metric_figures.source_name(db, run.source_id)
    after_commit(partial(_count_run, run, outcome, source or SUBMITTED, now))


def _count_run(run: CrawlRun, outcome: Outcome, source: str, now: datetime) -> None:
    name, tally = metrics.named(source), run.tally
    metrics.CRAWL_SECONDS.labels(name, STATUS[outcome]).observe((now - run.started_at).total_seconds())
    metrics.ARTICLES_EXTRACTED.labels(name).inc(tally.records_inserted)
    for result in ("inserted", "updated", "unchanged", "skipped", "failed"):
        metrics.RECORDS.labels(result).inc(getattr(tally, f"records_{result}"))
