"""Finds the link with the next page number: ?page=3 after ?page=2, /page/2/, ?start=40 after ?start=20."""

import re
from collections.abc import Iterable, Sequence

from lamplighter.extract.links import Anchor

_WORD = (
    r"paged?|pg|pn|p|page_?index|page_?num(?:ber)?|page_?no|current_?page|pagen_1"
    r"|seite|pagina|strona|sida|side|sivu|sayfa"
)
_IN_QUERY = re.compile(rf"(?<=[?&])({_WORD})=(\d{{1,6}})(?=&|$)", re.IGNORECASE)
_IN_PATH = re.compile(
    r"/(page|seite|pagina|p%C3%A1gina|strona|sida|side|sivu|sayfa|stranka|str|pg)[/_-]?(\d{1,5})(?=/?$|\.html?$|/?\?)",
    re.IGNORECASE,
)
#: names that count rows, not pages; Plone says what the number is: b_start:int
_ROWS = re.compile(
    r"(?<=[?&])((?:b_?|job|page|list|search)?(?:start|offset|skip)(?:row|at|index|record|item)?|limitstart|from|first)"
    r"((?::|%3A)int)?=(\d{1,6})(?=&|$)",
    re.IGNORECASE,
)


def place_of(url: str) -> str:
    """The prefix of every address with the next number: it saves most links a closer look."""
    return _without_path_number(url)[0].partition("?")[0]


def counted_on(url: str, anchors: Sequence[Anchor]) -> str | None:
    """The link to the next page by its number, or by the number of its first row."""
    return _by_number(url, anchors) or _by_path(url, anchors) or _by_row(url, anchors)


def highest_number(url: str, anchors: Iterable[Anchor]) -> int:
    """The highest page number among the links to pages of the same list; 0 without any."""
    place, below = place_of(url), _without_path_number(url)[0]
    query = _without(url, _IN_QUERY)
    highest = 0
    for anchor in anchors:
        if not anchor.url.startswith(place):
            continue
        found = _IN_QUERY.search(anchor.url) if "?" in anchor.url else None
        if found is not None and _without(anchor.url, _IN_QUERY) == query:
            highest = max(highest, int(found[2]))
        else:
            path, number = _without_path_number(anchor.url)
            highest = max(highest, number if path == below else 0)
    return highest


def continues(url: str, other: str) -> bool:
    """Is the other address the same page with another query, or a numbered one below it?"""
    path, other_path = url.partition("?")[0].rstrip("/"), other.partition("?")[0].rstrip("/")
    if path == other_path:
        return "?" in other
    below, number = _without_path_number(other)
    return number > 0 and below == _without_path_number(url)[0]


def _by_number(url: str, anchors: Iterable[Anchor]) -> str | None:
    """The same address with the next page number; else the first that also has a page size or an order."""
    current = _IN_QUERY.search(url)
    wanted = int(current[2]) + 1 if current else 2
    path, rest = _without(url, _IN_QUERY)
    second_best = None
    for anchor in anchors:
        found = _IN_QUERY.search(anchor.url) if "?" in anchor.url else None
        if found is None or int(found[2]) != wanted:
            continue
        other_path, other_rest = _without(anchor.url, _IN_QUERY)
        if other_path == path and other_rest == rest:
            return anchor.url
        if other_path == path and rest < other_rest and second_best is None:
            second_best = anchor.url
    return second_best


def _by_path(url: str, anchors: Iterable[Anchor]) -> str | None:
    """The same address with the number at the end of its path increased."""
    base, number = _without_path_number(url)
    wanted = (base, (number or 1) + 1)
    return next((anchor.url for anchor in anchors if _without_path_number(anchor.url) == wanted), None)


def _without_path_number(url: str) -> tuple[str, int]:
    """The address without its page number, and that number; 0 when it has none."""
    found = _IN_PATH.search(url)
    if found is None:
        path, mark, query = url.partition("?")
        return f"{path.rstrip('/')}{mark}{query}", 0
    head, tail = url[: found.start()], url[found.end() :].lstrip("/").removeprefix(".html").removeprefix(".htm")
    return f"{head}{tail}", int(found[2])


def _by_row(url: str, anchors: Iterable[Anchor]) -> str | None:
    """The same address starting where this page ends, if its link is named by the number of the next page."""
    current = _ROWS.search(url)
    row = int(current[3]) if current else 0
    path, rest = _without(url, _ROWS)
    for anchor in anchors:
        found = _ROWS.search(anchor.url) if "?" in anchor.url else None
        step = int(found[3]) - row if found else 0
        if step > 1 and row % step == 0 and _without(anchor.url, _ROWS) == (path, rest):
            text = anchor.node.text.strip()
            if text.isdecimal() and len(text) < 6 and int(text) == row // step + 2:
                return anchor.url
    return None


def _without(url: str, number: re.Pattern[str]) -> tuple[str, frozenset[str]]:
    path, _, query = url.partition("?")
    return path.rstrip("/"), frozenset(part for part in query.split("&") if part and not number.search(f"?{part}"))
