"""Priorities and rates as people and events say them."""

from datetime import timedelta
from math import ceil, isfinite

from lamplighter.errors import BadInput
from lamplighter.rules.policies.priority import LEVELS

#: name -> number, the highest first
PRIORITIES = {level.name: level.number for level in LEVELS}
_NAMES = {number: name for name, number in PRIORITIES.items()}
#: characters of a priority; Python itself refuses to read a number of some thousand digits
_LONGEST = 100
#: shown with twelve digits, so what was shown and comes back may be off by this share
_ROUNDING = 1e-11


def priority_word(number: int) -> str | int:
    """The name of a priority that has one, else its number."""
    return _NAMES.get(number, number)


def priority_number(word: str | int) -> int:
    """A priority by its name, or by its number as such or as text."""
    if isinstance(word, str):
        named = PRIORITIES.get(word.strip().lower())
        if named is not None:
            return named
        if not word.strip().isdecimal() or len(word) > _LONGEST:
            names = ", ".join(reversed(PRIORITIES))
            raise BadInput(f"priority {word[:100]!r} is unknown; use {names}, or 0 to 100", field="priority")
    number = int(word)
    if not 0 <= number <= 100:
        raise BadInput(f"priority {number} is out of range; use 0 to 100", field="priority")
    return number


def rate_of(delay: timedelta | None) -> float | None:
    """Requests per second that a delay leaves; None where none is set."""
    if delay is None:
        return None
    rate = float(f"{timedelta(seconds=1) / delay:.12g}")
    return int(rate) if rate.is_integer() else rate


def delay_of(rate: float) -> timedelta:
    """The delay, in whole milliseconds, with which no more than so many requests are made in a second."""
    if not isfinite(rate) or rate <= 0:
        raise BadInput(
            f"rate_limit {rate} is not a number of requests per second; use for example 0.5", field="rate_limit"
        )
    milliseconds = ceil(1000 / rate * (1 - _ROUNDING)) if rate > 1e-9 else 10**12
    return timedelta(milliseconds=max(1, milliseconds))
