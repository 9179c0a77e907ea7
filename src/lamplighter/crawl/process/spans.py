"""Trace spans of runs and their steps: fetches, readings, commits."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from lamplighter import tracing
from lamplighter.crawl.reading.reader_messages import Digest
from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.model.visit import Failed, Fetched, NotModified, Redirected, Refused, Visit
from lamplighter.store.runs.crawl_runs import OpenRun, RunOwner

if TYPE_CHECKING:
    from lamplighter.crawl.fetching.page_visits import PageVisit
    from lamplighter.crawl.pages.page_results import PageReading, PageResult

_OUTCOMES = {Fetched: "fetched", NotModified: "not_modified", Redirected: "redirected", Failed: "failed"}


def of_results(
    batch: "Sequence[PageResult]", runs: Mapping[int, OpenRun], *, began_at: datetime, now: datetime
) -> None:
    """Spans of visits, readings and their commit."""
    if (tracer := tracing.current()) is None:
        return
    for visited, reading, _ in batch:
        if visited is not None and (run := runs.get(visited.page.run_id)) is not None:
            _visit(tracer, visited, run)
        if reading is not None and (run := runs.get(reading.page.run_id)) is not None:
            _reading(tracer, reading, run)
    for run in runs.values():
        tracer.step(
            "commit", run=run.public_id, began_at=began_at, ended_at=now, ok=True, lamplighter__items=len(batch)
        )


def _visit(tracer: tracing.Tracer, visited: "PageVisit", run: OpenRun) -> None:
    visit = visited.visit
    if isinstance(visit, Refused):
        return
    tracer.step(
        "fetch",
        run=run.public_id,
        began_at=visit.at - visit.took,
        ended_at=visit.at,
        ok=not isinstance(visit, Failed),
        url__full=tracing.address(visited.page.url),
        server__address=visited.host.key,
        http__response__status_code=_status(visit),
        lamplighter__outcome=_OUTCOMES[type(visit)],
        lamplighter__reason=str(visit.fault) if isinstance(visit, Failed) else None,
        lamplighter__proxy=visited.proxy_id,
        lamplighter__turn_wait_ms=round(visited.waited / timedelta(milliseconds=1)),
    )


def _reading(tracer: tracing.Tracer, reading: "PageReading", run: OpenRun) -> None:
    result = reading.result
    if not isinstance(result, Digest) or result.effort is None:
        return
    read_at = datetime.fromtimestamp(result.effort.began_at, UTC)
    tracer.step(
        "parse",
        run=run.public_id,
        began_at=read_at,
        ended_at=read_at + timedelta(milliseconds=result.effort.took_ms),
        ok=result.obstacle is None,
        url__full=tracing.address(reading.page.url),
        lamplighter__records=len(result.records),
        lamplighter__cpu_ms=result.effort.cpu_ms,
        lamplighter__obstacle=result.obstacle,
    )


def of_run(run: CrawlRun, whose: RunOwner, *, outcome: RunOutcome, now: datetime) -> None:
    """The span of a finished run."""
    if (tracer := tracing.current()) is None:
        return
    tracer.step(
        "run",
        run=run.public_id,
        began_at=run.started_at,
        ended_at=now,
        ok=outcome is not RunOutcome.FAIL,
        is_run=True,
        lamplighter__source=whose.source,
        server__address=whose.host,
        lamplighter__number=run.number,
        lamplighter__trigger=str(run.trigger),
        lamplighter__outcome=str(outcome),
        lamplighter__pages=run.tally.pages_fetched + run.tally.pages_unchanged,
        lamplighter__records=run.tally.records_found,
    )


def _status(visit: Visit) -> int | None:
    if isinstance(visit, NotModified):
        return 304
    return None if isinstance(visit, Refused) else visit.status
