"""What does a site allow its content to be used for? Read wherever it says so, recorded with what we keep.

Three vocabularies are understood: AIPREF's Content-Usage, Content-Signal, and TDMRep; RSL's License is recorded. A
preference is kept as one line, `<where> <vocabulary>: <value>`, exactly as found, so that later users of a record
can judge by rules that do not exist yet. Of their keys only `search` concerns a service like this one: content whose
owner does not want it searchable is not kept as records.
"""

import re
from collections.abc import Iterable
from typing import Any

#: response headers that carry a preference -> the vocabulary's name
HEADERS = {
    "Content-Usage": "content-usage",
    "Content-Signal": "content-signal",
    "TDM-Reservation": "tdm-reservation",
    "TDM-Policy": "tdm-policy",
}
#: names of meta elements that carry one
META_NAMES = frozenset({"tdm-reservation", "tdm-policy"})
_LONGEST_VALUE, _MOST_LINES = 500, 50

_NO = frozenset({"n", "no", "?0", "false", "0"})
_PAIR = re.compile(r"([a-z][a-z0-9_-]*)\s*=\s*([^\s,;]+)", re.IGNORECASE)


def line(where: str, vocabulary: str, value: str) -> str:
    """One preference as it is stored; `where` is header, robots or meta."""
    return f"{where} {vocabulary}: {' '.join(value.split())[:_LONGEST_VALUE]}"


def joined(*lines: str | None) -> str | None:
    """All preferences of a page together, each once; None when there is none."""
    if not any(lines):
        return None
    distinct = dict.fromkeys(each for several in lines if several for each in several.splitlines())
    return "\n".join(list(distinct)[:_MOST_LINES]) or None


def said_in(where: str, lines: str | None) -> str | None:
    """The preferences among the lines that come from there; None when there is none."""
    if not lines:
        return None
    return joined(*(each for each in lines.splitlines() if each.startswith(f"{where} ")))


def as_mapping(lines: str | None) -> dict[str, str]:
    """The preferences by key: of two that disagree, the stricter."""
    found: dict[str, str] = {}
    for vocabulary, value in _statements(lines):
        for key, word in _keys(vocabulary, value):
            if found.get(key) is None or word.lower() in _NO or (key == "tdm-reservation" and word == "1"):
                found[key] = word
    return found


def forbids_search(lines: str | None) -> bool:
    """Does the owner not want the content to be searchable?"""
    return any(
        key == "search" and word.lower() in _NO
        for vocabulary, value in _statements(lines)
        for key, word in _keys(vocabulary, value)
    )


def from_headers(headers: Any) -> str | None:
    """The preferences among a response's headers (a multidict), all lines of each."""
    return joined(
        *(line("header", name, value) for header, name in HEADERS.items() for value in headers.getall(header, ()))
    )


def _statements(lines: str | None) -> Iterable[tuple[str, str]]:
    for each in (lines or "").splitlines():
        _, _, statement = each.partition(" ")
        vocabulary, _, value = statement.partition(": ")
        yield vocabulary, value


def _keys(vocabulary: str, value: str) -> Iterable[tuple[str, str]]:
    if vocabulary in ("content-usage", "content-signal"):
        return [(key.lower(), word) for key, word in _PAIR.findall(value)]
    return [(vocabulary, value)]
