"""What a site may expect: declared by whoever set up both the site and the crawler, never asked of the crawler."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

#: robots.txt is not to be trusted for longer (RFC 9309)
ROBOTS_SECONDS = 24 * 3600.0
#: unless the host's next turn comes only after that: then until so long after it
TURN_SECONDS = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsText:
    """What a site's robots.txt said from some moment on."""

    text: str
    #: on the clock of the log
    since: float = float("-inf")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, on the clock of the log, in which answers may have been lost."""

    begin: float
    end: float

    @classmethod
    def of_death(cls, at: float, *, unsaved_seconds: float = 5.0) -> "Span":
        """What a process that was killed at this moment had been told so shortly before may not have been saved."""
        return cls(at - unsaved_seconds, at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What one host may expect. Times are seconds, moments are on the clock of the log."""

    #: between two requests at least; a Crawl-delay in robots.txt may ask for more
    delay: float
    #: requests at a time at most; with 1 the delay counts from the end of an answer, else from start to start
    concurrency: int = 1
    #: the robots.txt over time; nothing declared means that it forbids nothing, if it is there at all
    robots: Sequence[RobotsText] = ()
    #: the first word of the User-Agent, and the name that robots.txt speaks to
    token: str = "LamplighterBot"
    #: redirects that may be followed one after the other
    max_redirects: int = 5
    #: a request for the target of a redirect that comes later than this does not follow it
    redirect_seconds: float = 60.0
    #: the same page is not asked for again sooner, unless by a conditional request
    revisit: float = 60.0
    #: how long a host is left alone after a 429 that does not say how long
    busy: float = 30.0
    #: no Retry-After is obeyed for longer
    longest_retry_after: float = 24 * 3600.0
    #: Unix time at zero seconds of the log; needed only where a Retry-After is a date
    epoch: float | None = None
    #: values of Authorization and Cookie that this host may be sent besides cookies that it set itself
    credentials: frozenset[str] = frozenset()
    #: paths whose validators need not come back: they lie, or the page was refused and never kept
    unkept: frozenset[str] = frozenset()
    #: paths to which several sources lead, and how many times more each may be asked for before it is known to all
    shared: Mapping[str, int] = field(default_factory=dict)
    #: when answers may have been lost: a process was killed or frozen
    lost: Sequence[Span] = ()
    #: how much later than it was sent a request may have been noted; counts only from start to start
    jitter: float = 0.001
