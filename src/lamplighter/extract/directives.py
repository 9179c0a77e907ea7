"""A page's directives for robots, from meta tags or X-Robots-Tag. The strictest wins."""

import re
from collections.abc import Iterable, Iterator

from lamplighter.model.reading import NO_DIRECTIVES, Directives

#: the default name by which a page may address our robot, lower case
AGENT = "lamplighterbot"

#: directives that carry a value after a colon; any other word before a colon is the name of a robot
_WITH_VALUE = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})
_ADDRESSED = re.compile(r"\s*([\w-]+)\s*:(.*)", re.DOTALL)
#: the one comma that does not end a directive: "unavailable_after: Friday, 25 Jun 2027"
_WEEKDAY_COMMA = re.compile(r"(unavailable_after\s*:\s*[a-z]+),", re.IGNORECASE)
_DIGITS = re.compile(r"[0-9]{1,9}")
_WITHOUT_VALUE = {
    "noindex": Directives(noindex=True),
    "nofollow": Directives(nofollow=True),
    "none": Directives(noindex=True, nofollow=True),
    **dict.fromkeys(("noarchive", "nocache"), Directives(noarchive=True)),
    "nosnippet": Directives(max_snippet=0),
}


def from_meta(contents: Iterable[str]) -> Directives:
    """The directives of the meta tags that address us."""
    return _directives(word for content in contents for word in _words(content))


def from_header(robots_tag: str | None, agent: str = AGENT) -> Directives:
    """The directives of X-Robots-Tag lines, joined by newlines; a robot's name applies to the rest of its line."""
    if not robots_tag:
        return NO_DIRECTIVES
    return _directives(word for line in robots_tag.splitlines() for word in _for_us(line, agent))


def _for_us(line: str, agent: str) -> Iterator[str]:
    ours = True
    for word in _words(line):
        addressed = _ADDRESSED.fullmatch(word)
        if addressed is None or addressed[1].lower() in _WITH_VALUE:
            if ours:
                yield word
            continue
        ours = addressed[1].lower() == agent
        if ours:
            yield addressed[2]


def _words(content: str) -> list[str]:
    return _WEEKDAY_COMMA.sub(r"\1", content).split(",")


def _directives(words: Iterable[str]) -> Directives:
    directives = NO_DIRECTIVES
    for word in words:
        name, _, value = word.partition(":")
        directives |= _directive(name.strip().lower(), value.strip())
    return directives


def _directive(name: str, value: str) -> Directives:
    if name == "max-snippet" and _DIGITS.fullmatch(value):  # -1 means no limit
        return Directives(max_snippet=int(value))
    if name == "unavailable_after" and value:
        return Directives(unavailable_after=value[:100])
    return _WITHOUT_VALUE.get(name, NO_DIRECTIVES)
