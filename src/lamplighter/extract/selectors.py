"""Evaluates a recipe's CSS selectors. The parser supports fewer than the standard, so they are translated."""

import re
from functools import lru_cache

from turbohtml import Document, Element, SelectorSyntaxError

_PIECE = re.compile(r"""\\.|"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|[\[\]()]|:[\w-]++|[^\\"'\[\]():]++|.""", re.DOTALL)
_CLOSING = {"[": "]", "(": ")"}
#: pseudo-class -> the parser's name. Its :empty is that of Selectors 4, which ignores white space
_SAME = {":blank": ":empty", ":placeholder-shown": "[placeholder]"}


def select(node: Document | Element, selector: str) -> list[Element]:
    """The elements that a selector matches; none when it is not a selector (such as a recipe's JSON path).

    Applied to an element it may match that one itself: the item of a recipe is often the link that is wanted.
    """
    said = _understood(selector)
    try:
        found = node.select(said)
        return [node, *found] if isinstance(node, Element) and node.matches(said) else found
    except SelectorSyntaxError:
        return []


def is_selector(selector: str) -> bool:
    """Is it a valid selector?"""
    try:
        selector.encode()
        Element("p").select(_understood(selector))
    except (SelectorSyntaxError, UnicodeEncodeError):
        return False
    return True


@lru_cache(maxsize=1024)
def _understood(selector: str) -> str:
    """The selector as the parser accepts it: what is still open at its end is closed there, as in CSS."""
    said: list[str] = []
    still_open: list[str] = []
    for piece in _PIECE.findall(selector.replace("\0", "\ufffd")):
        if piece in _CLOSING:
            still_open.append(_CLOSING[piece])
        elif still_open and piece == still_open[-1]:
            still_open.pop()
        said.append(_SAME.get(piece.lower(), piece) if "]" not in still_open else piece)
        if piece[0] in "\"'" and (len(piece) == 1 or piece[-1] != piece[0]):
            said.append(piece[0])
    return "".join([*said, *reversed(still_open)])
