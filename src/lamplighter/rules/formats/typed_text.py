"""Checks of typed text and of offsets in URLs; without the web framework, so that commands can use them."""

import re

#: the largest offset; a filter is better for finding rows beyond it
DEEPEST = 10_000_000
#: control characters, which some databases refuse; line breaks and tabs are allowed
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LINE_END = re.compile(r"[\n\t\u2028\u2029]")


def text(value: str) -> str:
    """The text itself; ValueError for control characters."""
    found = _CONTROL.search(value)
    if found:
        raise ValueError(f"holds the character U+{ord(found[0]):04X}, which is no text; leave it out")
    return value


def readable(value: str) -> str:
    """A typed text without control characters, which the user did not mean."""
    return _CONTROL.sub("", value)


def one_line(value: str) -> str:
    """The text itself; ValueError for control characters or more than one line."""
    if _LINE_END.search(text(value)):
        raise ValueError("holds a line end or a tab; put it on one line")
    return value


def offset_from(text: str) -> int:
    """The offset in a page's URL; 0 if it is not a number."""
    return min(int(text), DEEPEST) if text.isascii() and text.isdigit() and len(text) < 10 else 0
