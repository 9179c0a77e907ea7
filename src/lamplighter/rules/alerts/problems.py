"""Groups sources that need a person by their cause, and says it in a sentence."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

from lamplighter.errors import NotFound
from lamplighter.model.alert import ProblemKind, Snooze, TroubledSource
from lamplighter.model.crawl import PauseReason, RunAdvice, RunOutcome
from lamplighter.model.visit import Refusal
from lamplighter.rules.formats.plural import counted
from lamplighter.rules.hosts import host_causes
from lamplighter.rules.pages import cut_short
from lamplighter.rules.urls import urls

#: so many sources of one host and cause are told of together
_FEWEST_TOGETHER = 2
_ADVICE = (ProblemKind.MOVED, ProblemKind.CUT)
_ROBOTS_RULE = re.compile(r"robots disallow: (['\"])(?:dis?allow:\s*)?(?P<rule>.*?)\1 \(", re.IGNORECASE)
_REASON = re.compile(r"[a-z][a-z_]+")
_KEY = re.compile(r"(?P<kind>[a-z]+)-(?P<digest>[0-9a-f]{12})-(?P<host>.{1,300})")


class Remedy(StrEnum):
    """What an operator can do about a problem, for all of its sources at once."""

    RETRY = "retry"
    FOLLOW = "follow"
    MORE_PAGES = "more_pages"
    PAUSE = "pause"


REMEDIES: Mapping[ProblemKind, tuple[Remedy, ...]] = {
    ProblemKind.HOST: (Remedy.RETRY, Remedy.PAUSE),
    ProblemKind.SOURCE: (Remedy.RETRY, Remedy.PAUSE),
    ProblemKind.DRIFT: (Remedy.RETRY, Remedy.PAUSE),
    ProblemKind.ROBOTS: (Remedy.RETRY, Remedy.PAUSE),
    ProblemKind.TAKEDOWN: (Remedy.PAUSE,),
    ProblemKind.MOVED: (Remedy.FOLLOW, Remedy.PAUSE),
    ProblemKind.CUT: (Remedy.MORE_PAGES, Remedy.PAUSE),
}


class BlockedHost(Protocol):
    """A host that gets no requests for a while, and how many sources wait for it."""

    @property
    def key(self) -> str: ...
    @property
    def blocked_until(self) -> datetime | None: ...
    @property
    def block_reason(self) -> str | None: ...
    @property
    def waiting(self) -> int: ...


class Cause(NamedTuple):
    """Why sources need a person: those with an equal cause are one problem."""

    kind: ProblemKind
    host: str
    #: what the host does, the reason of the runs, the rule of robots.txt, or the new host
    text: str
    #: the id of a source that stands for itself; empty where sources are told of together
    alone: str = ""

    @property
    def key(self) -> str:
        """Names the cause in addresses; another cause has another key."""
        digest = hashlib.sha256(f"{self.text}\n{self.alone}".encode()).hexdigest()[:12]
        return f"{self.kind}-{digest}-{self.host}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Sources that need a person for the same cause."""

    cause: Cause
    #: the one that failed most often first; empty when sources only wait for the host
    sources: Sequence[TroubledSource]
    #: further sources, which wait for the host
    waiting: int = 0
    #: when the host gets requests again; None when it is not blocked
    until: datetime | None = None

    @property
    def key(self) -> str:
        """Names it in addresses."""
        return self.cause.key

    @property
    def kind(self) -> ProblemKind:
        """What is wrong."""
        return self.cause.kind

    @property
    def is_advice(self) -> bool:
        """Whether nothing is broken: runs could bring more, or take less."""
        return self.kind in _ADVICE

    @property
    def is_group(self) -> bool:
        """Whether it concerns several sources."""
        return len(self.sources) + self.waiting >= _FEWEST_TOGETHER

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """What can be done; nothing about sources that only wait."""
        return REMEDIES[self.kind] if self.sources else ()

    @property
    def records(self) -> int:
        """How many records its sources showed last, which are not renewed meanwhile."""
        return sum(source.records_shown or 0 for source in self.sources)

    @property
    def oldest_visit(self) -> datetime | None:
        """When the content was last seen of the source that has waited longest; None if of none."""
        return min((source.visited_at for source in self.sources if source.visited_at), default=None)

    @property
    def most_pages(self) -> int:
        """The greatest page budget of the latest runs."""
        return max((source.page_budget or 0 for source in self.sources), default=0)

    @property
    def title(self) -> str:
        """The problem in a sentence."""
        return _title(self)


def grouped(sources: Iterable[TroubledSource], blocked: Sequence[BlockedHost]) -> list[Problem]:
    """The problems: those of several sources, the most first; then single sources in their order; then advice.

    Sources that wait for a host are counted once.
    """
    groups: dict[Cause, list[TroubledSource]] = defaultdict(list)
    for source in sources:
        groups[cause_of(source)].append(source)
    hosts = {host.key: host for host in blocked}
    found = []
    for cause, members in sorted(groups.items(), key=lambda group: -len(group[1])):
        host = hosts.pop(cause.host, None) if cause.kind is ProblemKind.HOST else None
        found.append(_problem(cause, members, host))
    for host in hosts.values():
        if host.waiting:
            cause = Cause(ProblemKind.HOST, host.key, host_causes.of_block(host.block_reason))
            found.append(_problem(cause, (), host))
    # Stable: single sources stay in the order in which they press.
    return sorted(found, key=lambda problem: (problem.is_advice, -len(problem.sources) - problem.waiting))


def _problem(cause: Cause, members: Sequence[TroubledSource], host: BlockedHost | None) -> Problem:
    waiting, until = (host.waiting, host.blocked_until) if host is not None else (0, None)
    return Problem(cause=cause, sources=members, waiting=waiting, until=until)


def cause_of(source: TroubledSource) -> Cause:
    """Why a source needs a person."""
    host = source.host or urls.parse(source.url).host_key
    if source.pause_reason is PauseReason.TAKEDOWN:
        return Cause(ProblemKind.TAKEDOWN, host, "is on the takedown list")
    message = source.message or ""
    if source.pause_reason is PauseReason.ROBOTS or message.startswith(f"{Refusal.ROBOTS}:"):
        rule = _ROBOTS_RULE.search(message)
        return Cause(ProblemKind.ROBOTS, host, rule["rule"] if rule is not None else "")
    if source.outcome is RunOutcome.FAIL:
        cause = host_causes.of_message(message)
        if cause is not None:
            return Cause(ProblemKind.HOST, host, cause)
        reason = message.partition(":")[0]
        if _REASON.fullmatch(reason):
            return Cause(ProblemKind.SOURCE, host, reason)
    elif source.last_drifted:
        return Cause(ProblemKind.DRIFT, host, "drift")
    elif source.last_advice is RunAdvice.MOVED and source.moved_to is not None:
        return Cause(ProblemKind.MOVED, host, urls.parse(source.moved_to).host_key)
    elif source.last_advice is RunAdvice.MAX_PAGES:
        return Cause(ProblemKind.CUT, host, "cut short")
    return Cause(ProblemKind.SOURCE, host, "", source.public_id)


def host_of(key: str) -> str:
    """The host of the problem with this key."""
    found = _KEY.fullmatch(key)
    if found is None or found["kind"] not in set(ProblemKind):
        raise NotFound(f"there is no problem {key[:100]!r}; the page Attention lists them", code="problem_not_found")
    return found["host"]


def is_snoozed(snooze: Snooze | None, *, since: datetime | None, now: datetime) -> bool:
    """Whether a problem is hidden: until the snooze ends, or until it goes away and comes again."""
    if snooze is None or snooze.until <= now:
        return False
    return since is None or since <= snooze.snoozed_at


def pages_to_propose(problem: Problem) -> int:
    """A page budget that gives runs which were cut short much more room."""
    return max(100, 5 * problem.most_pages)


def _title(problem: Problem) -> str:
    cause, number = problem.cause, len(problem.sources)
    many = f"{counted(number, 'source')} of {cause.host}"
    match cause.kind:
        case ProblemKind.HOST:
            return host_causes.sentence(cause.host, cause.text, failing=number, waiting=problem.waiting)
        case ProblemKind.ROBOTS:
            rule = f"disallows {cause.text}" if cause.text else "disallows the URL"
            return f"robots.txt of {cause.host} {rule}: {counted(number, 'source')} blocked"
        case ProblemKind.TAKEDOWN:
            return f"{many} {_is(number)} on the takedown list"
    first = problem.sources[0]
    if number > 1:
        return f"{many} {_together(problem)}"
    match cause.kind:
        case ProblemKind.DRIFT:
            return f"{first.name}: {(first.message or 'shows far less than usual').partition(';')[0]}"
        case ProblemKind.MOVED:
            return f"{first.name} moved for good to {first.moved_to}"
        case ProblemKind.CUT:
            note = (cut_short.note_in(first.message) or "cut short").partition(": raise")[0]
            return f"{first.name} is {note}"
    reason = cause.text.replace("_", " ")
    return f"{first.name} fails: {reason}" if reason else f"{first.name} fails"


def _together(problem: Problem) -> str:
    match problem.kind:
        case ProblemKind.DRIFT:
            return "show far less than usual: their extractors may be broken"
        case ProblemKind.MOVED:
            return f"moved for good to {problem.cause.text}"
        case ProblemKind.CUT:
            return f"are cut short at {counted(problem.most_pages, 'page')}"
    return f"fail: {problem.cause.text.replace('_', ' ')}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
