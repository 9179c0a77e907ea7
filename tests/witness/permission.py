"""Whether a page may be asked for at all: robots.txt is known, not too old, and allows it."""

from tests.witness.lines import ROBOTS, Line, over_at
from tests.witness.policy import ROBOTS_SECONDS, TURN_SECONDS, Policy
from tests.witness.robots import Rules, rules_for
from tests.witness.rule import Breach

_NO_RULES = Rules()


class Copies:
    """The robots.txt that the crawler can know, by what it was answered last."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        #: the last answer; None before there was any
        self.line: Line | None = None
        #: None while robots.txt cannot be had: nothing may be asked then
        self.rules: Rules | None = None

    @property
    def crawl_delay(self) -> float:
        """Seconds, 0 if none is asked for."""
        return self.rules.crawl_delay if self.rules is not None else 0.0

    def answered(self, line: Line) -> None:
        """Takes the answer for the new copy, if it is one to a request for robots.txt."""
        if line.path == ROBOTS:
            self.line, self.rules = line, self._read(line)

    def _read(self, line: Line) -> Rules | None:
        """Missing means that there are no rules; broken or busy, that nobody knows them (RFC 9309, 429 as Google)."""
        status = line.status
        if line.answered is None or status is None or status == 429 or status >= 500:
            return None
        if status >= 400:
            return _NO_RULES
        texts = [each for each in self._policy.robots if each.since <= over_at(line)]
        newest = max(texts, key=lambda each: each.since, default=None)
        return rules_for(self._policy.token, newest.text) if newest is not None else _NO_RULES


class RobotsFirst:
    """No page is asked for before robots.txt, nor while it cannot be had."""

    name = "a page before robots.txt was known"

    def __init__(self, _: Policy, copies: Copies) -> None:
        self._copies = copies

    def asked(self, line: Line) -> Breach | None:
        if line.path == ROBOTS or self._copies.rules is not None:
            return None
        if self._copies.line is None:
            return Breach("robots.txt was not answered yet")
        return Breach("robots.txt could not be fetched", self._copies.line)


class RobotsFresh:
    """No copy of robots.txt is trusted for more than 24 hours; where the delay is longer, for no second turn."""

    name = "robots.txt older than 24 hours"

    def __init__(self, policy: Policy, copies: Copies) -> None:
        self._policy, self._copies = policy, copies

    def asked(self, line: Line) -> Breach | None:
        copy = self._copies.line
        trusted = max(ROBOTS_SECONDS, max(self._policy.delay, self._copies.crawl_delay) + TURN_SECONDS)
        if line.path == ROBOTS or copy is None or line.arrived - over_at(copy) <= trusted:
            return None
        return Breach(f"the copy was {(line.arrived - over_at(copy)) / 3600:.1f} hours old", copy)


class Allowed:
    """No page is asked for that the copy of robots.txt forbids."""

    name = "robots.txt forbids it"

    def __init__(self, policy: Policy, copies: Copies) -> None:
        self._policy, self._copies = policy, copies

    def asked(self, line: Line) -> Breach | None:
        rules = self._copies.rules
        if rules is None or not rules.paths or not rules.forbids(line.path):
            return None
        return Breach(f"{line.path} is not for {self._policy.token}", self._copies.line)
