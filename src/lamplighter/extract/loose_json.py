"""JSON as pages really write it: wrapped in comments, escaped twice, with commas and remarks out of place."""

import json
import re
from html import unescape
from typing import Any

import chompjs
import orjson

#: what authors put around a block to hide it from old browsers
_OPENING = re.compile(r"(?://|/\*)?\s?(?:<!\[CDATA\[|<!--)\s?(?:\*/)?")
_CLOSING = re.compile(r"(?://|/\*)?\s?(?:\]\]>|-->)\s?(?:\*/)?$")
_LONGEST_CLOSING = 12
#: beyond this a broken block is not worth the patience
_LONGEST_TO_MEND = 1024 * 1024


def loads(text: str) -> Any:
    """The value of a JSON text, with null for NaN; ValueError when it is not JSON."""
    try:
        return orjson.loads(text)
    except ValueError:
        return _settled(lambda: json.loads(text, parse_constant=_nothing))


def mend(text: str) -> Any:
    """The value of something that wants to be JSON; ValueError when even good will does not help."""
    try:
        return orjson.loads(text)
    except ValueError:
        if len(text) > _LONGEST_TO_MEND:
            raise
    bare = _unwrapped(text.strip())
    if '"' not in bare:
        bare = unescape(bare)
    return _settled(lambda: chompjs.parse_js_object(bare, loader_kwargs={"strict": False, "parse_constant": _nothing}))


def _unwrapped(text: str) -> str:
    opening = _OPENING.match(text)
    if opening is None:
        return text
    inner, end = text[opening.end() : -_LONGEST_CLOSING], text[-_LONGEST_CLOSING:]
    return inner + _CLOSING.sub("", end)


def _settled(parse: Any) -> Any:
    """What the lenient parser says, in terms the strict one accepts: finite, not too deep, no lone surrogates."""
    try:
        return orjson.loads(json.dumps(parse(), ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def _nothing(_: str) -> None:
    """NaN and the infinities are not values."""
