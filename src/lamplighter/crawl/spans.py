"""The steps of runs as spans of their traces: fetches, readings, commits, and the runs themselves."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from lamplighter import tracing
from lamplighter.crawl.reader_messages import Digest
from lamplighter.model.crawl import CrawlRun, Outcome
from lamplighter.model.visit import Failed, Fetched, NotModified, Redirected, Refused, Visit
from lamplighter.store.crawl_runs import OpenRun, Whose

if TYPE_CHECKING:
    from lamplighter.crawl.answers import Answer
    from lamplighter.crawl.parse_sink import Read

_OUTCOMES = {Fetched: "fetched", NotModified: "not_modified", Redirected: "redirected", Failed: "failed"}


def of_answers(batch: "Sequence[Answer]", runs: Mapping[int, OpenRun], *, began_at: datetime, now: datetime) -> None:
    """What sites answered, and the commit of it."""
    if (tracer := tracing.current()) is None:
        return
    for answer in batch:
        run, visit = runs.get(answer.page.run_id), answer.visit
        if run is None or isinstance(visit, Refused):
            continue
        tracer.step(
            "fetch",
            run=run.public_id,
            began_at=visit.at - visit.took,
            ended_at=visit.at,
            ok=not isinstance(visit, Failed),
            url__full=tracing.address(answer.page.url),
            server__address=answer.host.key,
            http__response__status_code=_status(visit),
            lamplighter__outcome=_OUTCOMES[type(visit)],
            lamplighter__reason=str(visit.fault) if isinstance(visit, Failed) else None,
            lamplighter__proxy=answer.proxy_id,
            lamplighter__turn_wait_ms=round(answer.waited / timedelta(milliseconds=1)),
        )
    _commit(tracer, "fetch", runs.values(), items=len(batch), began_at=began_at, now=now)


def of_reads(batch: "Sequence[Read]", runs: Mapping[int, OpenRun], *, began_at: datetime, now: datetime) -> None:
    """What pages said, and the commit of it."""
    if (tracer := tracing.current()) is None:
        return
    for read in batch:
        run, result = runs.get(read.page.run_id), read.result
        if run is None or not isinstance(result, Digest) or result.effort is None:
            continue
        read_at = datetime.fromtimestamp(result.effort.began_at, UTC)
        tracer.step(
            "parse",
            run=run.public_id,
            began_at=read_at,
            ended_at=read_at + timedelta(milliseconds=result.effort.took_ms),
            ok=result.obstacle is None,
            url__full=tracing.address(read.page.url),
            lamplighter__records=len(result.records),
            lamplighter__cpu_ms=result.effort.cpu_ms,
            lamplighter__obstacle=result.obstacle,
        )
    _commit(tracer, "parse", runs.values(), items=len(batch), began_at=began_at, now=now)


def of_run(run: CrawlRun, whose: Whose, *, outcome: Outcome, now: datetime) -> None:
    """A run that is over, from its opening to its end."""
    if (tracer := tracing.current()) is None:
        return
    tracer.step(
        "run",
        run=run.public_id,
        began_at=run.started_at,
        ended_at=now,
        ok=outcome is not Outcome.FAIL,
        is_run=True,
        lamplighter__source=whose.source,
        server__address=whose.host,
        lamplighter__number=run.number,
        lamplighter__trigger=str(run.trigger),
        lamplighter__outcome=str(outcome),
        lamplighter__pages=run.tally.pages_fetched + run.tally.pages_unchanged,
        lamplighter__records=run.tally.records_found,
    )


def _commit(
    tracer: tracing.Tracer, sink: str, runs: Iterable[OpenRun], *, items: int, began_at: datetime, now: datetime
) -> None:
    """Several runs may share a commit: each is told of it."""
    for run in runs:
        tracer.step(
            "commit",
            run=run.public_id,
            began_at=began_at,
            ended_at=now,
            ok=True,
            lamplighter__sink=sink,
            lamplighter__items=items,
        )


def _status(visit: Visit) -> int | None:
    if isinstance(visit, NotModified):
        return 304
    return None if isinstance(visit, Refused) else visit.status
