"""A reader process: parses batches of bodies from standard input, writes digests to standard output, until input ends.

Run as `python -m lamplighter.crawl.reading.reader` by `reader_pool`. It imports only what parsing needs, so that it
starts in a fraction of the service's time and uses a fraction of its memory.
"""

import ctypes
import gc
import os
import pickle
import resource
import signal
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import BinaryIO, NamedTuple

from lamplighter.crawl.reading import lessons
from lamplighter.crawl.reading.reader_messages import (
    HEADER,
    Digest,
    Effort,
    LessonDigest,
    LessonWork,
    PageWork,
    ShownWork,
)
from lamplighter.model.reading import Link, PageRole, Reading, RowPosition
from lamplighter.model.record import LEAST_CONFIDENCE, Method, Record, RecordKind, RejectedRecord
from lamplighter.normalise.dates.dates import read_when
from lamplighter.normalise.records import to_records
from lamplighter.rules.robots import usage
from lamplighter.rules.urls import scope

#: confidence that a posting without an organisation is its source's own
OF_THE_SOURCE = 0.3
_GUESS = f"a guess, less than {LEAST_CONFIDENCE:.0%} sure"
#: templates of one source whose lists are remembered
MOST_LISTS = 20
#: objects made before the youngest are looked through for garbage: a page makes tens of thousands, all of them needed
_YOUNG = 50_000
#: a page that needs more memory than this kills its reader, not the machine
MEMORY_BYTES = 2 * 1024**3


def main() -> None:
    """Parses all batches."""
    _prepare()
    # What a library prints must not end up among the digests.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    answers.write(HEADER.pack(0))  # ready
    answers.flush()
    while (message := _receive(sys.stdin.buffer)) is not None:
        work, now = pickle.loads(message)
        answer = pickle.dumps(_answer(work, now), protocol=pickle.HIGHEST_PROTOCOL)
        answers.write(HEADER.pack(len(answer)) + answer)
        answers.flush()


def _answer(work: list[PageWork] | LessonWork | ShownWork, now: datetime) -> list[Digest] | LessonDigest | str:
    match work:
        case LessonWork():
            return lessons.teach(work, lambda page, reading: digest_of(page, reading, now))
        case ShownWork():
            return lessons.shown(work)
        case _:
            return read_batch(work, now)


def read_batch(batch: Iterable[PageWork], now: datetime) -> list[Digest]:
    """Parses pages in order, and measures the time of each."""
    digests = []
    # One page begins where the last ends: one measurement between two pages is enough.
    began_at, before = time.time(), _used()
    for work in batch:
        read = digest(work, now)
        ended_at, after = time.time(), _used()
        took_ms = max(0.0, ended_at - began_at) * 1000
        cpu_ms = (after.cpu_seconds - before.cpu_seconds) * 1000
        digests.append(read._replace(effort=Effort(round(cpu_ms, 3), after.peak_kb, began_at, round(took_ms, 3))))
        began_at, before = ended_at, after
    return digests


class _Used(NamedTuple):
    """CPU and memory used so far."""

    cpu_seconds: float
    peak_kb: int


def _used() -> _Used:
    used = resource.getrusage(resource.RUSAGE_SELF)
    # Linux counts kibibytes, macOS bytes.
    peak_kb = used.ru_maxrss // 1024 if sys.platform == "darwin" else used.ru_maxrss
    return _Used(used.ru_utime + used.ru_stime, peak_kb)


def _receive(stream: BinaryIO) -> bytes | None:
    header = stream.read(HEADER.size)
    return stream.read(HEADER.unpack(header)[0]) if len(header) == HEADER.size else None


def _prepare() -> None:
    """Makes the reader ignore Ctrl-C, end with its parent, and keep to a memory limit."""
    # What is loaded by now stays: collecting it would cost some pages 50 ms.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def digest(work: PageWork, now: datetime) -> Digest:
    """Parses a page's body into records and links."""
    return digest_of(work, lessons.read(work), now)


def digest_of(work: PageWork, reading: Reading, now: datetime) -> Digest:
    """The clean records of a page that was read, and the links that may be followed."""
    if reading.is_same:
        return Digest(work.page_id, reading.content_hash, [], [], [], [], (), is_same=True)
    expires_at = _expiry(reading, now)
    unwanted = _unwanted(reading, expires_at, now)
    records: list[Record] = []
    skipped: list[RejectedRecord] = []
    for made in to_records(
        reading.records, page_url=work.url, source_url=work.source_url, language=reading.language, seen_at=now
    ):
        if isinstance(made, RejectedRecord):
            skipped.append(made)
        elif unwanted is not None:
            skipped.append(RejectedRecord(reason=unwanted, title=made.title))
        elif made.confidence < LEAST_CONFIDENCE:
            skipped.append(RejectedRecord(reason=_GUESS, title=made.title, guess=made))
        else:
            records.append(_with_conditions(made, reading, expires_at))
    leading_on = _leading_on(reading, work)
    links = scope.in_scope(leading_on, depth=work.depth, scope=work.scope, now=now)
    too_deep = scope.too_deep(leading_on, depth=work.depth, scope=work.scope)
    return Digest(
        page_id=work.page_id,
        content_hash=reading.content_hash,
        records=_with_organisation(records, work.organisation),
        skipped=skipped,
        links=[link.url for link in links if link.role is not PageRole.LISTING],
        listings=[link.url for link in links if link.role is PageRole.LISTING],
        # A recipe is written for the listing; ignore what it does not find on linked pages.
        warnings=reading.warnings + (reading.recipe_warnings if work.depth == 0 else ()),
        # As plain text: what is of the reader's own types would be loaded by the service, with all that finds it.
        obstacle=str(reading.obstacle) if reading.obstacle is not None else None,
        because=reading.because,
        seen_hash=reading.seen_hash,
        list_at=_news(reading.list_at, work.lists),
        usage=reading.usage,
        noarchive=reading.directives.noarchive,
        ttl=reading.ttl,
        changed_at={link.url: link.changed_at for link in links if link.changed_at is not None},
        yields=work.role is PageRole.LINK and work.recipe.is_final,
        is_partial=work.recipe.api is not None and work.recipe.api.since is not None,
        feeds=reading.feeds,
        list_pages=reading.list_pages if work.role is not PageRole.LINK else 0,
        too_deep=too_deep,
        elsewhere=len(leading_on) - len(links) - too_deep,
    )


def _news(found: RowPosition | None, known: Mapping[str, RowPosition]) -> RowPosition | None:
    """Where the list is, if that is not known and there is room to remember it."""
    if found is None or known.get(found.template) == found:
        return None
    return found if found.template in known or len(known) < MOST_LISTS else None


def _leading_on(reading: Reading, work: PageWork) -> tuple[Link, ...]:
    """The page's links. Listings of a sitemap index found in another index count as links, one level deeper:
    so the depth limit ends a chain of indexes. A recipe that has all from its API needs no linked pages."""
    if work.recipe.is_final and not work.recipe.include:
        return tuple([link for link in reading.links if link.role is PageRole.LISTING])
    if work.role is not PageRole.LISTING or reading.next_page is not None:
        return reading.links
    return tuple(
        [replace(link, role=PageRole.LINK) if link.role is PageRole.LISTING else link for link in reading.links]
    )


def _with_organisation(records: list[Record], organisation: str | None) -> list[Record]:
    """The records with the source's organisation, if they are postings of a page that names no other.

    It is no part of their content: where the posting's own page names another, that one counts.
    """
    if organisation is None or any(record.organisation for record in records):
        return records
    origin = (Method.SOURCE.value, OF_THE_SOURCE)
    return [
        replace(record, organisation=organisation, provenance={**record.provenance, "organisation": origin})
        if record.kind is RecordKind.JOB
        else record
        for record in records
    ]


def _expiry(reading: Reading, now: datetime) -> datetime | None:
    """The page's `unavailable_after` time; None when it has none, or one that cannot be parsed."""
    written = reading.directives.unavailable_after
    when = read_when(written, language="en", seen_at=now) if written else None
    return when.moment if when is not None else None


def _unwanted(reading: Reading, expires_at: datetime | None, now: datetime) -> str | None:
    """Why this page's records must not be stored; None when they may."""
    if reading.directives.noindex:
        return "the page asks not to be indexed"
    if expires_at is not None and expires_at <= now:
        return f"the page asked to be forgotten after {reading.directives.unavailable_after}"
    if usage.forbids_search(reading.usage):
        return "its owner does not want it searchable"
    return None


def _with_conditions(record: Record, reading: Reading, expires_at: datetime | None) -> Record:
    """The record with its page's expiry and usage terms."""
    if reading.usage is None and expires_at is None:
        return record
    fields = {**record.fields, "usage": usage.as_mapping(reading.usage)} if reading.usage else record.fields
    return replace(record, fields=fields, expires_at=expires_at)


if __name__ == "__main__":
    main()
