"""A small chart of a value over the versions of something, one of which is chosen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

#: of a chart, in units of its picture
_WIDTH, _HEIGHT, _EDGE = 600, 70, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChart:
    """The values of something over time."""

    name: str
    least: str
    most: str
    now: str
    drawn: Markup


def value_chart(
    name: str,
    times: Sequence[datetime],
    values: Sequence[float | None],
    *,
    said: Callable[[int], str],
    chosen: int,
    now: datetime,
) -> ValueChart | None:
    """The chart of these versions, the oldest first; None if the value was always the same.

    `said` is the value of a version in words.
    """
    known = [(at, value) for at, value in enumerate(values) if value is not None]
    if len({value for _, value in known}) < 2:
        return None
    low, high = min(known, key=lambda each: each[1]), max(known, key=lambda each: each[1])
    least, most = said(low[0]), said(high[0])
    return ValueChart(
        name=name,
        least=least,
        most=most,
        now=said(chosen),
        drawn=_drawn(times, chosen, known, low[1], high[1], label=f"{name}: {least} to {most}", now=now),
    )


def _drawn(
    times: Sequence[datetime],
    chosen: int,
    known: Sequence[tuple[int, float]],
    low: float,
    high: float,
    *,
    label: str,
    now: datetime,
) -> Markup:
    """A line of steps: a value holds until the next one."""
    began = times[0]
    span = max((now - began).total_seconds(), 1.0)

    def across(moment: datetime) -> float:
        return round(_EDGE + (_WIDTH - 2 * _EDGE) * (moment - began).total_seconds() / span, 1)

    def down(value: float) -> float:
        return round(_HEIGHT - _EDGE - (_HEIGHT - 2 * _EDGE) * (value - low) / (high - low), 1)

    first_at, first = known[0]
    steps = f"M{across(times[first_at]):g} {down(first):g}" + "".join(
        f"H{across(times[at]):g}V{down(value):g}" for at, value in known[1:]
    )
    mark = down(next((value for at, value in reversed(known) if at <= chosen), first))
    here = across(times[chosen])
    return Markup(
        '<svg class="value-chart" viewBox="0 0 {} {}" role="img" aria-label="{}"><path d="{}H{:g}"/>'
        '<line x1="{:g}" x2="{:g}" y1="0" y2="{}"/><circle cx="{:g}" cy="{:g}" r="4"/></svg>'
    ).format(_WIDTH, _HEIGHT, label, Markup(steps), across(now), here, here, _HEIGHT, here, mark)
