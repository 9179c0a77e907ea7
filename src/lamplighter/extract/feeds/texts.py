"""The text of an element of a well-formed feed."""

import re
from contextlib import suppress

from lxml import etree
from lxml.etree import _Element

from lamplighter.extract.feeds.names import Unusual

#: the characters of windows-1252 at the code points of control characters
_MEANT = {code: char for code in range(0x80, 0xA0) if (char := bytes([code]).decode("cp1252", "ignore"))}
_CONTROLS = re.compile(r"[\x80-\x9f]")

_TEXT_TYPES = frozenset({"text", "html", "text/html", "text/plain", "plain"})
_XHTML_TYPES = frozenset({"xhtml", "application/xhtml+xml"})
HTML_TYPES = _XHTML_TYPES | {"html", "text/html"}


def text_in(element: _Element) -> str:
    """The text of an element without children; repaired as feedparser repairs it."""
    if len(element):
        raise Unusual
    return _mended((element.text or "").strip())


def _mended(text: str) -> str:
    """Repairs UTF-8 that was read as latin-1 and encoded once more, and windows-1252: both are common mistakes."""
    if text.isascii():
        return text
    with suppress(UnicodeError):
        text = text.encode("latin-1").decode()
    return text.translate(_MEANT) if _CONTROLS.search(text) else text


def marked_up(element: _Element) -> str:
    """A text that may contain markup, as markup."""
    kind = attribute_of(element, "type", "text")
    if element.get("mode", "escaped").lower() not in ("escaped", "xml"):
        raise Unusual
    if kind in _XHTML_TYPES:
        return _xhtml(element)
    if kind not in _TEXT_TYPES:
        raise Unusual
    return text_in(element)


def _xhtml(element: _Element) -> str:
    inner = [etree.tostring(child, encoding="unicode", method="html") for child in element]
    if (element.text or "").strip() or any("&lt;" in markup for markup in inner):
        raise Unusual
    return _mended("".join(inner).strip())


def attribute_of(element: _Element, name: str, otherwise: str) -> str:
    """The attribute in lower case."""
    value = element.get(name)
    return otherwise if value is None else value.lower()
