"""What came of asking for pages, on its way to the database: to who stores it, and from there to who reads it."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from lamplighter.model.host import Host
from lamplighter.model.page import Page
from lamplighter.model.visit import Failed, Fault, Visit


class Answer(NamedTuple):
    """What came of one page, and the host as it stood right after."""

    page: Page
    visit: Visit
    host: Host
    allowed_by: str | None
    #: times that the request was repeated at once after a passing fault
    repeats: int = 0
    #: for the host's turn, all requests together
    waited: timedelta = timedelta(0)
    #: by which the last request went; None when it went directly, or not at all
    proxy_id: int | None = None


def unstorable(answer: Answer, error: Exception) -> Answer:
    """What is stored of an answer that could not be."""
    detail = f"the answer could not be stored: {type(error).__name__}"
    visit = Failed(url=answer.page.url, fault=Fault.UNSTORABLE, detail=detail, at=datetime.now(UTC), took=timedelta(0))
    return answer._replace(visit=visit)


class Limits(NamedTuple):
    """How long to insist."""

    page_retries: int
    max_redirects: int


class ParseLease(NamedTuple):
    """The parse phase of this very process takes the pages at once: they are leased to it as they are stored."""

    owner: str
    until: datetime
