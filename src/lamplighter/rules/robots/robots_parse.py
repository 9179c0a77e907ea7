"""Parses a robots.txt into sections by user-agent.

Follows RFC 9309 and forgives what Google's parser forgives. Lines are kept as Latin-1 text, one character per octet, so
that octets which are no UTF-8 still compare exactly.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import ROUND_CEILING, Decimal
from enum import Enum, auto

from lamplighter.rules.robots import usage

#: RFC 9309 2.5 requires at least this; the rest of a longer file is not read
MAX_BYTES = 500 * 1024

#: octets of a line; like Google's parser we cut what is longer, for no URL can be that long
_LONGEST_LINE = 2083 * 8 - 1
#: in one group
_MOST_USAGE_LINES = 200
_LONGEST_CRAWL_DELAY = timedelta(days=30)
_MILLISECOND = Decimal("0.001")
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_PRODUCT_TOKEN = re.compile(r"[A-Za-z_-]*")
_WHITESPACE = " \t\v\f"
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_HTML = re.compile(rb"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)


class _Key(Enum):
    USER_AGENT = auto()
    ALLOW = auto()
    DISALLOW = auto()
    SITEMAP = auto()
    CRAWL_DELAY = auto()
    CONTENT_USAGE = auto()
    CONTENT_SIGNAL = auto()
    LICENSE = auto()


#: A key counts when it begins with one of these, so that plurals and the usual typos are understood.
_SPELLINGS = {
    _Key.USER_AGENT: ("user-agent", "useragent", "user agent"),
    _Key.ALLOW: ("allow",),
    _Key.DISALLOW: (
        *("disallow", "dissallow", "dissalow", "disalow"),
        *("diasllow", "diaslow", "disallaw"),
    ),
    _Key.SITEMAP: ("sitemap", "site-map"),
    _Key.CRAWL_DELAY: ("crawl-delay", "crawldelay", "crawl delay"),
    _Key.CONTENT_USAGE: ("content-usage",),
    _Key.CONTENT_SIGNAL: ("content-signal",),
    _Key.LICENSE: ("license",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLine:
    """An Allow or Disallow line with a path."""

    allow: bool
    #: as written; operators not yet parsed
    path: str
    #: the whole line as written, without its comment
    text: str
    #: from 1
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageLine:
    """What may be done with the content of the paths that match."""

    #: as written, like that of a rule; "/" when the line names none
    path: str
    #: as `rules.robots.usage` keeps it
    preference: str


@dataclass(slots=True)
class Section:
    """All that a file says to one user-agent, its groups already combined."""

    rules: list[RuleLine] = field(default_factory=list)
    usage: list[UsageLine] = field(default_factory=list)
    #: the longest one given; None when there is none
    crawl_delay: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsText:
    """A parsed robots.txt."""

    #: by product token in lower case, or "*"
    sections: dict[str, Section]
    sitemaps: tuple[str, ...]
    #: the licence that holds for the whole site, as `rules.robots.usage` keeps it; None when there is none
    license: str | None = None


def product_token(user_agent: str) -> str:
    """The part of a user-agent that robots.txt addresses: 'LamplighterBot/1.0 (+…)' gives 'LamplighterBot'."""
    found = _PRODUCT_TOKEN.match(user_agent)
    return found[0] if found else ""


def read_robots(body: bytes) -> RobotsText:
    """Parses a robots.txt; lines that cannot be parsed are skipped."""
    reader = _Reader()
    for number, key, value, text in _directives(_readable(body)):
        reader.take(number, key, value, text)
    return RobotsText(sections=reader.sections, sitemaps=tuple(dict.fromkeys(reader.sitemaps)), license=reader.license)


class _Reader:
    """Remembers to which user-agents the current lines apply."""

    def __init__(self) -> None:
        self.sections: dict[str, Section] = {}
        self.sitemaps: list[str] = []
        self.license: str | None = None
        self._agents: list[str] = []
        self._agents_closed = False
        # A Crawl-delay or a Content-Usage is no rule of the RFC and must not end a group. Yet an author who writes one
        # for an agent and then names the next means the first alone: these go to the agents named directly above them.
        self._nearest_agents: list[str] = []
        self._nearest_closed = False

    def take(self, number: int, key: _Key, value: str, text: str) -> None:
        match key:
            case _Key.USER_AGENT:
                self._speak_to(_agent(value))
            case _Key.ALLOW | _Key.DISALLOW:
                self._agents_closed = self._nearest_closed = True
                self._add_rule(RuleLine(allow=key is _Key.ALLOW, path=value, text=text, number=number))
            case _Key.CRAWL_DELAY:
                self._nearest_closed = True
                self._add_delay(_crawl_delay(value))
            case _Key.SITEMAP if value:
                self.sitemaps.append(_as_text(value))
            case _Key.CONTENT_USAGE | _Key.CONTENT_SIGNAL if value:
                self._add_usage("content-usage" if key is _Key.CONTENT_USAGE else "content-signal", _as_text(value))
            case _Key.LICENSE if value:
                self.license = usage.line("robots", "license", _as_text(value))

    def _speak_to(self, agent: str) -> None:
        if self._agents_closed:
            self._agents, self._agents_closed = [], False
        if self._nearest_closed:
            self._nearest_agents, self._nearest_closed = [], False
        self._agents.append(agent)
        self._nearest_agents.append(agent)
        self.sections.setdefault(agent, Section())

    def _add_rule(self, rule: RuleLine) -> None:
        if not rule.path:  # "Disallow:" allows everything, which is the default
            return
        for agent in dict.fromkeys(self._agents):
            self.sections[agent].rules.append(rule)

    def _add_usage(self, vocabulary: str, value: str) -> None:
        self._nearest_closed = True
        path, preference = (*value.split(None, 1), "")[:2] if value.startswith("/") else ("/", value)
        for agent in dict.fromkeys(self._nearest_agents):
            if len(self.sections[agent].usage) < _MOST_USAGE_LINES:
                said = UsageLine(path=path, preference=usage.line("robots", vocabulary, preference))
                self.sections[agent].usage.append(said)

    def _add_delay(self, delay: timedelta | None) -> None:
        if delay is None:
            return
        for agent in self._nearest_agents:
            section = self.sections[agent]
            section.crawl_delay = max(delay, section.crawl_delay or delay)


def _readable(body: bytes) -> bytes:
    """The part of the body that counts, as octets of UTF-8 or of another superset of ASCII."""
    if body.startswith(_UTF16_BOMS):
        body = body.decode("utf-16", "replace").encode()
    body = _without_bom(body)
    if _HTML.match(body):
        return b""
    if len(body) > MAX_BYTES:
        body = _whole_lines(body)
    return body.replace(b"\0", b"")


def _without_bom(body: bytes) -> bytes:
    """The body without a byte order mark; half a mark is skipped like a whole one."""
    for length in (3, 2, 1):
        if body.startswith(_UTF8_BOM[:length]):
            return body[length:]
    return body


def _whole_lines(body: bytes) -> bytes:
    """The lines that end within the limit: half a line may say the opposite of the whole."""
    if body[MAX_BYTES : MAX_BYTES + 1] in (b"\r", b"\n"):
        return body[:MAX_BYTES]
    end = max(body.rfind(b"\n", 0, MAX_BYTES), body.rfind(b"\r", 0, MAX_BYTES))
    return body[: end + 1]


def _directives(body: bytes) -> Iterator[tuple[int, _Key, str, str]]:
    """The lines with directives: number, key, value, and the line as written."""
    for number, octets in enumerate(body.splitlines(), start=1):
        line = octets[:_LONGEST_LINE].decode("latin-1").partition("#")[0].strip(_WHITESPACE)
        name, value = _name_and_value(line)
        key = _key(name.lower())
        if key is not None:
            yield number, key, value, _as_text(line)


def _name_and_value(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if colon:
        return name.strip(_WHITESPACE), value.strip(_WHITESPACE)
    # Some authors forget the colon: then there must be exactly two words.
    words = line.split()
    return (words[0], words[1]) if len(words) == 2 else ("", "")


def _key(name: str) -> _Key | None:
    for key, spellings in _SPELLINGS.items():
        if name.startswith(spellings):
            return key
    return None


def _agent(value: str) -> str:
    if value == "*" or value.startswith(("* ", "*\t")):
        return "*"
    return product_token(value).lower()


def _crawl_delay(value: str) -> timedelta | None:
    """Seconds, rounded up to the millisecond: never less than the site asked for."""
    if _SECONDS.fullmatch(value) is None:
        return None
    seconds = min(Decimal(value), Decimal(_LONGEST_CRAWL_DELAY.total_seconds()))
    return timedelta(milliseconds=int(seconds.quantize(_MILLISECOND, rounding=ROUND_CEILING) * 1000))


def _as_text(octets: str) -> str:
    return octets.encode("latin-1").decode("utf-8", "replace")
