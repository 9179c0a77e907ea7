"""Regular expressions that people give us, matched so that none of them can hold a worker for long.

Python's engine tries every way in which a pattern could match. Counting the ways beforehand tells the harmless patterns
from those that would take years on the wrong text.
"""

import re
from functools import lru_cache
from math import inf
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

MAX_LENGTH = 200
#: characters of a text that are searched: fewer when a pattern has two open-ended repeats, for their ways multiply
_FAR, _NEAR = 5_000, 500
_MOST_WAYS = 1_000_000

_REPEATS = frozenset({sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT})


class Pattern(NamedTuple):
    """A compiled pattern and how far into a text it may look."""

    regex: re.Pattern[str]
    reach: int


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Pattern:
    """The pattern, ready to search; ValueError says in words what is wrong with it."""
    if len(pattern) > MAX_LENGTH:
        raise ValueError(f"it is longer than {MAX_LENGTH} characters")
    try:
        regex = re.compile(pattern)
        parsed = parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"it is not a regular expression ({error})") from None
    for reach in (_FAR, _NEAR):
        if _ways(parsed, reach) <= _MOST_WAYS:
            return Pattern(regex, reach)
    raise ValueError("it could match in too many ways: no repeat inside a repeat, at most two open-ended repeats")


def search(pattern: str, text: str) -> str | None:
    """What the first group (or, without groups, the whole pattern) matches; None when nothing does."""
    regex, reach = compiled(pattern)
    found = regex.search(text, 0, reach)
    if found is None:
        return None
    return found[1] if regex.groups else found[0]


def matches(pattern: str, text: str) -> bool:
    """Does the pattern occur in the text?"""
    regex, reach = compiled(pattern)
    return regex.search(text, 0, reach) is not None


def _ways(sequence: Any, length: int) -> float:
    """In how many ways could this match a text of that length, at most?"""
    ways = 1.0
    for operator, argument in sequence:
        ways *= _ways_of_one(operator, argument, length)
    return ways


def _ways_of_one(operator: Any, argument: Any, length: int) -> float:
    if operator in _REPEATS:
        least, most, inner = argument
        return _ways_of_repeat(least, min(most, length), _ways(inner, length))
    if operator is sre.BRANCH:
        return sum(_ways(branch, length) for branch in argument[1])
    if operator is sre.GROUPREF_EXISTS or operator is sre.GROUPREF:
        return inf
    if operator is sre.SUBPATTERN:
        return _ways(argument[3], length)
    if operator in (sre.ASSERT, sre.ASSERT_NOT):
        return _ways(argument[1], length)
    return _ways(argument, length) if operator is sre.ATOMIC_GROUP else 1.0


def _ways_of_repeat(least: int, most: int, inner: float) -> float:
    if inner <= 1:
        return max(most - least, 0) + 1
    return inner**most if most <= 20 else inf
