"""The JSON values in a page's scripts: JSON scripts, assignments, JSON.parse, and the payloads of Nuxt and Next.js."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

import orjson
from turbohtml import Element

from lamplighter.extract.html_page import HtmlPage
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
_TITLE_KEY = re.compile(r"""(?:title|name|headline)["']?\s{0,3}:""")
_STRING = re.compile(r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`""", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
_HALF_A_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")

_DEEPEST = 40
_MOST_VALUES = 200_000
#: wrappers that Nuxt writes as ["ShallowReactive", 1]
_NUXT_WRAPPERS = frozenset({"ShallowReactive", "Reactive", "ShallowRef", "Ref", "EmptyRef", "EmptyShallowRef"})
_NUXT_DATE = "Date"

#: the older form: a function that is called with the values that occur more than once
_NUXT_FUNCTION = re.compile(
    r"__NUXT__\s{0,5}=\s{0,5}\(function\s{0,5}\(([\w$,\s]{0,20000})\)\s{0,5}\{\s{0,5}return\s{0,5}(?=\{)"
)
_LONGEST_FUNCTION = 1024 * 1024
_STRING_OR_NAME = re.compile(r'"(?:[^"\\]|\\.)*+"|(?<=[:,\[])([A-Za-z_$][\w$]*+)(?=[,}\]])', re.DOTALL)

_PUSH = re.compile(r"__next_f\.push\(\s{0,5}(\[1,\s{0,5}\"(?:[^\"\\]|\\.)*+\"\s{0,5}\])", re.DOTALL)
_ROW = re.compile(r"^[0-9a-f]{1,8}:(?=[\[{])", re.MULTILINE)
_SHORTEST_ROW = 200


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
        if len(text) > _LONGEST or not may_tell(text):
            continue
        if _CHUNK in text:
            chunks.append(text)
        else:
            left -= len(text)
            if left < 0:
                return
            yield from _values(node, text)
    if chunks:
        yield from (Named("", row) for row in next_flight("".join(chunks)[:_LONGEST]))
    if len(page.anchors) < _FEW_ANCHORS:
        yield from _in_attribute(page)


def may_tell(script: str) -> bool:
    """Whether a script may hold a list of items; costs next to nothing."""
    return len(script) >= _SHORTEST and (_CHUNK in script or any(script.count(word) >= _FEWEST for word in _TITLES))


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
    yield Named(name, nuxt(value) if is_nuxt else value)


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
    if (value := nuxt_function(script)) is not None:
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
            if value is None and loose and _TITLE_KEY.search(script[begin : begin + _NEAR].lower()):
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


def nuxt(payload: Any) -> Any:
    """The data of Nuxt's flat list, in which every value is an index of another; anything else unchanged."""
    if not isinstance(payload, list) or not payload:
        return payload
    return _Nuxt(payload).value(0, _DEEPEST)


def nuxt_function(script: str) -> Any:
    """The object that the function in a script returns, its parameters replaced; None when there is none."""
    start = _NUXT_FUNCTION.search(script)
    end = script.rfind("}(")
    if start is None or end < start.end() or len(script) > _LONGEST_FUNCTION:
        return None
    try:
        closed = script[end + 2 :].rstrip("); \r\n\t")
        arguments = loose_json.literal(f"[{closed}]")
        names = (name.strip() for name in start[1].split(","))
        given = {name: json.dumps(value) for name, value in zip(names, arguments, strict=False)}
        body = _STRING_OR_NAME.sub(lambda found: given.get(found[1], found[0]), script[start.end() : end])
        return loose_json.literal(body)
    except ValueError:
        return None


class _Nuxt:
    """One payload being decoded; shared values are decoded once."""

    def __init__(self, payload: list[Any]) -> None:
        self._payload = payload
        self._known: dict[int, Any] = {}

    def value(self, place: Any, depth: int) -> Any:
        """The value at an index, with those it refers to."""
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(self._payload):
            return None
        if place in self._known or depth == 0:
            return self._known.get(place)
        raw = self._payload[place]
        # A value that contains itself finds nothing there, which ends the loop.
        self._known[place] = None
        self._known[place] = self._unfolded(raw, depth - 1)
        return self._known[place]

    def _unfolded(self, raw: Any, depth: int) -> Any:
        if isinstance(raw, dict):
            return {key: self.value(inner, depth) for key, inner in raw.items()}
        if not isinstance(raw, list):
            return raw
        if len(raw) == 2 and isinstance(raw[0], str):
            return raw[1] if raw[0] == _NUXT_DATE else self.value(raw[1], depth) if raw[0] in _NUXT_WRAPPERS else None
        return [self.value(inner, depth) for inner in raw[:_MOST_VALUES]]


def next_flight(scripts: str) -> Iterator[Any]:
    """The JSON rows of the chunks that Next.js pushes; references between rows stay references."""
    texts: list[str] = []
    for chunk in _PUSH.finditer(scripts):
        try:
            texts.append(orjson.loads(chunk[1])[1])
        except (ValueError, IndexError):
            continue
    stream = "".join(texts)
    starts = list(_ROW.finditer(stream))
    for number, start in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(stream)
        if end - start.end() < _SHORTEST_ROW:
            continue
        # Rows of other types may be between, so a row ends at its line.
        row = stream[start.end() : end].partition("\n")[0]
        try:
            yield orjson.loads(row)
        except ValueError:
            continue
