"""How far a number or a date of a record moved, in words."""

from datetime import date
from typing import Any, NamedTuple

#: the fields of a record that are amounts of money
_AMOUNTS = frozenset({"price", "fields.price"})


class Shift(NamedTuple):
    """A move of a value."""

    is_up: bool
    #: as in "−12.5 %" or "14 days later"
    text: str


def shift_of(field: str, before: Any, after: Any) -> Shift | None:
    """How far a value moved; None if it is neither a number nor a date, or was none before."""
    if _is_number(before) and _is_number(after) and before != after:
        return _of_numbers(field, float(before), float(after))
    old, new = _date_of(before), _date_of(after)
    if old is None or new is None or old == new:
        return None
    days = (new - old).days
    return Shift(days > 0, f"{abs(days)} {'day' if abs(days) == 1 else 'days'} {'later' if days > 0 else 'earlier'}")


def shown(field: str, value: Any) -> str:
    """A number or date as people write it: amounts of money with two digits."""
    if _is_number(value):
        return f"{value:.2f}" if field in _AMOUNTS else f"{value:g}"
    moment = _date_of(value)
    return moment.isoformat() if moment is not None else str(value)


def _of_numbers(field: str, before: float, after: float) -> Shift:
    sign = "+" if after > before else "−"
    by = shown(field, abs(after - before))
    if not before:
        return Shift(after > before, f"{sign}{by}")
    return Shift(after > before, f"{sign}{abs(after - before) / abs(before):.1%}".replace("%", "\u202f%"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _date_of(value: Any) -> date | None:
    """The date of an ISO text, with or without a time."""
    if not isinstance(value, str) or len(value) < 10:
        return None
    try:
        return date.fromisoformat(value[:10]) if len(value) == 10 or value[10] in "T " else None
    except ValueError:
        return None
