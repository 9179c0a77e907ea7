"""Roughly the visible text of markup, to compare two versions of a page without their tags.

Reads the markup once, whatever is open in it or never closed; real extraction is in `lamplighter.extract`.
"""

import re
from collections.abc import Iterator
from html import unescape

#: their content is not shown
_UNSEEN = frozenset({"head", "noscript", "script", "style", "svg", "template"})
#: inline elements; every other tag begins a new line
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "small"}
)
_INLINE |= {"span", "strong", "sub", "sup", "time", "u", "var", "wbr"}
_NAME = re.compile(r"/?([a-z][a-z0-9]*)")
_SPACE = re.compile(r"[^\S\n]+")
#: no character has such a number, and converting it raises an error
_ENDLESS_NUMBER = re.compile(r"&#[0-9]{1000,};?")


def readable(markup: str) -> str:
    """The text, a line for every block."""
    text = unescape(_ENDLESS_NUMBER.sub("\N{REPLACEMENT CHARACTER}", "".join(_texts(markup))))
    lines = (_SPACE.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _texts(markup: str) -> Iterator[str]:
    folded = markup.lower()
    if len(folded) != len(markup):  # a letter whose lower case is longer would shift everything behind it
        folded = markup
    at = 0
    while (opened := folded.find("<", at)) >= 0:
        yield _folded_space(markup[at:opened])
        found = _NAME.match(folded, opened + 1)
        name = found[1] if found is not None else None
        if name is None and not folded.startswith(("<!", "<?"), opened):
            # The end is not searched for: in markup full of such signs that would scan the whole rest every time.
            at = opened + 1
            yield "<"
            continue
        at = _end_of(folded, opened, name)
        if name not in _INLINE:
            yield "\n"
    yield _folded_space(markup[at:])


def _end_of(folded: str, opened: int, name: str | None) -> int:
    """Where the element ends that begins here: behind the tag, or behind its hidden content."""
    if folded.startswith("<!--", opened):
        return behind(folded, "-->", opened)
    if name in _UNSEEN and folded[opened + 1] != "/":
        return behind(folded, ">", behind(folded, f"</{name}", opened))
    return behind(folded, ">", opened)


def behind(text: str, end: str, start: int) -> int:
    """Where the text goes on after the next `end`; its length when there is none."""
    found = text.find(end, start)
    return found + len(end) if found >= 0 else len(text)


def _folded_space(text: str) -> str:
    return text.replace("\n", " ")
