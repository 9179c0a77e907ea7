"""What became of pages, on its way to the database: visits, readings, or both."""

from typing import NamedTuple

from lamplighter.crawl.fetching import page_visits
from lamplighter.crawl.fetching.page_visits import PageVisit, ParseLease
from lamplighter.crawl.reading.reader_messages import Digest
from lamplighter.model.visit import Failed, Fault
from lamplighter.store.pages.pages import Downloaded


class PageReading(NamedTuple):
    """A page with its reading, or the error."""

    page: Downloaded
    #: of the crawl job
    priority: int
    #: a Digest, or why there is none
    result: Digest | str
    #: records that were read, but could not be stored
    lost: int = 0


class PageResult(NamedTuple):
    """What is to be stored of a page.

    A visit and its reading are stored together if this process has both in time. A visit alone makes the page
    `downloaded` if it is yet to be read; then the reading comes alone later.
    """

    visited: PageVisit | None
    reading: PageReading | None = None
    #: under which this process reads the page, if it is stored before it was read; None when any process may
    lease: ParseLease | None = None


def unstorable(result: PageResult, error: Exception) -> PageResult:
    """What is stored in place of a result that cannot be stored: without its records, then without its response."""
    reading, visited = result.reading, result.visited
    if reading is not None and isinstance(reading.result, Digest):
        lost = len(reading.result.records) + len(reading.result.skipped)
        detail = f"the extracted data could not be stored: {type(error).__name__}"
        return result._replace(reading=reading._replace(result=detail, lost=lost))
    if visited is not None and not is_given_up(visited):
        return PageResult(page_visits.unstorable(visited, error))
    return result


def is_given_up(visited: PageVisit) -> bool:
    """Whether it is what is left of a visit that could not be stored."""
    return isinstance(visited.visit, Failed) and visited.visit.fault is Fault.UNSTORABLE
