"""A record over time: its versions, one of them chosen, with small charts of prices, dates and numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from lamplighter.rules.change import field_shifts
from lamplighter.rules.change.differences import as_text
from lamplighter.rules.change.field_shifts import Shift
from lamplighter.rules.formats.typed_text import offset_from
from lamplighter.rules.pages import text_diff
from lamplighter.rules.pages.text_diff import DiffPiece
from lamplighter.rules.records import value_history
from lamplighter.rules.records.value_history import RecordVersion
from lamplighter.web.dashboard.value_chart import ValueChart, value_chart

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
    times = [version.at for version in found]
    for field in found[0].values:
        measured = value_history.numbers(found, field)
        if measured is not None:
            said = partial(_said, found, field)
            charts.append(value_chart(_name(field), times, measured, said=said, chosen=chosen, now=now))
    return [chart for chart in charts if chart is not None][:_MOST_CHARTS]


def _said(found: Sequence[RecordVersion], field: str, at: int) -> str:
    value = found[at].values.get(field)
    return field_shifts.shown(field, value) if value is not None else "-"


def _name(field: str) -> str:
    return field.removeprefix("fields.").replace("_", " ")
