"""Visits of pages on their way to the database, and leases for pages that are parsed at once."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from lamplighter import telemetry
from lamplighter.model.host import Host
from lamplighter.model.page import Page
from lamplighter.model.run_log import LogAction
from lamplighter.model.visit import Failed, Fault, Refusal, Refused, Visit
from lamplighter.store.engine.after_commit import after_commit

log = telemetry.logger("fetch")
_SHORT_WAIT = timedelta(milliseconds=10)
_MILLISECOND = timedelta(milliseconds=1)
BY_ROBOTS = (Refusal.ROBOTS, Refusal.ROBOTS_UNREACHABLE)


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

    @property
    def waited_ms(self) -> int | None:
        """How long it waited for the host's turns; None when that was too short to mention."""
        return round(self.waited / _MILLISECOND) if self.waited > _SHORT_WAIT else None


def log_after_commit(visited: PageVisit) -> None:
    """Logs the wait for its turn, and a refusal by robots.txt, once the transaction is committed."""
    url, visit, host, waited_ms = visited.page.url, visited.visit, visited.host.key, visited.waited_ms
    if waited_ms is not None:
        after_commit(lambda: log.debug("turn.waited", host=host, waited_ms=waited_ms, url=url))
    if isinstance(visit, Refused) and visit.reason in BY_ROBOTS:
        reason, detail = visit.reason, visit.detail
        after_commit(lambda: log.warning("robots.refused", url=url, reason=str(reason), detail=detail))


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


def log_action(visit: Failed | Refused, *, again: bool) -> LogAction:
    """The log action of a failed visit."""
    if isinstance(visit, Refused):
        return LogAction.ROBOTS_REFUSED if visit.reason in BY_ROBOTS else LogAction.GATE_REFUSED
    return LogAction.PAGE_RETRIED if again else LogAction.PAGE_FAILED
