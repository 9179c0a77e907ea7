"""Reads a log in the order in which things happened, and asks every rule about every line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from operator import attrgetter

from tests.witness.lines import Line, as_text, over_at
from tests.witness.manners import Chains, Delays, FewRedirects, FollowedLater, Named, OnlyGet, OwnCredentials
from tests.witness.pace import Concurrency, Gap, RetryAfter
from tests.witness.permission import Allowed, Copies, RobotsFirst, RobotsFresh
from tests.witness.policy import Policy
from tests.witness.rule import Breach, Rule
from tests.witness.thrift import Conditional, Once, OwnValidators

#: every rule that needs no more than one host's lines; redirects lead from host to host
RULES = (
    RobotsFirst,
    RobotsFresh,
    Allowed,
    Gap,
    Concurrency,
    RetryAfter,
    Conditional,
    OwnValidators,
    Once,
    OnlyGet,
    Named,
    OwnCredentials,
)
#: in place of a host: the policy of all hosts that have none of their own
ANY_HOST = "*"
UNDECLARED = "a host for which nothing was declared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A request that should not have been made, or not then."""

    rule: str
    host: str
    #: with the figures of this case
    why: str
    #: the line that made it one, if any, and the request
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n    ".join([f"{self.host}: {self.rule}: {self.why}", *self.lines])


class Witness:
    """Judges lines as they come: in order of arrival for each host, each when it is over or nothing is left to come."""

    def __init__(self, policies: Mapping[str, Policy]) -> None:
        self._policies = policies
        self._chains, self._delays = Chains(), Delays()
        self._hosts: dict[str, _Host | None] = {}
        self.found: list[Violation] = []

    def see(self, line: Line) -> None:
        """Judges one more line."""
        name = line.headers.get("host", "")
        if name not in self._hosts:
            self._hosts[name] = self._introduce(name, line)
        host = self._hosts[name]
        if host is not None:
            for rule, breach in host.breaches(line):
                self._note(rule, name, breach, line)

    def _introduce(self, name: str, line: Line) -> "_Host | None":
        policy = self._policies.get(name) or self._policies.get(ANY_HOST)
        if policy is None:
            self._note(UNDECLARED, name, Breach("the first request to it"), line)
            return None
        return _Host(policy, self._chains, self._delays)

    def _note(self, rule: str, host: str, breach: Breach, line: Line) -> None:
        lines = tuple(as_text(each) for each in (breach.because_of, line) if each is not None)
        self.found.append(Violation(rule=rule, host=host, why=breach.why, lines=lines))


class _Host:
    """One host's lines so far, and the answers that are still to come."""

    def __init__(self, policy: Policy, chains: Chains, delays: Delays) -> None:
        copies = Copies(policy)
        self._rules: list[Rule] = [rule(policy, copies) for rule in RULES]
        self._rules += [FewRedirects(policy, chains), FollowedLater(policy, delays)]
        hears = (getattr(rule, "answered", None) for rule in self._rules)
        self._hearers = [copies.answered, *(hear for hear in hears if hear is not None)]
        self._pending: list[tuple[float, int, Line]] = []
        self._count = count()

    def breaches(self, line: Line) -> Iterable[tuple[str, Breach]]:
        """The rules that this request breaks, judged by the answers that were there when it was made."""
        pending = self._pending
        while pending and pending[0][0] <= line.arrived:
            _, _, over = heappop(pending)
            for hear in self._hearers:
                hear(over)
        heappush(pending, (over_at(line), next(self._count), line))
        return [(rule.name, breach) for rule in self._rules if (breach := rule.asked(line)) is not None]


def violations(log: Iterable[Line], policies: Mapping[str, Policy]) -> list[Violation]:
    """Every violation in a log, in the order of the requests; `policies` are by `host:port`, or `*` for all others."""
    witness = Witness(policies)
    for line in sorted(log, key=attrgetter("arrived")):
        witness.see(line)
    return witness.found


def report(found: Iterable[Violation]) -> str:
    """Violations for people to read."""
    return "\n".join(str(violation) for violation in found)
