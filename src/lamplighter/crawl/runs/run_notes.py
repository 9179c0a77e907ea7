"""Log lines and figures that one transaction of a sink adds to its runs.

Both are collected in memory and written for all runs together, with the counters: a page costs no query.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, MutableMapping
from datetime import datetime, timedelta
from typing import Any, Protocol

from lamplighter.crawl.reading.reader_messages import Digest
from lamplighter.model.run_figures import NO_FIGURES, RunFigures, Times, loaded, word
from lamplighter.model.run_log import Keeping, LogAction, LogLevel
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Redirected, Refused, Visit
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import crawl_runs, run_log
from lamplighter.store.runs.crawl_runs import OpenRun

#: errors count as equal if they differ only in an address, a redirect's target, a Retry-After, or a number that is not
#: a status
_ADDRESS = re.compile(r"https?://\S+")
_VARIES = re.compile(
    r"https?://\S+|(?<=points to )\S+(?=,)|(?<=Retry-After: ).+|(?<!HTTP )(?<![\w.])\d[\d.,:]*(?![\w])"
)
#: faults of pages that we do not want: skipped, no errors
_UNWANTED = frozenset({Fault.TOO_LARGE, Fault.CONTENT_TYPE})
_MILLISECOND = timedelta(milliseconds=1)


class OfRun(Protocol):
    """A page of a run, to be fetched or parsed."""

    @property
    def run_id(self) -> int: ...
    @property
    def url(self) -> str: ...


class RunFiguresBuilder:
    """Collects the figures of one run."""

    def __init__(self) -> None:
        self.retries = 0
        self._skipped: dict[str, int] = defaultdict(int)
        self._records_skipped: dict[str, int] = defaultdict(int)
        self._status: dict[str, int] = defaultdict(int)
        self._times: list[float] = []
        self._bytes = 0
        self._categories: dict[str, int] = defaultdict(int)
        self._errors: dict[str, int] = defaultdict(int)
        self._slowed_down = 0
        self._obstructed = 0
        self._waited_ms = 0.0
        self._read = 0
        self._cpu_ms = 0.0
        self._peak_kb = 0
        self._note: str | None = None
        self._list_pages = 0
        self._list_records = 0

    def visited(self, visit: Visit, *, waited: timedelta, repeats: int) -> None:
        """Counts the visit of a page."""
        self.retries += repeats
        self._waited_ms += waited / _MILLISECOND
        match visit:
            case Fetched():
                self._took(visit.status, visit.took)
                self._bytes += len(visit.body)
            case NotModified():
                self._took(304, visit.took)
            case Redirected():
                self._took(visit.status, visit.took)
            case Failed():
                if visit.status is not None:
                    self._took(visit.status, visit.took)
                self._failed(visit)
            case Refused():
                self.skip(visit.reason.value)

    def skip(self, reason: str, count: int = 1) -> None:
        """Counts skipped pages or links."""
        if count:
            self._skipped[reason] += count

    def skip_record(self, reason: str) -> None:
        """Counts a record skip."""
        self._records_skipped[word(_ADDRESS.sub("…", reason))] += 1

    def broken(self, fault: Fault, detail: str) -> None:
        """Counts an error by its fault and text."""
        self._categories[fault.value] += 1
        self._errors[word(f"{fault}: {_VARIES.sub('…', detail)}")] += 1

    def read(self, digest: Digest) -> None:
        """Adds a reading."""
        self._read += 1
        self._obstructed += digest.obstacle is not None
        self.skip("too_deep", digest.too_deep)
        self.skip("elsewhere", digest.elsewhere)
        if digest.list_pages:
            self._list_pages = max(self._list_pages, digest.list_pages)
            self._list_records = max(self._list_records, len(digest.records) + len(digest.skipped))
        if (effort := digest.effort) is not None:
            self._cpu_ms += effort.cpu_ms
            self._peak_kb = max(self._peak_kb, effort.peak_kb)

    def noted(self, note: str) -> None:
        """Keeps the first note about parsing a page; it may affect the run's outcome."""
        self._note = self._note if self._note is not None else note

    def figures(self, *, log_left_out: int) -> RunFigures:
        """The total."""
        return RunFigures(
            status_codes=self._status,
            response_ms=Times.of(*self._times),
            bytes=self._bytes,
            error_categories=self._categories,
            errors=self._errors,
            skipped=self._skipped,
            records_skipped=self._records_skipped,
            retries=self.retries,
            slowed_down=self._slowed_down,
            obstructed=self._obstructed,
            waited_ms=round(self._waited_ms),
            pages_read=self._read,
            parse_cpu_ms=self._cpu_ms,
            parse_peak_kb=self._peak_kb,
            first_note=self._note,
            log_left_out=log_left_out,
            list_pages=self._list_pages,
            list_records=self._list_records,
        )

    def _took(self, status: int, took: timedelta) -> None:
        self._status[str(status)] += 1
        self._times.append(round(took / _MILLISECOND, 1))

    def _failed(self, visit: Failed) -> None:
        if visit.fault in _UNWANTED:
            self.skip(visit.fault.value)
            return
        self._slowed_down += visit.fault is Fault.BUSY
        self.broken(visit.fault, visit.detail)


class RunNotes:
    """Notes of one try of a transaction."""

    def __init__(self, keeping: Keeping, *, now: datetime) -> None:
        self._keeping = keeping
        self._now = now
        #: run -> what is added to its figures
        self.of: dict[int, RunFiguresBuilder] = defaultdict(RunFiguresBuilder)
        self._lines: dict[int, list[dict[str, Any]]] = defaultdict(list)
        #: whether every page and every wait is logged; check it before building a message
        self.is_wordy = keeping.wants(LogLevel.DEBUG)

    def say(self, page: OfRun, action: LogAction, message: str, **fields: Any) -> None:
        """Adds a page's line."""
        line = run_log.line(page.run_id, action, message, at=self._now, url=page.url, **fields)
        self._lines[page.run_id].append(line)

    def add(self, lines: Iterable[dict[str, Any]]) -> None:
        """Adds finished lines."""
        for line in lines:
            self._lines[line["run_id"]].append(line)

    async def write(
        self, db: Connection, runs: Mapping[int, OpenRun], counts: Mapping[int, MutableMapping[str, float]]
    ) -> None:
        """Writes counters, figures and lines of the runs, which the caller has locked."""
        figures: dict[int, RunFigures] = {}
        lines: list[dict[str, Any]] = []
        for run_id, run in runs.items():
            before = loaded(run.figures) or NO_FIGURES
            kept = self._keeping.kept(self._lines.get(run_id, ()), written=run.log_lines, left_out=before.log_left_out)
            lines += kept.lines
            counts[run_id]["log_lines"] = kept.written
            figures[run_id] = before.merged(self.of[run_id].figures(log_left_out=kept.left_out))
        await crawl_runs.add_up(db, {run_id: counts[run_id] for run_id in runs}, now=self._now, figures=figures)
        await run_log.write(db, lines)
