"""A part of a list, as operations return it."""

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class ListPart(NamedTuple, Generic[T]):
    """A part of a list, and how long the whole is."""

    rows: Sequence[T]
    total: int
