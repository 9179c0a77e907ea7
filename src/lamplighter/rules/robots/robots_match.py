"""Which robots.txt rule decides about a path?

The longest matching rule does, and of equally long ones an Allow. Patterns are cut at their stars when the file is
parsed and matched from left to right without ever going back, so no pattern can make matching slow.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

from lamplighter.rules.robots.robots_parse import RuleLine
from lamplighter.rules.urls.url_identity import one_spelling

_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_NOT_ASCII = re.compile(r"[\x80-\xff]")
#: characters that are written both escaped and plain, and the operators of robots.txt where they are literal
_ESCAPED_TO_COMPARE = re.compile(r"[\x00-\x20\"'<>\\^`{|}*$\x7f-\xff]")
#: a path that has only one spelling
_ONE_SPELLING = re.compile(r"[A-Za-z0-9/_~.,:;@!()+?=&*-]*\$?")
_INDEX_PAGE = re.compile(r"(.*/)index\.htm[^/]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsPattern:
    """One rule cut for matching: a literal start, then pieces that must follow in order with anything between."""

    rule: RuleLine
    #: the stronger rule has the greater weight: more octets, then Allow, then the earlier line
    weight: tuple[int, bool, int]
    start: str
    pieces: tuple[str, ...]
    #: what the path must end with; None when the path may continue
    end: str | None
    #: the path must be `start` and no more
    whole: bool


class PatternIndex:
    """The patterns for one user-agent, indexed by their literal start so that most are never tried."""

    __slots__ = ("_by_start", "_lengths")

    def __init__(self, patterns: Iterable[RobotsPattern]) -> None:
        by_start: dict[str, list[RobotsPattern]] = {}
        for pattern in patterns:
            by_start.setdefault(pattern.start, []).append(pattern)
        for candidates in by_start.values():
            candidates.sort(key=attrgetter("weight"), reverse=True)
        self._by_start = by_start
        self._lengths = sorted({len(start) for start in by_start}, reverse=True)

    def strongest(self, path: str) -> RobotsPattern | None:
        """The pattern that decides about this path, or None when none matches."""
        best: RobotsPattern | None = None
        for length in self._lengths:
            for pattern in self._by_start.get(path[:length], ()):
                if best is not None and pattern.weight < best.weight:
                    break
                if pattern.whole and len(path) > length:
                    continue
                position = length
                for piece in pattern.pieces:
                    found = path.find(piece, position)
                    if found < 0:
                        break
                    position = found + len(piece)
                else:
                    if pattern.end is None or path.endswith(pattern.end, position):
                        best = pattern
                        break
        return best


def as_written(text: str) -> str:
    """Google's spelling: compared as written."""
    return text


def canonical(text: str) -> str:
    """RFC 9309's spelling: an escape that was not needed is the character, a character that needs one is escaped."""
    return _ESCAPED_TO_COMPARE.sub(_escaped, one_spelling(text))


def patterns(rules: Iterable[RuleLine], spelling: Callable[[str], str]) -> list[RobotsPattern]:
    """The rules cut for matching, their literal parts in the given spelling."""
    return [_cut(rule, path, spelling) for rule in rules for path in _paths(rule)]


def pattern_of(path: str, spelling: Callable[[str], str]) -> RobotsPattern:
    """A path of a line that is not a rule, cut for matching in the same way; equally long ones are equally strong."""
    (pattern,) = patterns([RuleLine(allow=False, path=path, text="", number=0)], spelling)
    return pattern


def read_alike(rules: Iterable[RuleLine]) -> bool:
    """Do both spellings give the same patterns?"""
    return all(_ONE_SPELLING.fullmatch(rule.path) for rule in rules)


def _paths(rule: RuleLine) -> Iterator[str]:
    """The path of a rule in ASCII; to allow an index page is, as with Google, to allow its directory's own URL."""
    path = _ESCAPE.sub(lambda escape: escape[0].upper(), _NOT_ASCII.sub(_escaped, rule.path))
    yield path
    if rule.allow and (index := _INDEX_PAGE.fullmatch(path)):
        yield f"{index[1]}$"


def _cut(rule: RuleLine, path: str, spelling: Callable[[str], str]) -> RobotsPattern:
    ends_here = path.endswith("$")
    start, *pieces = (spelling(part) for part in path.removesuffix("$").split("*"))
    return RobotsPattern(
        rule=rule,
        weight=(len(path), rule.allow, -rule.number),
        start=start,
        end=pieces.pop() if ends_here and pieces else None,
        pieces=tuple(filter(None, pieces)),
        whole=ends_here and "*" not in path,
    )


def _escaped(character: re.Match[str]) -> str:
    return f"%{ord(character[0]):02X}"
