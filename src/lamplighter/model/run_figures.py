"""The figures of a run: responses by status, times, errors, skips, and parse times.

They are sums, least and greatest values, so parts from several workers can be merged in any order; only which
words of a full table are counted together depends on the order.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

#: buckets of response times per doubling of the time
_BUCKETS_PER_DOUBLING = 4
#: different words of one table; of more, the least frequent are counted together
MOST_WORDS = 40
OTHER = "…"
#: a word that is longer is cut
_LONGEST_WORD = 200

Counts = Mapping[str, int]


def _merged_counts(one: Counts, other: Counts) -> Counts:
    if not other:
        return one
    both = Counter(one)
    both.update(other)
    if len(both) <= MOST_WORDS:
        return both
    # Of equally frequent words the latest stay: otherwise a new word could never rise in a full table.
    names = sorted((name for name in both if name != OTHER), key=lambda name: (-both[name], name not in other, name))
    bounded = {name: both[name] for name in names[:MOST_WORDS]}
    left = both.get(OTHER, 0) + sum(both[name] for name in names[MOST_WORDS:])
    return bounded | ({OTHER: left} if left else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Response times in milliseconds."""

    count: int = 0
    total: float = 0.0
    #: None before the first
    least: float | None = None
    most: float | None = None
    #: bucket -> number of times
    buckets: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, *milliseconds: float) -> Self:
        """The times of some responses."""
        if not milliseconds:
            return cls()
        return cls(
            count=len(milliseconds),
            total=round(sum(milliseconds), 1),
            least=min(milliseconds),
            most=max(milliseconds),
            buckets=Counter(map(_bucket, milliseconds)),
        )

    def merged(self, other: "Times") -> "Times":
        """The times of both."""
        if not self.count or not other.count:
            return self if self.count else other
        leasts = [each for each in (self.least, other.least) if each is not None]
        mosts = [each for each in (self.most, other.most) if each is not None]
        return Times(
            count=self.count + other.count,
            total=round(self.total + other.total, 1),
            least=min(leasts, default=None),
            most=max(mosts, default=None),
            buckets=Counter(self.buckets) + Counter(other.buckets),
        )

    @property
    def average(self) -> float | None:
        """The mean; None without responses."""
        return self.total / self.count if self.count else None

    @property
    def p95(self) -> float | None:
        """The 95th percentile, at most a bucket's width (19 %) too high; None without responses."""
        if self.most is None:
            return None
        left = math.ceil(0.95 * self.count)
        for bucket in sorted(self.buckets):
            left -= self.buckets[bucket]
            if left <= 0:
                return min(_upper_edge(bucket), self.most)
        return self.most


def _bucket(milliseconds: float) -> int:
    """The bucket of a time; bucket 0 holds up to a millisecond."""
    return max(0, math.ceil(_BUCKETS_PER_DOUBLING * math.log2(milliseconds))) if milliseconds > 1 else 0


def _upper_edge(bucket: int) -> float:
    return float(2 ** (bucket / _BUCKETS_PER_DOUBLING))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """The figures of a run's responses and parsing so far."""

    #: HTTP status -> responses, without those of repeated requests
    status_codes: Counts = field(default_factory=dict)
    #: of responses, from the request to the last byte
    response_ms: Times = Times()
    #: of bodies, decompressed
    bytes: int = 0
    #: fault (model.visit) -> count, also where the page was fetched later
    error_categories: Counts = field(default_factory=dict)
    #: error message without addresses -> count
    errors: Counts = field(default_factory=dict)
    #: why pages and links were skipped -> count
    skipped: Counts = field(default_factory=dict)
    #: why records were not kept -> count
    records_skipped: Counts = field(default_factory=dict)
    #: requests repeated at once after a transient fault, and pages to be retried later
    retries: int = 0
    #: responses that told us to slow down (429, or 503 with Retry-After)
    slowed_down: int = 0
    #: pages with something else instead of their content
    obstructed: int = 0
    #: waits for the turns of hosts
    waited_ms: int = 0
    pages_read: int = 0
    #: CPU time of the reader processes
    parse_cpu_ms: float = 0.0
    #: the greatest memory of a reader process after parsing a page of this run; 0 when unknown
    parse_peak_kb: int = 0
    #: the first oddity found while parsing its pages
    first_note: str | None = None
    #: lines of its log that were not kept
    log_left_out: int = 0
    #: the highest page number that its list names, and the most records on one page of it; 0 when unknown
    list_pages: int = 0
    list_records: int = 0

    def merged(self, other: "RunFigures") -> "RunFigures":
        """The sum of both; `other` is the later."""
        return RunFigures(
            status_codes=_merged_counts(self.status_codes, other.status_codes),
            response_ms=self.response_ms.merged(other.response_ms),
            bytes=self.bytes + other.bytes,
            error_categories=_merged_counts(self.error_categories, other.error_categories),
            errors=_merged_counts(self.errors, other.errors),
            skipped=_merged_counts(self.skipped, other.skipped),
            records_skipped=_merged_counts(self.records_skipped, other.records_skipped),
            retries=self.retries + other.retries,
            slowed_down=self.slowed_down + other.slowed_down,
            obstructed=self.obstructed + other.obstructed,
            waited_ms=self.waited_ms + other.waited_ms,
            pages_read=self.pages_read + other.pages_read,
            parse_cpu_ms=round(self.parse_cpu_ms + other.parse_cpu_ms, 3),
            parse_peak_kb=max(self.parse_peak_kb, other.parse_peak_kb),
            first_note=self.first_note if self.first_note is not None else other.first_note,
            log_left_out=self.log_left_out + other.log_left_out,
            list_pages=max(self.list_pages, other.list_pages),
            list_records=max(self.list_records, other.list_records),
        )

    def top_errors(self, most: int = 5) -> list[tuple[str, int]]:
        """The most frequent errors, with their counts."""
        return sorted(self.errors.items(), key=lambda pair: (-pair[1], pair[0]))[:most]


NO_FIGURES = RunFigures()


def word(text: str) -> str:
    """A text as a key of a table: one line, not too long."""
    return " ".join(text.split())[:_LONGEST_WORD]


def as_metrics(figures: RunFigures) -> dict[str, Any]:
    """The figures for programs, under names that never change."""
    times = figures.response_ms
    return {
        "status_codes": dict(sorted(figures.status_codes.items())),
        "bytes": figures.bytes,
        "response_ms": {
            name: round(value, 1) if value is not None else None
            for name, value in (("min", times.least), ("avg", times.average), ("p95", times.p95), ("max", times.most))
        },
        "error_categories": dict(figures.error_categories),
        "top_errors": [{"error": error, "count": count} for error, count in figures.top_errors()],
        "skipped": dict(figures.skipped),
        "records_skipped": dict(figures.records_skipped),
        "retries": figures.retries,
        "slowed_down": figures.slowed_down,
        "obstructed": figures.obstructed,
        "turn_wait_ms": figures.waited_ms,
        "pages_read": figures.pages_read,
        "parse_cpu_ms": round(figures.parse_cpu_ms, 1),
        "parse_peak_kb": figures.parse_peak_kb or None,
        "log_lines_left_out": figures.log_left_out,
    }


def stored(figures: RunFigures) -> dict[str, Any]:
    """The figures as they are stored: empty values are left out."""
    kept = {each.name: value for each in fields(figures) if (value := getattr(figures, each.name))}
    times = figures.response_ms
    if times.count:
        kept["response_ms"] = {"n": times.count, "sum": times.total, "min": times.least, "max": times.most}
        kept["response_ms"]["buckets"] = {str(bucket): count for bucket, count in times.buckets.items()}
    else:
        kept.pop("response_ms", None)
    return kept


def loaded(kept: Mapping[str, Any] | None) -> RunFigures | None:
    """The stored figures; None when there are none. Keys of later versions are ignored."""
    if kept is None:
        return None
    known = {name: value for name, value in kept.items() if name in _NAMES}
    if (times := known.pop("response_ms", None)) is not None:
        buckets = {int(bucket): count for bucket, count in times["buckets"].items()}
        known["response_ms"] = Times(
            count=times["n"], total=times["sum"], least=times["min"], most=times["max"], buckets=buckets
        )
    return RunFigures(**known)


_NAMES = frozenset(each.name for each in fields(RunFigures))
