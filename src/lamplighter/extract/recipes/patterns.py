"""Regular expressions of operators; those that Python's engine could try in too many ways are refused beforehand."""

import re
from functools import lru_cache
from math import inf
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

MAX_LENGTH = 200
#: characters of a text that are searched: fewer of them where every one more would multiply the ways to match
_REACHES = (5_000, 2_000, 1_000, 500, 250)
#: a fraction of a second
_MOST_STEPS = 150_000_000
#: characters in its ranges, each of which is visited when a pattern is compiled: all Chinese ones, once
_MOST_IN_RANGES = 21_000

_REPEATS = frozenset({sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT})
#: what is repeated in one step when nothing else is in the repeat
_CHARACTERS = frozenset({sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY})


class RecipePattern(NamedTuple):
    """A compiled pattern and how far into a text it may look."""

    regex: re.Pattern[str]
    reach: int


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> RecipePattern:
    """The compiled pattern; ValueError says in words what is wrong with it."""
    if len(pattern) > MAX_LENGTH:
        raise ValueError(f"it is longer than {MAX_LENGTH} characters")
    try:
        parsed = parser.parse(pattern)
        if _in_ranges(parsed) > _MOST_IN_RANGES:
            raise ValueError(f"its ranges hold more than {_MOST_IN_RANGES} characters; [^…] names the others")
        regex = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"it is not a regular expression ({error})") from None
    for reach in _REACHES:
        if _starts(regex, parsed, reach) * _effort(parsed, reach).steps <= _MOST_STEPS:
            return RecipePattern(regex, reach)
    raise ValueError("it could match in too many ways: no repeat inside a repeat, at most two open-ended repeats")


def search(pattern: str, text: str) -> str | None:
    """The match of the first group (or, without groups, of the whole pattern); None when nothing matches."""
    regex, reach = compiled(pattern)
    found = regex.search(text, 0, reach)
    if found is None:
        return None
    return found[1] if regex.groups else found[0]


def matches(pattern: str, text: str) -> bool:
    """Does the pattern occur in the text?"""
    regex, reach = compiled(pattern)
    return regex.search(text, 0, reach) is not None


def _in_ranges(part: Any) -> int:
    """How many characters its ranges contain, at any depth."""
    if isinstance(part, tuple) and len(part) == 2 and part[0] is sre.RANGE:
        first, last = part[1]
        return int(last - first + 1)
    if isinstance(part, tuple | list | parser.SubPattern):
        return sum(_in_ranges(inner) for inner in part)
    return 0


def _starts(regex: re.Pattern[str], sequence: Any, length: int) -> int:
    """At how many characters could it begin to match?"""
    is_bound = len(sequence) > 0 and sequence[0] == (sre.AT, sre.AT_BEGINNING) and not regex.flags & re.MULTILINE
    return 1 if is_bound else length


class _Effort(NamedTuple):
    """The cost of trying to match, at most."""

    #: in how many ways it could match
    ways: float
    #: how many steps it takes to try them all
    steps: float


def _effort(sequence: Any, length: int) -> _Effort:
    """The effort of a sequence on a text of that length: what follows is tried again for every way before."""
    ways, steps = 1.0, 0.0
    for operator, argument in sequence:
        one = _effort_of_one(operator, argument, length)
        steps += ways * one.steps
        ways *= one.ways
    return _Effort(ways, steps)


def _effort_of_one(operator: Any, argument: Any, length: int) -> _Effort:
    if operator in _REPEATS:
        least, most, inner = argument
        return _effort_of_repeat(least, most, inner, length)
    if operator is sre.BRANCH:
        branches = [_effort(branch, length) for branch in argument[1]]
        return _Effort(sum(each.ways for each in branches), sum(each.steps + 1 for each in branches))
    if operator is sre.GROUPREF_EXISTS or operator is sre.GROUPREF:
        return _Effort(inf, inf)
    if operator is sre.SUBPATTERN:
        return _effort(argument[3], length)
    if operator in (sre.ASSERT, sre.ASSERT_NOT):
        return _effort(argument[1], length)
    # Comparing a character costs little beside trying a way.
    return _effort(argument, length) if operator is sre.ATOMIC_GROUP else _Effort(1.0, 0.1)


def _effort_of_repeat(least: int, most: int, inner: Any, length: int) -> _Effort:
    if len(inner) == 1 and inner[0][0] in _CHARACTERS:
        lengths = max(min(most, length) - least, 0) + 1
        return _Effort(lengths, lengths)
    # What may match nothing at all can be repeated without reaching the end of the text.
    times = min(most, length) if inner.getwidth()[0] else most
    once = _effort(inner, length)
    if once.ways <= 1:
        return _Effort(max(times - least, 0) + 1, times * (once.steps + 1))
    # 2 ** 30 is too many already, and larger numbers overflow when they are multiplied often enough
    ways = once.ways**times if times <= 30 and once.ways <= 2**30 else inf
    return _Effort(ways, ways * (once.steps + 1))
