"""What does a page ask of robots, by meta tag or X-Robots-Tag? The strictest word wins."""

import re
from collections.abc import Iterable
from typing import NamedTuple

#: the robot's name that a page may address, lower case, unless the operator gave it another
AGENT = "lamplighterbot"

_NO_INDEX = frozenset({"noindex", "none"})
_NO_FOLLOW = frozenset({"nofollow", "none"})
#: directives that carry a value after a colon; any other word before a colon is the name of a robot
_WITH_VALUE = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})
_ADDRESSED = re.compile(r"\s*([\w-]+)\s*:(.*)", re.DOTALL)


class Directives(NamedTuple):
    """What the page does not want."""

    noindex: bool = False
    nofollow: bool = False

    def __or__(self, other: object) -> "Directives":
        """Both together: whatever either forbids."""
        if not isinstance(other, Directives):
            return NotImplemented
        return Directives(self.noindex or other.noindex, self.nofollow or other.nofollow)


NOTHING_ASKED = Directives()


def from_meta(contents: Iterable[str]) -> Directives:
    """The directives of the meta tags that speak to us."""
    return _directives(word for content in contents for word in content.split(","))


def from_header(robots_tag: str | None, agent: str = AGENT) -> Directives:
    """The directives of X-Robots-Tag lines, without those addressed to another robot.

    A robot's name governs the rest of its line: several header lines must come joined by newlines to stay apart.
    """
    if not robots_tag:
        return NOTHING_ASKED
    return _directives(word for line in robots_tag.splitlines() for word in _for_us(line, agent))


def _for_us(line: str, agent: str) -> Iterable[str]:
    ours = True
    for word in line.split(","):
        addressed = _ADDRESSED.fullmatch(word)
        if addressed is None or addressed[1].lower() in _WITH_VALUE:
            if ours:
                yield word
            continue
        ours = addressed[1].lower() == agent
        if ours:
            yield addressed[2]


def _directives(words: Iterable[str]) -> Directives:
    said = {word.strip().lower() for word in words}
    return Directives(noindex=not said.isdisjoint(_NO_INDEX), nofollow=not said.isdisjoint(_NO_FOLLOW))
