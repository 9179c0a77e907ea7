"""Visits of pages on their way to the database, and leases for pages that are parsed at once."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from lamplighter.model.host import Host
from lamplighter.model.page import Page
from lamplighter.model.visit import Failed, Fault, Visit


class PageVisit(NamedTuple):
    """The visit of one page, and the host's state right after."""

    page: Page
    visit: Visit
    host: Host
    allowed_by: str | None
    #: times that the request was retried at once after a transient fault
    repeats: int = 0
    #: for the host's turns, over all requests
    waited: timedelta = timedelta(0)
    #: the proxy of the last request; None if it was sent directly, or not at all
    proxy_id: int | None = None


def unstorable(visited: PageVisit, error: Exception) -> PageVisit:
    """The failed visit for one that cannot be stored."""
    detail = f"the response could not be stored: {type(error).__name__}"
    visit = Failed(url=visited.page.url, fault=Fault.UNSTORABLE, detail=detail, at=datetime.now(UTC), took=timedelta(0))
    return visited._replace(visit=visit)


class RetryLimits(NamedTuple):
    """Limits of retries."""

    page_retries: int
    max_redirects: int


class ParseLease(NamedTuple):
    """The lease of pages that this process parses at once: they are stored with it."""

    owner: str
    until: datetime
