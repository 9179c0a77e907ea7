"""Just enough of RFC 9309 to say what a robots.txt forbids.

Written anew here, so that a mistake of the crawler's is not made twice.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

#: what stands in a path as itself; everything else is compared as escaped
_AS_IS = "!#$&'()*+,/:;=?@[]~%-._"


@dataclass(frozen=True, slots=True)
class Rules:
    """What a robots.txt says to one crawler."""

    #: (pattern, is allowed), the longest first, at the same length those that allow
    paths: tuple[tuple[str, bool], ...] = ()
    #: seconds; 0 when it names none
    crawl_delay: float = 0.0

    def forbids(self, path: str) -> bool:
        """Whether the longest rule that fits this path and query disallows it; robots.txt itself may always be had."""
        return path != "/robots.txt" and _forbids(self, path)


@lru_cache(maxsize=65_536)
def _forbids(rules: Rules, path: str) -> bool:
    escaped = _escaped(path)
    return next((not allowed for pattern, allowed in rules.paths if _expression(pattern).match(escaped)), False)


@lru_cache(maxsize=4_096)
def _expression(pattern: str) -> re.Pattern[str]:
    stem, end = (pattern[:-1], "$") if pattern.endswith("$") else (pattern, "")
    return re.compile(".*".join(re.escape(part) for part in stem.split("*")) + end)


@lru_cache(maxsize=4_096)
def rules_for(token: str, text: str) -> Rules:
    """What this text says to the crawler of that name: all groups that name it together, else all for `*`."""
    groups = list(_groups(text))
    mine = [group for group in groups if token.lower() in group[0]] or [group for group in groups if "*" in group[0]]
    found = [rule for _, rules in mine for rule in rules]
    paths = {(_escaped(value), name == "allow") for name, value in found if name != "crawl-delay" and value}
    delays = [float(value) for name, value in found if name == "crawl-delay" and re.fullmatch(r"\d+(\.\d+)?", value)]
    ordered = sorted(paths, key=lambda rule: (-len(rule[0].encode()), not rule[1], rule[0]))
    return Rules(paths=tuple(ordered), crawl_delay=max(delays, default=0.0))


def _groups(text: str) -> Iterator[tuple[set[str], list[tuple[str, str]]]]:
    """The names of each group in small letters, and its (directive, value) pairs."""
    names: set[str] = set()
    rules: list[tuple[str, str]] = []
    for line in re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")):
        directive, _, value = line.partition("#")[0].partition(":")
        directive, value = directive.strip().lower(), value.strip()
        if directive == "user-agent":
            if rules:
                yield names, rules
                names, rules = set(), []
            names.add(_product(value))
        elif directive in ("allow", "disallow", "crawl-delay") and names:
            rules.append((directive, value))
    if names:
        yield names, rules


def _product(value: str) -> str:
    """`Bot/1.0` speaks to `bot`."""
    if value.startswith("*"):
        return "*"
    named = re.match(r"[A-Za-z_-]+", value)
    return named[0].lower() if named else value.lower()


def _escaped(path: str) -> str:
    """Escapes in one form: what need not be escaped is not, the rest is in capitals."""
    plain = re.sub(r"%([2-7][0-9A-Fa-f])", _unescaped, quote(path, safe=_AS_IS))
    return re.sub(r"%[0-9a-fA-F]{2}", lambda found: found[0].upper(), plain)


def _unescaped(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return character if re.fullmatch(r"[A-Za-z0-9._~-]", character) else found[0]
