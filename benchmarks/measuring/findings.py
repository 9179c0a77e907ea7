"""What a part of the benchmarks is, and what it hands back: figures with their bars, tables, query plans."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

#: hears what is being done
Tell = Callable[[str], None]


class Size(StrEnum):
    """How much is measured."""

    #: for the page of results
    FULL = "full"
    #: to see within minutes whether something went wrong
    QUICK = "quick"
    #: to see whether the part works at all; its figures mean nothing
    TINY = "tiny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Something that was promised, and what was measured."""

    name: str
    value: float
    unit: str = ""
    #: what it may be at most, or must be at least; one of them
    at_most: float | None = None
    at_least: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether the promise is kept."""
        above = self.at_least is None or self.value >= self.at_least
        return above and (self.at_most is None or self.value <= self.at_most)

    @property
    def bar(self) -> str:
        """The promise in words."""
        word, limit = ("at most", self.at_most) if self.at_most is not None else ("at least", self.at_least)
        return f"{word} {limit:g} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table; the first column names the rows."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a part measured."""

    figures: tuple[Figure, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    #: text that is shown as it is, by its title
    texts: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> "Findings":
        """As `dataclasses.asdict` made it."""
        return cls(
            figures=tuple(Figure(**figure) for figure in told["figures"]),
            sheets=tuple(
                Sheet(
                    title=sheet["title"],
                    headings=tuple(sheet["headings"]),
                    rows=tuple(map(tuple, sheet["rows"])),
                    note=sheet["note"],
                )
                for sheet in told["sheets"]
            ),
            texts=tuple((title, text) for title, text in told["texts"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One question that the benchmarks answer."""

    #: as `--only` takes it
    name: str
    title: str
    #: how it is measured: a few sentences for the page
    about: str
    run: Callable[[Size, Tell], Findings]
    #: what it needs and this machine has not, as a reason to leave it out; empty when it has all
    missing: Callable[[], str] = str
