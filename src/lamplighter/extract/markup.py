"""The plain text of a value that may contain markup, as in feeds and JSON-LD."""

from html import unescape

from lamplighter.extract.bounds import excess
from lamplighter.extract.elements import parsed
from lamplighter.extract.html_page import folded, take_visible_text

#: characters of one value that are read
_LONGEST = 200_000


def plain(value: str) -> str:
    """The visible text, white space folded."""
    value = value[:_LONGEST]
    if "<" not in value and "&" not in value:
        return folded(value)
    if "<" not in value and "&lt;" in value:
        # A description that was escaped once too often is common, and tags are never meant to be shown.
        value = unescape(value)
    if "<" not in value:
        return folded(unescape(value))
    # A lone surrogate, which JSON can write, is invisible.
    value = value.encode(errors="ignore").decode()
    return "" if excess(value) else take_visible_text(parsed(value))
