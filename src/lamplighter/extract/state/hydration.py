"""Decodes the payload formats of Nuxt and Next.js."""

import json
import re
from collections.abc import Iterator
from typing import Any

import orjson

from lamplighter.extract.structured import loose_json

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
