"""May we fetch this URL, according to the site's robots.txt, and which line decides?

Parsed once, queried often. Where an escaped character is read differently by RFC 9309 and by Google, whose parser most
files were tested against, the stricter reading counts.
"""

import re
from dataclasses import dataclass

import ada_url

from lamplighter.model.host import RobotsVerdict
from lamplighter.rules.robots import usage
from lamplighter.rules.robots.robots_match import (
    PatternIndex,
    RobotsPattern,
    as_written,
    canonical,
    pattern_of,
    patterns,
    read_alike,
)
from lamplighter.rules.robots.robots_parse import RobotsText, Section, product_token, read_robots

__all__ = ["Robots", "compile_robots", "product_token"]

#: a URL that the URL parser would leave as it is, unless it holds dot segments
_PLAIN = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9/_~.,:;@!()+?=&%-]*)")
_LITERAL_PATH = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://)?[^/?;#]*([^#]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Orders:
    """The compiled rules of the file for one user-agent."""

    #: the verdict for a path that no rule matches
    otherwise: RobotsVerdict
    literal: PatternIndex
    #: the same object as `literal` when both readings agree on every rule
    canonical: PatternIndex
    #: preferences about the use of content, each with the pattern of its path
    usage: tuple[tuple[PatternIndex, str], ...] = ()

    def decider(self, literal_path: str, canonical_path: str) -> RobotsPattern | None:
        """The pattern that decides: of the two readings the one that refuses."""
        first = self.literal.strongest(literal_path)
        if first is not None and not first.rule.allow:
            return first
        if self.canonical is self.literal and canonical_path == literal_path:
            return first
        second = self.canonical.strongest(canonical_path)
        if second is not None and not second.rule.allow:
            return second
        return first or second


_NO_RULES = PatternIndex(())
_NO_ORDERS = _Orders(otherwise=RobotsVerdict(allowed=True), literal=_NO_RULES, canonical=_NO_RULES)


class Robots:
    """A parsed robots.txt that can be queried for any URL of its origin."""

    __slots__ = ("_license", "_orders", "_sections", "sitemaps")

    def __init__(self, text: RobotsText) -> None:
        #: as written, which may be relative, each once
        self.sitemaps: tuple[str, ...] = text.sitemaps
        self._sections = text.sections
        self._license = text.license
        self._orders: dict[str, _Orders] = {}

    def verdict(self, agent_token: str, url: str) -> RobotsVerdict:
        """May this agent (a `product_token`) fetch the URL, which line decides, and how long is the crawl delay?"""
        orders = self._orders.get(agent_token) or self._orders_for(agent_token)
        literal_path, canonical_path = _spellings(url)
        if canonical_path == "/robots.txt":
            return orders.otherwise
        decider = orders.decider(literal_path, canonical_path)
        if decider is None:
            return orders.otherwise
        return RobotsVerdict(
            allowed=decider.rule.allow,
            rule=decider.rule.text,
            line=decider.rule.number,
            group=orders.otherwise.group,
            crawl_delay=orders.otherwise.crawl_delay,
        )

    def usage(self, agent_token: str, url: str) -> str | None:
        """What the site says about using the content at this URL, for `rules.robots.usage`; the longest path wins."""
        said = (self._orders.get(agent_token) or self._orders_for(agent_token)).usage
        if not said:
            return self._license
        path = _spellings(url)[1]
        matching = [(pattern.strongest(path), preference) for pattern, preference in said]
        applying = [(pattern.weight, preference) for pattern, preference in matching if pattern is not None]
        longest = max((weight for weight, _ in applying), default=None)
        return usage.joined(self._license, *(preference for weight, preference in applying if weight == longest))

    def disallowed(self, agent_token: str) -> tuple[str, ...]:
        """The paths that the file forbids this agent, as written, including those that an Allow line permits again."""
        section = self._section_for(agent_token)
        return tuple(rule.path for rule in section.rules if not rule.allow) if section is not None else ()

    def _section_for(self, token: str) -> Section | None:
        """All groups that name us, or those for all agents."""
        return (self._sections.get(token.lower()) if token else None) or self._sections.get("*")

    def _orders_for(self, token: str) -> _Orders:
        """All groups that name us; if none does, those for all agents; if there are none, no rules."""
        section = self._section_for(token)
        if section is None:
            return self._orders.setdefault(token, _NO_ORDERS)
        literal = PatternIndex(patterns(section.rules, as_written))
        group = token if token.lower() in self._sections else "*"
        orders = self._orders[token] = _Orders(
            otherwise=RobotsVerdict(allowed=True, group=group, crawl_delay=section.crawl_delay),
            literal=literal,
            canonical=literal if read_alike(section.rules) else PatternIndex(patterns(section.rules, canonical)),
            usage=tuple((PatternIndex([pattern_of(line.path, canonical)]), line.preference) for line in section.usage),
        )
        return orders


def compile_robots(body: bytes) -> Robots:
    """Parses a robots.txt for queries; never fails, whatever the bytes."""
    return Robots(read_robots(body))


def _spellings(url: str) -> tuple[str, str]:
    """The path with query as written in the URL, and as RFC 9309 compares it."""
    if (plain := _PLAIN.fullmatch(url)) and "/." not in url and "/%2" not in url:
        return plain[1], canonical(plain[1]) if "%" in url else plain[1]
    found = _LITERAL_PATH.match(url)
    literal = found[1] if found else ""
    if not literal.startswith("/"):
        literal = f"/{literal}"
    try:
        parts = ada_url.parse_url(url, ("pathname", "search"))
    except ValueError:
        return literal, literal
    return literal, canonical(parts["pathname"] + parts["search"])
