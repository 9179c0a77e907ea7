"""A record over time: its versions, one of them chosen, with small charts of prices, dates and numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from lamplighter.rules.change import field_shifts
from lamplighter.rules.change.differences import as_text
from lamplighter.rules.change.field_shifts import Shift
from lamplighter.rules.formats.typed_text import offset_from
from lamplighter.rules.pages import text_diff
from lamplighter.rules.pages.text_diff import DiffPiece
from lamplighter.rules.records import value_history
from lamplighter.rules.records.value_history import RecordVersion

#: of a chart, in units of its picture
_WIDTH, _HEIGHT, _EDGE = 600, 70, 6
_MOST_CHARTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionValue:
    """A field of the chosen version, compared with the version before."""

    name: str
    text: str
    is_changed: bool
    #: how far it moved; None if it is no number and no date, or did not change
    shift: Shift | None
    pieces: list[DiffPiece]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChart:
    """The values of a field over time."""

    name: str
    least: str
    most: str
    now: str
    drawn: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTime:
    """A record's versions, and the chosen one."""

    last: int
    chosen: int
    at: datetime
    values: list[VersionValue]
    charts: list[ValueChart]


def over_time(record: Mapping[str, Any], *, version: str, now: datetime) -> OverTime | None:
    """The record over time, at this version (the last without one); None while it has not changed."""
    found = value_history.versions(record["history"], first_seen_at=datetime.fromisoformat(record["first_seen_at"]))
    if len(found) < 2:
        return None
    last = len(found) - 1
    chosen = min(offset_from(version), last) if version else last
    shown = found[chosen]
    return OverTime(
        last=last,
        chosen=chosen,
        at=shown.at,
        values=[_value(found, chosen, field) for field in shown.values],
        charts=_charts(found, chosen, now=now),
    )


def _value(found: Sequence[RecordVersion], chosen: int, field: str) -> VersionValue:
    version = found[chosen]
    is_changed = field in version.changed
    before = found[chosen - 1].values.get(field) if is_changed else None
    after = version.values[field]
    shift = field_shifts.shift_of(field, before, after)
    text = as_text(after)
    marks = is_changed and shift is None
    pieces = text_diff.by_words(as_text(before), text, most_pairs=text_diff.MOST_PAIRS_OF_LINE) if marks else []
    shown = field_shifts.shown(field, after) if isinstance(after, int | float) and not isinstance(after, bool) else text
    return VersionValue(name=_name(field), text=shown, is_changed=is_changed, shift=shift, pieces=pieces)


def _charts(found: Sequence[RecordVersion], chosen: int, *, now: datetime) -> list[ValueChart]:
    charts = []
    for field in found[0].values:
        measured = value_history.numbers(found, field)
        if measured is not None:
            charts.append(_chart(found, chosen, field, measured, now=now))
    return charts[:_MOST_CHARTS]


def _chart(
    found: Sequence[RecordVersion], chosen: int, field: str, measured: Sequence[float | None], *, now: datetime
) -> ValueChart:
    known = [(at, value) for at, value in enumerate(measured) if value is not None]
    low, high = min(known, key=lambda each: each[1]), max(known, key=lambda each: each[1])
    said = [field_shifts.shown(field, found[at].values[field]) for at in (low[0], high[0])]
    current = found[chosen].values.get(field)
    return ValueChart(
        name=_name(field),
        least=said[0],
        most=said[1],
        now=field_shifts.shown(field, current) if current is not None else "-",
        drawn=_drawn(found, chosen, known, low[1], high[1], label=f"{_name(field)}: {said[0]} to {said[1]}", now=now),
    )


def _drawn(
    found: Sequence[RecordVersion],
    chosen: int,
    known: Sequence[tuple[int, float]],
    low: float,
    high: float,
    *,
    label: str,
    now: datetime,
) -> Markup:
    """A line of steps: a value holds until the next one."""
    began = found[0].at
    span = max((now - began).total_seconds(), 1.0)

    def across(moment: datetime) -> float:
        return round(_EDGE + (_WIDTH - 2 * _EDGE) * (moment - began).total_seconds() / span, 1)

    def down(value: float) -> float:
        return round(_HEIGHT - _EDGE - (_HEIGHT - 2 * _EDGE) * (value - low) / (high - low), 1)

    first_at, first = known[0]
    steps = f"M{across(found[first_at].at):g} {down(first):g}" + "".join(
        f"H{across(found[at].at):g}V{down(value):g}" for at, value in known[1:]
    )
    mark = down(next((value for at, value in reversed(known) if at <= chosen), first))
    here = across(found[chosen].at)
    return Markup(
        '<svg class="value-chart" viewBox="0 0 {} {}" role="img" aria-label="{}"><path d="{}H{:g}"/>'
        '<line x1="{:g}" x2="{:g}" y1="0" y2="{}"/><circle cx="{:g}" cy="{:g}" r="4"/></svg>'
    ).format(_WIDTH, _HEIGHT, label, Markup(steps), across(now), here, here, _HEIGHT, here, mark)


def _name(field: str) -> str:
    return field.removeprefix("fields.").replace("_", " ")
