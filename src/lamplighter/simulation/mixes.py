"""Synthetic change histories, of the kinds that real sources show."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lamplighter.simulation.trace import Floats, Ints, Stamps, Trace, assembled

Rng = np.random.Generator

#: a Monday, so that office hours fall where they should
_START: Final = datetime(2026, 1, 5, tzinfo=UTC).timestamp()
_HOUR: Final = 3600.0
#: sources of one host, and how alike their rates are: the spread of log rates between hosts and inside one
_PER_HOST: Final = 12
_BETWEEN_HOSTS: Final = 1.0
_INSIDE_HOST: Final = 1.0
#: the share of sources that never change while observed, as in real histories
_SILENT: Final = 0.55
#: changes; nothing that is observed by visits changes faster
_MOST_PER_HOUR: Final = 1.0
#: a regime changes the rate by this factor, up or down
_SWITCH: Final = 4.0
#: share of announcements that tell of a change; share of changes that an announcing source announces
_PRECISION: Final = 0.8
_RECALL: Final = 0.8
#: hours from a change to its announcement, on average
_ANNOUNCED_AFTER: Final = 0.25


class Mix(StrEnum):
    """The kind of sources."""

    POISSON = "poisson"
    OFFICE = "office"
    REGIME = "regime"
    BURSTY = "bursty"
    FEEDS = "feeds"
    MIXED = "mixed"


def made(mix: Mix, *, sources: int, days: float, seed: int, announcing: float = 0.0) -> Trace:
    """A trace of so many sources; the share `announcing` of them announce their changes, not quite reliably."""
    rng = np.random.default_rng(seed)
    hours = days * 24
    source, at = _MADE[mix](rng, sources, hours)
    announcing_sources = rng.random(sources) < announcing
    announced = _announcements(rng, source, at, announcing_sources, hours)
    return assembled(
        [f"https://site{number // _PER_HOST}.example/{number % _PER_HOST}" for number in range(sources)],
        weight=np.ones(sources),
        changed=Stamps(source=source, seconds=_START + at * _HOUR),
        announced=Stamps(source=announced[0], seconds=_START + announced[1] * _HOUR),
        span=(_START, _START + hours * _HOUR),
    )


_Changes = tuple[Ints, Floats]


def _poisson(rng: Rng, count: int, hours: float) -> _Changes:
    """Every source at a rate of its own, evenly at random; a change every two days in the median."""
    return _renewals(rng, _rates(rng, count, gap_hours=48) * hours, spread=np.ones(count), scale=hours)


def _office(rng: Rng, count: int, hours: float) -> _Changes:
    """Changes on working days between eight and six, and almost never otherwise."""
    warp = _office_hours(hours)
    source, at = _renewals(rng, _rates(rng, count, gap_hours=48) * warp[-1], spread=np.ones(count), scale=warp[-1])
    return source, np.interp(at, warp, np.linspace(0, hours, len(warp)))


def _regime(rng: Rng, count: int, hours: float) -> _Changes:
    """A source becomes four times as busy, or as quiet, at some moment, and half of them change back later."""
    rate = _rates(rng, count, gap_hours=48)
    factor = np.where(rng.random(count) < 0.5, _SWITCH, 1 / _SWITCH)
    turns = np.sort(rng.uniform(0.15, 0.95, (count, 2)), axis=1) * hours
    turns[rng.random(count) < 0.5, 1] = hours
    # Changes come evenly in a time of the source's own, which is then bent at its turning points.
    bends = np.stack([turns[:, 0], turns[:, 0] + factor * (turns[:, 1] - turns[:, 0])], axis=1)
    whole = bends[:, 1] + hours - turns[:, 1]
    source, own = _renewals(rng, rate * whole, spread=np.ones(count), scale=whole)
    first, second = bends[source, 0], bends[source, 1]
    at = np.where(own < first, own, first + (own - first) / factor[source])
    return source, np.where(own < second, at, turns[source, 1] + own - second)


def _bursty(rng: Rng, count: int, hours: float) -> _Changes:
    """Mostly silent; the other sources change in bursts."""
    rate = _rates(rng, count, gap_hours=96) * (rng.random(count) >= _SILENT)
    return _renewals(rng, rate * hours, spread=rng.uniform(1.3, 2.0, count), scale=hours)


def _feeds(rng: Rng, count: int, hours: float) -> _Changes:
    """Busy, in bursts, and quieter at night."""
    day = _daylight(hours)
    rate = _rates(rng, count, gap_hours=8)
    source, at = _renewals(rng, rate * day[-1], spread=rng.uniform(1.3, 2.0, count), scale=day[-1])
    return source, np.interp(at, day, np.linspace(0, hours, len(day)))


def _mixed(rng: Rng, count: int, hours: float) -> _Changes:
    """Some of every kind, and most of them silent."""
    kinds = (_poisson, _office, _regime, _bursty, _feeds)
    shares = np.array([0.15, 0.2, 0.15, 0.35, 0.15])
    # By host, for the sources of a host are of one kind.
    kind = rng.choice(len(kinds), size=count // _PER_HOST + 1, p=shares)[np.arange(count) // _PER_HOST]
    is_silent = (rng.random(count) < _SILENT) & (kind != kinds.index(_bursty))
    members = [np.flatnonzero(kind == number) for number in range(len(kinds))]
    drawn = [make(rng, len(those), hours) for make, those in zip(kinds, members, strict=True)]
    source = np.concatenate([those[local] for those, (local, _) in zip(members, drawn, strict=True)])
    at = np.concatenate([times for _, times in drawn])
    return source[~is_silent[source]], at[~is_silent[source]]


def _rates(rng: Rng, count: int, *, gap_hours: float) -> Floats:
    """Log-normal changes per hour, similar on one host."""
    host = np.repeat(rng.normal(0, _BETWEEN_HOSTS, count // _PER_HOST + 1), _PER_HOST)[:count]
    rates: Floats = np.exp(host + rng.normal(0, _INSIDE_HOST, count)) / gap_hours
    return np.minimum(rates, _MOST_PER_HOUR)


def _renewals(rng: Rng, expected: Floats, *, spread: Floats, scale: Floats | float) -> _Changes:
    """Renewal processes over (0, scale) with so many events; `spread` is the gaps' coefficient of variation."""
    enough = np.where(expected > 0, np.ceil(expected + 8 * spread * np.sqrt(expected + 1) + 8), 0).astype(np.int64)
    source = np.repeat(np.arange(len(expected)), enough)
    shape = 1 / spread[source] ** 2
    gaps = rng.gamma(shape) / shape
    ends = np.cumsum(gaps)
    first = np.cumsum(enough) - enough
    began = np.concatenate([[0.0], ends])[first]
    # The clock starts somewhere inside a gap, not just after a change.
    started = began + rng.random(len(expected)) * np.concatenate([gaps, [1.0]])[first]
    at = (ends - started[source]) / expected[source]
    inside = at < 1
    whole = np.broadcast_to(np.asarray(scale, dtype=np.float64), expected.shape)
    return source[inside], (at * whole[source])[inside]


def _office_hours(hours: float) -> Floats:
    """Working hours that have passed at each hour of the trace."""
    hour = np.arange(int(np.ceil(hours)))
    is_work = (hour // 24 % 7 < 5) & (hour % 24 >= 8) & (hour % 24 < 18)
    return np.concatenate([[0.0], np.cumsum(np.where(is_work, 3.3, 0.02))])


def _daylight(hours: float) -> Floats:
    """Hours that have passed at each hour of the trace, where night hours count little."""
    hour = np.arange(int(np.ceil(hours)))
    return np.concatenate([[0.0], np.cumsum(1 + 0.8 * np.sin((hour % 24 - 8) / 24 * 2 * np.pi))])


def _announcements(rng: Rng, source: Ints, at: Floats, announcing_sources: NDArray[np.bool_], hours: float) -> _Changes:
    """Announcements: most changes of the announcing sources, somewhat later, and some false ones."""
    is_announced = announcing_sources[source] & (rng.random(len(source)) < _RECALL)
    true_source, true_at = (
        source[is_announced],
        at[is_announced] + rng.exponential(_ANNOUNCED_AFTER, int(is_announced.sum())),
    )
    count = round(len(true_at) * (1 - _PRECISION) / _PRECISION)
    false_source = rng.choice(true_source, count) if count else true_source[:0]
    all_source = np.concatenate([true_source, false_source])
    all_at = np.concatenate([true_at, rng.uniform(0, hours, count)])
    return all_source[all_at < hours], all_at[all_at < hours]


_MADE: Final[Mapping[Mix, Callable[[Rng, int, float], _Changes]]] = {
    Mix.POISSON: _poisson,
    Mix.OFFICE: _office,
    Mix.REGIME: _regime,
    Mix.BURSTY: _bursty,
    Mix.FEEDS: _feeds,
    Mix.MIXED: _mixed,
}
