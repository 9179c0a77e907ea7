"""Visits of pages on their way to the database, and leases for pages that are parsed at once."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from lamplighter import telemetry
from lamplighter.model.host import Host
from lamplighter.model.page import HeldBody, Page
from lamplighter.model.run_log import LogAction
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Refusal, Refused, Visit
from lamplighter.rules.robots import terms
from lamplighter.store.engine.after_commit import after_commit
from lamplighter.store.pages.bodies import NewBody
from lamplighter.store.pages.pages import Downloaded

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
    #: sha256 of the fetched body, once it is archived
    body_hash: str | None = None
    #: the key of that body, if the database knows it from another page
    body_key: str | None = None
    #: that body, if the database does not know it yet
    new_body: NewBody | None = None
    #: the place of the fetched body, if it was archived by a process that died before it stored the page
    archived: NewBody | None = None
    #: whether a reader found that another body says the same as the last one that was read
    says_the_same: bool = False

    @property
    def waited_ms(self) -> int | None:
        """How long it waited for the host's turns; None when that was too short to mention."""
        return round(self.waited / _MILLISECOND) if self.waited > _SHORT_WAIT else None

    @property
    def is_same(self) -> bool:
        """Whether body and terms are those last read: the site says so, sent the same bytes, or says the same."""
        page, visit = self.page, self.visit
        if self.says_the_same:
            return True
        if not page.was_read or page.body is None or not isinstance(visit, Fetched | NotModified):
            return False
        is_body = isinstance(visit, NotModified) or self.body_hash == page.body.hash
        return is_body and terms.after(visit, page.body) == terms.of_body(page.body)

    def is_to_be_read(self, *, now: datetime) -> bool:
        """Whether there is a body to be parsed: a new one, or an unchanged one that leads to pages that are due."""
        if not isinstance(self.visit, Fetched | NotModified):
            return False
        return self.leads_on(now=now) or not self.is_same

    def leads_on(self, *, now: datetime) -> bool:
        """Whether pages that it links to are due."""
        return self.page.links_due_at is not None and self.page.links_due_at <= now


def log_after_commit(visited: PageVisit) -> None:
    """Logs the wait for its turn, and a refusal by robots.txt, once the transaction is committed."""
    url, visit, host, waited_ms = visited.page.url, visited.visit, visited.host.key, visited.waited_ms
    if waited_ms is not None:
        after_commit(lambda: log.debug("turn.waited", host=host, waited_ms=waited_ms, url=url))
    if isinstance(visit, Refused) and visit.reason in BY_ROBOTS:
        reason, detail = visit.reason, visit.detail
        after_commit(lambda: log.warning("robots.refused", url=url, reason=str(reason), detail=detail))


def downloaded(page: Page, body: HeldBody, *, seen_hash: str | None = None) -> Downloaded:
    """A fetched page that is to be parsed; `seen_hash` is that of the last reading if it need not be read again."""
    return Downloaded(
        id=page.id,
        source_id=page.source_id,
        run_id=page.run_id,
        url=page.url,
        depth=page.depth,
        hops=page.hops,
        role=page.role,
        body_key=body.key,
        content_type=body.content_type,
        robots_tag=body.robots_tag,
        usage=body.usage,
        crash_count=0,
        seen_hash=seen_hash,
    )


def unstorable(visited: PageVisit, error: Exception) -> PageVisit:
    """The failed visit for one that cannot be stored."""
    detail = f"the response could not be stored: {type(error).__name__}"
    visit = Failed(url=visited.page.url, fault=Fault.UNSTORABLE, detail=detail, at=datetime.now(UTC), took=timedelta(0))
    return visited._replace(visit=visit, body_hash=None, body_key=None, new_body=None)


class RetryLimits(NamedTuple):
    """Limits of retries."""

    page_retries: int
    max_redirects: int


class LeaseTerms(NamedTuple):
    """Who leases pages, and for how long."""

    owner: str
    lasts: timedelta


class ParseLease(NamedTuple):
    """The lease of pages that this process parses at once: they are stored with it."""

    owner: str
    until: datetime


def log_action(visit: Failed | Refused, *, again: bool) -> LogAction:
    """The log action of a failed visit."""
    if isinstance(visit, Refused):
        return LogAction.ROBOTS_REFUSED if visit.reason in BY_ROBOTS else LogAction.GATE_REFUSED
    return LogAction.PAGE_RETRIED if again else LogAction.PAGE_FAILED
