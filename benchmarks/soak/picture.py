"""A small picture of the samples: one curve above the other, each on a scale of its own that begins at zero."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from benchmarks.soak.samples import Sample

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _GAP = 720, 90, 64, 16, 34
_STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:#555}path{fill:none;stroke:#b7791f;stroke-width:2}"
    "line{stroke:#ccc}rect{fill:#fff}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One figure over time."""

    name: str
    of: Callable[[Sample], float]


def svg(samples: Sequence[Sample], curves: Sequence[Curve], *, unit: str) -> str:
    """The picture as an SVG document."""
    height = len(curves) * (_HEIGHT + _GAP) + _GAP
    panels = "\n".join(
        line
        for number, curve in enumerate(curves)
        for line in _panel(samples, curve, top=_GAP + number * (_HEIGHT + _GAP))
    )
    end = f'<text x="{_WIDTH - _RIGHT}" y="{height - 8}" text-anchor="end">{samples[-1].at:g} {unit}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">\n'
        f'<style>{_STYLE}</style>\n<rect width="{_WIDTH}" height="{height}"/>\n{panels}\n{end}\n</svg>\n'
    )


def _panel(samples: Sequence[Sample], curve: Curve, *, top: int) -> Iterator[str]:
    values = [curve.of(sample) for sample in samples]
    most, last = max(values) or 1.0, samples[-1].at or 1.0
    bottom, width = top + _HEIGHT, _WIDTH - _LEFT - _RIGHT
    points = [
        (_LEFT + width * sample.at / last, bottom - _HEIGHT * value / most)
        for sample, value in zip(samples, values, strict=True)
    ]
    yield f'<text x="{_LEFT}" y="{top - 8}">{escape(curve.name)}</text>'
    for level, text in ((top, f"{most:,.4g}"), (bottom, "0")):
        yield f'<line x1="{_LEFT}" y1="{level}" x2="{_WIDTH - _RIGHT}" y2="{level}"/>'
        yield f'<text x="{_LEFT - 8}" y="{level + 4}" text-anchor="end">{text}</text>'
    yield f'<path d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y in points)}"/>'
