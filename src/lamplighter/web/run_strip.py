"""A strip of bars for the latest runs of a source: colour is the outcome, height the duration, the line the records."""

import math
from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from lamplighter.store.runs.run_strips import RUNS, RunBar

#: of a bar with its gap, and of the parts of the picture
_STEP, _BARS, _LINE = 5, 16, 12
_HEIGHT = _BARS + _LINE
_WORDS = {"ok": "succeeded", "warn": "with a warning", "fail": "failed", "cancelled": "cancelled", "": "running"}


def run_strip(bars: Sequence[RunBar]) -> Markup:
    """The strip as an SVG picture with a text that says the same; a dash without a run."""
    if not bars:
        return Markup('<span class="quiet">-</span>')
    # Built here and not in a template, because a list has fifty; nothing in it but numbers and our own words.
    left = (RUNS - len(bars)) * _STEP
    longest = max(map(_weight, bars)) or 1.0
    shapes: dict[str, list[str]] = {}
    for at, bar in enumerate(bars):
        high = max(3, round(_BARS * _weight(bar) / longest))
        shape = f"M{left + at * _STEP} {_HEIGHT}v-{high}h{_STEP - 1}v{high}z"
        shapes.setdefault(bar.outcome or "", []).append(shape)
    paths = "".join(f'<path class="{word or "running"}" d="{"".join(each)}"/>' for word, each in shapes.items())
    text = summary(bars)
    head = f'<svg class="strip" viewBox="0 0 {RUNS * _STEP} {_HEIGHT}" role="img" aria-label="{text}">'
    return Markup(f"{head}<title>{text}</title>{_line(bars, left)}{paths}</svg>")


def summary(bars: Sequence[RunBar]) -> str:
    """The strip in words: 30 runs: 28 succeeded, 2 failed; 40 to 44 records."""
    counts = Counter(bar.outcome or "" for bar in bars)
    told = ", ".join(f"{counts[word]} {text}" for word, text in _WORDS.items() if counts[word])
    shown = [bar.records for bar in bars if bar.records is not None]
    records = f"; {min(shown)} to {max(shown)} records" if shown else ""
    return f"Last {len(bars)} runs: {told}{records}" if len(bars) > 1 else f"Last run: {told}{records}"


def _weight(bar: RunBar) -> float:
    """How high a bar is: its duration, such that a run of an hour does not make all others vanish."""
    seconds = (bar.finished_at - bar.started_at).total_seconds() if bar.finished_at is not None else 0.0
    return math.log1p(max(0.0, seconds))


def _line(bars: Sequence[RunBar], left: int) -> str:
    """The records that the source showed after each run, as a line above the bars; none while they are the same."""
    points = [(at, bar.records) for at, bar in enumerate(bars) if bar.records is not None]
    most, least = (max(value for _, value in points), min(value for _, value in points)) if points else (0, 0)
    if most == least:
        return ""
    high = _LINE - 3
    spots = (
        f"{left + at * _STEP + _STEP // 2},{1 + high - round(high * (value - least) / (most - least), 1):g}"
        for at, value in points
    )
    return f'<polyline points="{" ".join(spots)}"/>'
