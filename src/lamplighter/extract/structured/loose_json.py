"""Parses JSON as pages really write it: wrapped in comments, escaped twice, cut off, with stray commas and comments."""

import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from itertools import islice
from typing import Any

import chompjs
import orjson

#: wrappers that hide a block from old browsers
_OPENING = re.compile(r"(?://|/\*)?\s?(?:<!\[CDATA\[|<!--)\s?(?:\*/)?")
_CLOSING = re.compile(r"(?://|/\*)?\s?(?:\]\]>|-->)\s?(?:\*/)?$")
_LONGEST_CLOSING = 12
#: a longer broken block is not repaired
_LONGEST_TO_MEND = 1024 * 1024
_MOST_OBJECTS = 1_000

#: a text (closed or cut off), or a structural character
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+("?)|[{}\[\],]', re.DOTALL)
#: what may contain meaningless brackets, and the brackets that count
_SCRIPT = re.compile(
    r'"(?:[^"\\]|\\.)*+"?|\'(?:[^\'\\]|\\.)*+\'?|`(?:[^`\\]|\\.)*+`?|//[^\n]*+|/\*(?s:.)*?(?:\*/|\Z)|[{}\[\]]',
    re.DOTALL,
)
_NULL = re.compile(r'(?<=[:,\[])\s*"(?:null|undefined|void 0|NaN)"(?=\s*[,}\]])')
_CLOSER = {"{": "}", "[": "]"}
_DEEPEST = 200


def loads(text: str) -> Any:
    """The value of a JSON text, with null for NaN; ValueError when it is not JSON."""
    try:
        return orjson.loads(text)
    except ValueError:
        return settled(lambda: json.loads(text, parse_constant=_nothing))


def mend(text: str) -> Any:
    """The value of almost-JSON, a list if there are several; of cut-off JSON what is complete; else ValueError."""
    try:
        return orjson.loads(text)
    except ValueError:
        if len(text) > _LONGEST_TO_MEND:
            raise
    bare = _unwrapped(text.strip(" \t\r\n\ufeff"))
    if '"' not in bare:
        bare = unescape(bare)
    found = settled(lambda: _objects(bare) or _objects(_completed(bare)))
    if not found:
        raise ValueError("no JSON object in it")
    return found[0] if len(found) == 1 else found


def literal(text: str) -> Any:
    """The value of the JavaScript literal at the start of a text; ValueError when there is none."""
    found = settled(lambda: _objects(text, most=1))
    if not found:
        raise ValueError("no complete literal")
    return found[0]


def _objects(text: str, most: int = _MOST_OBJECTS) -> list[Any]:
    # The lenient parser reads beyond the end of the text when brackets stay open: it gets complete ones only.
    return [chompjs.parse_js_object(whole, loader=_loaded) for whole in islice(_whole(text), most)]


def _whole(text: str) -> Iterator[str]:
    """The objects and lists of a text whose brackets are balanced."""
    still_open: list[str] = []
    start = 0
    for token in _SCRIPT.finditer(text):
        symbol = token[0]
        if symbol in _CLOSER:
            if not still_open:
                start = token.start()
            still_open.append(_CLOSER[symbol])
            if len(still_open) > _DEEPEST:
                return
        elif symbol in ("}", "]") and still_open:
            if still_open.pop() != symbol:
                return
            if not still_open:
                yield text[start : token.end()]


def _loaded(text: str) -> Any:
    # The lenient parser takes null before a comma, and undefined everywhere, for words.
    return json.loads(_NULL.sub("null", text), strict=False, parse_constant=_nothing)


def _completed(text: str) -> str:
    """The text cut behind its last complete value, with every bracket closed; "" when it was not cut off."""
    still_open: list[str] = []
    end, closers = 0, ""
    for token in _STRUCTURE.finditer(text):
        symbol = token[0]
        if symbol in _CLOSER:
            still_open.append(_CLOSER[symbol])
        elif symbol in ("}", "]"):
            if not still_open or still_open.pop() != symbol:
                return ""
            end, closers = token.end(), "".join(reversed(still_open))
        elif symbol == ",":
            end, closers = token.start(), "".join(reversed(still_open))
        if len(still_open) > _DEEPEST:
            return ""
    return text[:end] + closers if still_open and end else ""


def _unwrapped(text: str) -> str:
    opening = _OPENING.match(text)
    if opening is None:
        return text
    inner, end = text[opening.end() : -_LONGEST_CLOSING], text[-_LONGEST_CLOSING:]
    return inner + _CLOSING.sub("", end)


def settled(parse: Callable[[], Any]) -> Any:
    """The lenient parser's result in terms the strict one accepts: finite, not too deep, no lone surrogates."""
    try:
        return orjson.loads(json.dumps(parse(), ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def _nothing(_: str) -> None:
    """NaN and the infinities are not values."""
