"""What would a person read of this markup? Roughly, to compare two versions of a page without their tags.

Goes through the markup once, whatever is open in it or never closed; extraction proper is in `lamplighter.extract`.
"""

import re
from collections.abc import Iterator
from html import unescape

#: what stands in them is not shown
_UNSEEN = frozenset({"head", "noscript", "script", "style", "svg", "template"})
#: they stand within a line; every other tag begins a new one
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "small"}
)
_INLINE |= {"span", "strong", "sub", "sup", "time", "u", "var", "wbr"}
_NAME = re.compile(r"/?([a-z][a-z0-9]*)")
_SPACE = re.compile(r"[^\S\n]+")
#: no character has such a number, and reading it as one is refused
_ENDLESS_NUMBER = re.compile(r"&#[0-9]{1000,};?")


def readable(markup: str) -> str:
    """The text, a line for every block."""
    text = unescape(_ENDLESS_NUMBER.sub("\N{REPLACEMENT CHARACTER}", "".join(_texts(markup))))
    lines = (_SPACE.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _texts(markup: str) -> Iterator[str]:
    folded = markup.lower()
    if len(folded) != len(markup):  # a letter whose small form is longer would shift everything behind it
        folded = markup
    at = 0
    while (opened := folded.find("<", at)) >= 0:
        yield _folded_space(markup[at:opened])
        found = _NAME.match(folded, opened + 1)
        name = found[1] if found is not None else None
        if name is None and not folded.startswith(("<!", "<?"), opened):
            # Its end is not looked for: in markup full of such signs that would be the whole rest every time.
            at = opened + 1
            yield "<"
            continue
        at = _end_of(folded, opened, name)
        if name not in _INLINE:
            yield "\n"
    yield _folded_space(markup[at:])


def _end_of(folded: str, opened: int, name: str | None) -> int:
    """Where what begins here is over: behind the tag, or behind all that stands in it and is not shown."""
    if folded.startswith("<!--", opened):
        return _behind(folded, "-->", opened)
    if name in _UNSEEN and folded[opened + 1] != "/":
        return _behind(folded, ">", _behind(folded, f"</{name}", opened))
    return _behind(folded, ">", opened)


def _behind(text: str, end: str, start: int) -> int:
    found = text.find(end, start)
    return found + len(end) if found >= 0 else len(text)


def _folded_space(text: str) -> str:
    return text.replace("\n", " ")
