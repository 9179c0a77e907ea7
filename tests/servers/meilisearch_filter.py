"""Meilisearch's filter expressions: parsed, and applied to documents."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Test = Callable[[Mapping[str, Any]], bool]
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<operator>!=|>=|<=|[=<>()\[\],])|(?P<word>[\w./-]+))""",
    re.DOTALL,
)


class BadFilter(Exception):
    """Not a filter, or one over an attribute that is not filterable."""


def filter_of(given: Any, filterable: Sequence[str]) -> Test:
    """A filter as the search route takes it: a string, or a list whose parts must all hold; inner lists are any-of."""
    if given is None:
        return lambda _: True
    if isinstance(given, str):
        return _Parser(given, filterable).whole()
    parts = [filter_of(part, filterable) if isinstance(part, str) else _any_of(part, filterable) for part in given]
    return lambda document: all(part(document) for part in parts)


def _any_of(given: Sequence[str], filterable: Sequence[str]) -> Test:
    parts = [filter_of(part, filterable) for part in given]
    return lambda document: any(part(document) for part in parts)


class _Parser:
    def __init__(self, text: str, filterable: Sequence[str]) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._filterable = filterable

    def whole(self) -> Test:
        test = self._or()
        if self._at < len(self._tokens):
            raise BadFilter(f"found unexpected characters at the end of the filter: {self._peek()}")
        return test

    def _peek(self) -> str | None:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else None

    def _next(self) -> tuple[str, str]:
        if self._at == len(self._tokens):
            raise BadFilter("was expecting an operation, got nothing")
        self._at += 1
        return self._tokens[self._at - 1]

    def _keyword(self, word: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == ("word", word):
            self._at += 1
            return True
        return False

    def _or(self) -> Test:
        parts = [self._and()]
        while self._keyword("OR"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else lambda document: any(part(document) for part in parts)

    def _and(self) -> Test:
        parts = [self._not()]
        while self._keyword("AND"):
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else lambda document: all(part(document) for part in parts)

    def _not(self) -> Test:
        if self._keyword("NOT"):
            inner = self._not()
            return lambda document: not inner(document)
        if self._peek() == "(":
            self._next()
            inner = self._or()
            if self._next()[1] != ")":
                raise BadFilter("expression is missing the following closing delimiter: )")
            return inner
        return self._condition()

    def _condition(self) -> Test:
        kind, name = self._next()
        if kind == "operator":
            raise BadFilter(f"was expecting an attribute, got {name}")
        if name not in self._filterable:
            raise BadFilter(f"attribute `{name}` is not filterable")
        kind, operator = self._next()
        if (kind, operator) == ("word", "IN"):
            return _in(name, self._list())
        if (kind, operator) == ("word", "EXISTS"):
            return lambda document: name in document
        if kind != "operator":
            raise BadFilter(f"was expecting an operator, got {operator}")
        _, value = self._next()
        return _compared(name, operator, value)

    def _list(self) -> list[str]:
        if self._next()[1] != "[":
            raise BadFilter("expected only comma-separated field names inside `IN[..]`")
        values = []
        while self._peek() != "]":
            values.append(self._next()[1])
            if self._peek() == ",":
                self._next()
        self._next()
        return values


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise BadFilter(f"unexpected input at {text[at:]!r}")
        said = match[match.lastgroup]
        if match.lastgroup == "string":
            # Only the quote itself is ever unescaped; two backslashes stay two.
            said = said[1:-1].replace("\\" + said[0], said[0])
        found.append((match.lastgroup, said))
        at = match.end()
    return found


def _in(name: str, values: Sequence[str]) -> Test:
    tests = [_compared(name, "=", value) for value in values]
    return lambda document: any(test(document) for test in tests)


def _compared(name: str, operator: str, value: str) -> Test:
    if operator in ("=", "!="):
        return lambda document: any(_is_equal(each, value) for each in values_of(document, name)) == (operator == "=")
    try:
        bound = float(value)
    except ValueError:
        raise BadFilter(f"`{value}` is not a number") from None
    compare = {
        ">": lambda number: number > bound,
        ">=": lambda number: number >= bound,
        "<": lambda number: number < bound,
        "<=": lambda number: number <= bound,
    }[operator]
    return lambda document: any(
        compare(each) for each in values_of(document, name) if isinstance(each, int | float) and each is not True
    )


def _is_equal(each: Any, value: str) -> bool:
    """Strings whatever their case; numbers by their value; claims by their name."""
    if isinstance(each, bool):
        return str(each).lower() == value.lower()
    if isinstance(each, int | float):
        try:
            return float(value) == each
        except ValueError:
            return False
    return str(each).lower() == value.lower()


def values_of(document: Mapping[str, Any], name: str) -> list[Any]:
    """The values of an attribute: none, one or several."""
    value = document.get(name)
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]
