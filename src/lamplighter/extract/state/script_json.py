"""Finds the JSON values in a page's own scripts.

Frameworks pass the data of a page to the browser in a few ways: a script of type application/json, an assignment to a
variable, a text for JSON.parse, or chunks that are pushed one by one.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

import orjson
from turbohtml import Element

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.state import hydration
from lamplighter.extract.structured import loose_json

#: a shorter script cannot contain a list worth reading
_SHORTEST = 200
_LONGEST = 3 * 1024 * 1024
_LONGEST_LOOSE = 1024 * 1024
_MOST_ASSIGNMENTS = 40
#: parsing what is not JSON is slow, so it is tried only where a title is near the start, and not often
_MOST_LOOSE = 8
_NEAR = 3_000
#: with fewer links than this, a page may keep everything in an attribute of its only element
_FEW_ANCHORS = 10
#: a list of items has one of these for each: title, titel, titre, jobTitle, name, displayName …
_TITLES = ("tit", "Tit", "ame", "headline")
_FEWEST = 3
_CHUNK = "__next_f"

#: where a value begins: as an object, a list or a text to be parsed
_START = re.compile(
    r"""(?:=|data:|props:)\s{0,5}(?:(?=[\[{])|JSON\.parse\(\s{0,5}(decodeURIComponent\(\s{0,5})?(?=["'`]))"""
)
#: the name of a variable or property before the value
_NAME = re.compile(r"""([\w$]{1,60})["'\]]{0,2}\s{0,5}\Z""")
_LONGEST_NAME = 70
_TITLE_KEY = re.compile(r"""(?:title|name|headline)["']?\s{0,3}:""", re.IGNORECASE)
_STRING = re.compile(r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`""", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
_HALF_A_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


class Named(NamedTuple):
    """A value and its name in the page; "" when it has none."""

    name: str
    value: Any


def script_values(page: HtmlPage) -> Iterator[Named]:
    """The values in document order; scripts without any cost next to nothing."""
    chunks: list[str] = []
    left = 2 * _LONGEST
    for node in page.scripts:
        text = node.text
        if not _SHORTEST <= len(text) <= _LONGEST:
            continue
        if _CHUNK in text:
            chunks.append(text)
        elif any(text.count(word) >= _FEWEST for word in _TITLES):
            left -= len(text)
            if left < 0:
                return
            yield from _values(node, text)
    if chunks:
        yield from (Named("", row) for row in hydration.next_flight("".join(chunks)[:_LONGEST]))
    if len(page.anchors) < _FEW_ANCHORS:
        yield from _in_attribute(page)


def _values(node: Element, text: str) -> Iterator[Named]:
    given = (node.attr("type") or "").lower()
    if "json" not in given:
        if given in ("", "module") or "javascript" in given:
            yield from _assigned(text)
        return
    try:
        value = loose_json.mend(text)
    except ValueError:
        return
    name = node.attr("id") or ""
    is_nuxt = name == "__NUXT_DATA__" or node.attr("data-nuxt-data") is not None
    yield Named(name, hydration.nuxt(value) if is_nuxt else value)


def _in_attribute(page: HtmlPage) -> Iterator[Named]:
    """Inertia keeps the data of a page in an attribute of its root element."""
    node = page.tree.select_one("[data-page]")
    text = (node.attr("data-page") or "") if node is not None else ""
    if _SHORTEST <= len(text) <= _LONGEST:
        try:
            yield Named("", orjson.loads(text))
        except ValueError:
            return


def _assigned(script: str) -> Iterator[Named]:
    """The objects and lists that a script assigns to names."""
    if (value := hydration.nuxt_function(script)) is not None:
        yield Named("", value)
        return
    at, loose = 0, _MOST_LOOSE
    for _ in range(_MOST_ASSIGNMENTS):
        start = _START.search(script, at)
        if start is None:
            return
        begin = start.end()
        if script[begin] not in "[{":
            value, at = _parsed(script, begin, is_escaped=start[1] is not None)
        else:
            value, at = _literal(script, begin)
            if value is None and loose and _TITLE_KEY.search(script, begin, begin + _NEAR):
                loose -= 1
                value = _loose_literal(script, begin)
        if isinstance(value, (dict, list)) and value:
            name = _NAME.search(script[max(0, start.start() - _LONGEST_NAME) : start.start()])
            yield Named(name[1] if name else "", value)


def _literal(script: str, start: int) -> tuple[Any, int]:
    """The JSON that begins there and where it ends; None when it is no JSON, and the next character."""
    try:
        value, end = _DECODER.raw_decode(script, start)
        if _HALF_A_CHARACTER.search(script, start, end):
            value = loose_json.settled(lambda: value)
    except (ValueError, RecursionError):
        return None, start + 1
    return value, end


def _loose_literal(script: str, start: int) -> Any:
    """A JavaScript literal that is not JSON: keys without quotes, single quotes, trailing commas."""
    try:
        return loose_json.literal(script[start : start + _LONGEST_LOOSE])
    except ValueError:
        return None


def _parsed(script: str, start: int, *, is_escaped: bool) -> tuple[Any, int]:
    """The value in the text of JSON.parse("…"), and where the text ends."""
    literal = _STRING.match(script, start)
    if literal is None:
        return None, start + 1
    try:
        texts = loose_json.literal(f"[{literal[0]}]")
        value = orjson.loads(unquote(texts[0]) if is_escaped else texts[0])
    except (ValueError, TypeError, AttributeError, IndexError):
        value = None
    return value, literal.end()
