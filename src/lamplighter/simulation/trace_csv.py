"""Reads change histories from CSV: `source,changed_at`, and optionally when announced, born and died, and a weight."""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

import numpy as np

from lamplighter.errors import BadInput
from lamplighter.simulation.trace import Floats, Stamps, Trace, assembled

_NEEDED: Final = ("source", "changed_at")
_KNOWN: Final = (*_NEEDED, "announced_at", "weight", "born_at", "died_at")
#: bad rows that are listed one by one
_MOST_TOLD: Final = 20
#: seconds since 1970 beyond these are a mistake: milliseconds, or another unit
_LEAST_SECONDS: Final = datetime(1900, 1, 1, tzinfo=UTC).timestamp()
_MOST_SECONDS: Final = datetime(2200, 1, 1, tzinfo=UTC).timestamp()


class _BadRow(Exception):
    """Why a row cannot be used."""


class _Rows:
    """The data of the good rows so far."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.weights: dict[int, float] = {}
        self.changed: tuple[list[int], list[float]] = ([], [])
        self.announced: tuple[list[int], list[float]] = ([], [])
        self.born: dict[int, float] = {}
        self.died: dict[int, float] = {}

    def add(self, source: str, changed_at: str, announced_at: str, weight: str, born_at: str, died_at: str) -> None:
        """Adds one row; an empty time or weight is ignored."""
        if not source:
            raise _BadRow("source is empty; name the source that changed")
        changed = _seconds(changed_at, "changed_at") if changed_at else None
        announced = _seconds(announced_at, "announced_at") if announced_at else None
        heavy = _weight(weight) if weight else None
        born = _seconds(born_at, "born_at") if born_at else None
        died = _seconds(died_at, "died_at") if died_at else None
        number = self.numbers.setdefault(source, len(self.numbers))
        if changed is not None:
            self.changed[0].append(number)
            self.changed[1].append(changed)
        if announced is not None:
            self.announced[0].append(number)
            self.announced[1].append(announced)
        for value, values in ((heavy, self.weights), (born, self.born), (died, self.died)):
            if value is not None:
                values[number] = value


def read(lines: Iterable[str]) -> Trace:
    """The trace that a CSV text describes; if any row is bad, all bad rows are named and nothing is returned."""
    reader = csv.reader(lines)
    rows = _Rows()
    problems: list[str] = []
    bad_count = 0
    try:
        places = _places(next(_without_blanks(reader), None))
        for row in _without_blanks(reader):
            try:
                rows.add(*_cells(row, places))
            except _BadRow as problem:
                bad_count += 1
                if len(problems) < _MOST_TOLD:
                    problems.append(f"line {reader.line_num}: {problem}")
    except csv.Error as error:
        raise BadInput(f"line {reader.line_num} is not CSV ({error}); save the file as plain CSV in UTF-8") from None
    if problems:
        more = f"\n… and {bad_count - len(problems)} more" if bad_count > len(problems) else ""
        raise BadInput("the trace has rows that cannot be used:\n" + "\n".join(problems) + more)
    return _assembled(rows)


def _without_blanks(reader: Iterator[list[str]]) -> Iterator[list[str]]:
    return (row for row in reader if row and any(row))


def _places(header: list[str] | None) -> Mapping[str, int]:
    """The column of each known name."""
    names = [name.strip().lower() for name in header or ()]
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        found = f"the first line is {','.join(header)[:200]!r}" if header else "the file is empty"
        raise BadInput(f"{found}, but must name the columns: {','.join(_KNOWN)} (the last four only if you have them)")
    doubled = [name for name in _KNOWN if names.count(name) > 1]
    if doubled:
        raise BadInput(f"the first line names {doubled[0]!r} twice; name each column once")
    return {name: names.index(name) for name in _KNOWN if name in names}


def _cells(row: list[str], places: Mapping[str, int]) -> list[str]:
    """The known cells in their order; an optional one that is missing is empty."""
    needed = max(places["source"], places["changed_at"])
    if len(row) <= needed:
        raise _BadRow(f"{','.join(row)[:80]!r} has {len(row)} of {needed + 1} columns; leave an unknown time empty")
    found = dict.fromkeys(_KNOWN, "")
    for name, place in places.items():
        if place < len(row):
            found[name] = row[place].strip()
    return list(found.values())


def _seconds(text: str, column: str) -> float:
    """Seconds since 1970 of an ISO time (UTC unless it says otherwise), or of a plain number."""
    try:
        time = datetime.fromisoformat(text) if "-" in text[1:] else None
        seconds = float(text) if time is None else (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except ValueError:
        raise _BadRow(f"{column} {text[:80]!r} is no time; write 2026-01-31T09:30:00Z, or seconds since 1970") from None
    if not _LEAST_SECONDS <= seconds < _MOST_SECONDS:
        raise _BadRow(f"{column} {text[:80]!r} is not between 1900 and 2200; numbers are seconds, not milliseconds")
    return seconds


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0 < weight < math.inf:
        raise _BadRow(f"weight {text[:80]!r} is not a positive number; write 1 for an ordinary source")
    return weight


def _assembled(rows: _Rows) -> Trace:
    if not rows.numbers:
        raise BadInput("the trace has a header but no rows; give one row per change")
    count = len(rows.numbers)
    return assembled(
        list(rows.numbers),
        weight=_column(rows.weights, count, otherwise=1.0),
        changed=_stamps(rows.changed),
        announced=_stamps(rows.announced),
        born=_column(rows.born, count, otherwise=-np.inf),
        died=_column(rows.died, count, otherwise=np.inf),
    )


def _column(values: Mapping[int, float], count: int, *, otherwise: float) -> Floats:
    column = np.full(count, otherwise)
    column[list(values)] = list(values.values())
    return column


def _stamps(columns: tuple[list[int], list[float]]) -> Stamps:
    return Stamps(source=np.array(columns[0], dtype=np.int64), seconds=np.array(columns[1], dtype=np.float64))
