"""The plain text of a value that may carry markup, as feeds and JSON-LD hand it over."""

from html import unescape

from lamplighter.extract.bounds import excess
from lamplighter.extract.elements import parsed
from lamplighter.extract.html_page import folded, take_visible_text

#: characters of one value that are read
_LONGEST = 200_000


def plain(value: str) -> str:
    """The text a reader would see, white space folded."""
    value = value[:_LONGEST]
    if "<" not in value and "&" not in value:
        return folded(value)
    if "<" not in value and "&lt;" in value:
        # A whole description escaped once more than needed is common, and nobody means to show tags to readers.
        value = unescape(value)
    if "<" not in value:
        return folded(unescape(value))
    # Half a character, which JSON can write, is nothing that a reader sees.
    value = value.encode(errors="ignore").decode()
    return "" if excess(value) else take_visible_text(parsed(value))
