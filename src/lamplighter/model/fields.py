"""Converts dataclass fields to plain values for columns, events and the audit log, and back.

A duration is a number of seconds (or milliseconds), a member of an enum is its text, and windows are JSON.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, dataclass, fields, replace
from datetime import timedelta
from enum import Enum, StrEnum
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, NamedTuple, Self, TypeVar, get_args, get_origin, get_type_hints

from lamplighter.model import window_json
from lamplighter.model.schedule import Window

_UNIT = "unit"
#: metadata of a field whose duration is stored in milliseconds instead of seconds
MILLISECONDS: Mapping[str, str] = {_UNIT: "ms"}
_SPANS = {"seconds": timedelta(seconds=1), "ms": timedelta(milliseconds=1)}

Conversion = Callable[[Any], Any]


class PlainColumn(NamedTuple):
    """How a field is stored."""

    field: str
    #: the name of its plain value
    name: str
    #: value -> plain value and back, for values other than None; None means no conversion
    dump: Conversion | None
    load: Conversion | None


@cache
def columns_of(kind: type) -> tuple[PlainColumn, ...]:
    """How a dataclass's fields are stored."""
    hints = get_type_hints(kind)
    return tuple(_column(each, hints[each.name]) for each in fields(kind))


def dumped(values: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """These fields of a dataclass as plain values."""
    kept = _by_field(kind)
    return {kept[name].name: _converted(kept[name].dump, value) for name, value in values.items()}


@cache
def _by_field(kind: type) -> Mapping[str, PlainColumn]:
    return {each.field: each for each in columns_of(kind)}


def plain(value: Any, kind: type) -> dict[str, Any]:
    """The plain values of an object's fields, as this dataclass: its own or a base class."""
    return {name: _converted(dump, getattr(value, field)) for field, name, dump, _ in columns_of(kind)}


def loaded(stored: Mapping[str, Any], kind: type, *, but: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a dataclass from plain values, except those in `but`; a missing value counts as None."""
    return {field: _converted(load, stored.get(name)) for field, name, _, load in columns_of(kind) if field not in but}


def _converted(convert: Conversion | None, value: Any) -> Any:
    return value if convert is None or value is None else convert(value)


def _column(each: Field[Any], hint: Any) -> PlainColumn:
    name, kind = each.name, _without_none(hint)
    if kind is timedelta:
        unit = each.metadata.get(_UNIT, "seconds")
        span = _SPANS[unit]
        return PlainColumn(name, f"{name}_{unit}", lambda value: value // span, lambda number: _span(number, span))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        # An unknown word in an optional field counts as unset, so that it stops no other row; a required one raises.
        return PlainColumn(name, name, str, kind._value2member_map_.get if NoneType in get_args(hint) else kind)
    if get_args(kind)[:1] == (Window,):
        return PlainColumn(name, name, window_json.to_json, lambda stored: window_json.loaded(stored or [])[0])
    return PlainColumn(name, name, None, None)


def _span(number: int, unit: timedelta) -> timedelta | None:
    """So many units; None when a timedelta cannot hold them."""
    try:
        return number * unit
    except OverflowError:
        return None


def _without_none(kind: Any) -> Any:
    if get_origin(kind) is not UnionType:
        return kind
    others = [each for each in get_args(kind) if each not in (NoneType, Unset)]
    return others[0] if len(others) == 1 else kind


T = TypeVar("T")


class Unset(Enum):
    """The type of UNSET."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET


def otherwise(value: T | Unset, default: T) -> T:
    """The value, or the default if it is unset."""
    return default if isinstance(value, Unset) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialChange:
    """A change of some fields; `a | b` combines two changes, and the second wins."""

    def said(self) -> dict[str, Any]:
        """The changed fields and their new values."""
        values = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return {name: value for name, value in values if value is not UNSET}

    def columns(self) -> dict[str, Any]:
        """The same as plain values, by column name."""
        return dumped(self.said(), type(self))

    def __or__(self, other: Self) -> Self:
        return replace(self, **other.said())

    def __bool__(self) -> bool:
        return bool(self.said())


#: the fields of compact dataclasses
_names: dict[type, tuple[str, ...]] = {}


def compact(kind: type[T]) -> type[T]:
    """Pickles a frozen dataclass of two or more fields as their values.

    The usual way takes a Python call for each field, there and back, for every page that is sent to a reader process.
    """
    names = _names[kind] = tuple(each.name for each in fields(kind))  # type: ignore[arg-type]
    values: Callable[[Any], tuple[Any, ...]] = attrgetter(*names)

    def reduce(self: T) -> tuple[Any, ...]:
        return _restored, (kind, values(self))

    kind.__reduce__ = reduce  # type: ignore[method-assign, assignment]
    return kind


def _restored(kind: type[T], values: tuple[Any, ...]) -> T:
    return kind(**dict(zip(_names[kind], values, strict=True)))
