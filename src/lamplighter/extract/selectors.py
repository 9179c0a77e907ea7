"""What does a recipe's selector find? The parser takes fewer than the standard has, so they are said in its way."""

import re
from functools import lru_cache

from turbohtml import Document, Element, SelectorSyntaxError

_PIECE = re.compile(r"""\\.|"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|[\[\]()]|:[\w-]++|[^\\"'\[\]():]++|.""", re.DOTALL)
_CLOSING = {"[": "]", "(": ")"}
#: pseudo-class -> what the parser calls it. Its :empty is that of Selectors 4, which white space does not fill
_SAME = {":blank": ":empty", ":placeholder-shown": "[placeholder]"}


def select(node: Document | Element, selector: str) -> list[Element]:
    """The elements that a selector finds; none when it is no selector (a recipe's JSON path, say).

    Applied to an element it may find that one itself: the item of a recipe is often the link that is wanted.
    """
    said = _understood(selector)
    try:
        found = node.select(said)
        return [node, *found] if isinstance(node, Element) and node.matches(said) else found
    except SelectorSyntaxError:
        return []


def is_selector(selector: str) -> bool:
    """Is it one at all?"""
    try:
        selector.encode()
        Element("p").select(_understood(selector))
    except (SelectorSyntaxError, UnicodeEncodeError):
        return False
    return True


@lru_cache(maxsize=1024)
def _understood(selector: str) -> str:
    """The selector as the parser takes it: what is still open at its end is closed there, as CSS has it."""
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
