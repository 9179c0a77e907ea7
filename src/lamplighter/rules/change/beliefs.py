"""The formulas of `belief` for many rows at once, used to reprice a million sources.

Every argument is a number or an array, and they are broadcast against each other. All times are hours.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lamplighter.rules.change import recency
from lamplighter.rules.change.belief import (
    CLEAR_OF_ONE,
    EVIDENCE_CAP,
    LEAST_HOURS,
    LEAST_SHAPE,
    MOST_HOURS,
    SERIES_BELOW,
    TINY,
)
from lamplighter.rules.change.learning import LEAST_CORRECTION, MOST_CORRECTION, OWN_PULL

Floats = NDArray[np.float64]
#: shapes and hours of beliefs
Beliefs = tuple[Floats, Floats]

#: Newton's steps: three leave an error under 1e-9 for anything between 1e-12 and 1e12, four none that floats can tell
STEPS = 4
#: the age of rows whose beliefs are about plain hours
_AGELESS = np.nan
#: rows that are worked on at once: what they need stays in the processor's cache
BLOCK = 8192


def unchanged(a: ArrayLike, b: ArrayLike, hours: ArrayLike) -> Beliefs:
    """After hours in which nothing changed."""
    a, b, hours = _floats(a, b, hours)
    return a.copy(), b + hours


def changed(a: ArrayLike, b: ArrayLike, hours: ArrayLike) -> Beliefs:
    """After hours in which each changed at least once."""
    a, b, hours = _floats(a, b, hours)
    x = np.log1p(hours / b)
    z0, z1, z2 = (-np.expm1(-(a + k) * x) for k in range(3))
    is_tiny = z0 < TINY
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = (z0 / z1) * (z2 / z1) / a - np.exp(-a * x) * (np.expm1(-x) / z1) ** 2
        matched = 1 / spread, b * (z0 / z1) / (a * spread)
    return np.where(is_tiny, a + 1, matched[0]), np.where(is_tiny, b + hours / 2, matched[1])


def capped(a: ArrayLike, b: ArrayLike, shape: ArrayLike = 0.0) -> Beliefs:
    """The same rates with what was observed beyond the prior's shape capped, and with numbers inside valid bounds."""
    a, b, shape = _floats(a, b, shape)
    scale = np.minimum(1.0, (shape + EVIDENCE_CAP) / a)
    return np.maximum(a * scale, LEAST_SHAPE), np.clip(b * scale, LEAST_HOURS, MOST_HOURS)


def stale_hours(
    a: ArrayLike, b: ArrayLike, hours: ArrayLike, *, signal: ArrayLike = 0.0, age: ArrayLike | None = None
) -> Floats:
    """Hours of so many in which our copy is expected to be stale; `signal`: probability that it already is."""
    a, b, hours, signal, ages = _floats(a, b, hours, signal, _AGELESS if age is None else age)
    stale, _ = _gathered_at(a, b, hours, ages)
    return (1 - signal) * stale + signal * hours


def stale_hours_if_changed(a: ArrayLike, b: ArrayLike, hours: ArrayLike, *, age: ArrayLike | None = None) -> Floats:
    """Hours of so many in which our copy is expected to have been stale, now that it turns out to be."""
    a, b, hours, ages = _floats(a, b, hours, _AGELESS if age is None else age)
    felt = np.where(np.isnan(ages), hours, recency.felt_since(ages, hours))
    gone = -np.expm1(-a * np.log1p(felt / b))
    stale, _ = _gathered_at(a, b, hours, ages)
    return np.divide(stale, gone, out=hours / 2, where=gone > TINY)


def corrections(expected: Floats, seen: Floats, *, pooled: float) -> Floats:
    """The factors that correct expected staleness by the last month's measurement."""
    ratio = (seen + OWN_PULL) / (expected * pooled + OWN_PULL)
    factor: Floats = pooled * np.clip(ratio, LEAST_CORRECTION, MOST_CORRECTION)
    return factor


def wait_hours(
    a: ArrayLike,
    b: ArrayLike,
    *,
    price: ArrayLike,
    weight: ArrayLike = 1.0,
    signal: ArrayLike = 0.0,
    age: ArrayLike | None = None,
    least: ArrayLike,
    most: ArrayLike,
) -> Floats:
    """Hours after which the stale time that is expected to have gathered, times its weight, meets the price."""
    given = _floats(a, b, price, weight, signal, _AGELESS if age is None else age, least, most)
    hours = np.empty(given[0].shape)
    columns, result = [column.reshape(-1) for column in given], hours.reshape(-1)
    for start in range(0, result.size, BLOCK):
        rows = slice(start, start + BLOCK)
        result[rows] = _block_of_waits(*(column[rows] for column in columns))
    return hours


def _block_of_waits(
    a: Floats, b: Floats, price: Floats, weight: Floats, signal: Floats, age: Floats, least: Floats, most: Floats
) -> Floats:
    with np.errstate(over="ignore"):
        worth = price / weight
    # Outside these bounds the limits decide, and nothing needs to be solved.
    within = np.clip(worth, TINY, np.maximum(most, TINY))
    hours = np.clip(_times_for(a, b, within, signal, age), least, most)
    return np.where(worth >= most, most, np.where(worth < TINY, least, hours))


def _times_for(a: Floats, b: Floats, worth: Floats, signal: Floats, age: Floats) -> Floats:
    """Hours after which `worth` stale hours are expected: Newton's steps on logarithms, inside a bracket."""
    pace = np.where(np.isnan(age), 1.0, recency.pace(age))
    guess = worth + np.sqrt(2 * worth * b / (a * pace))
    hours = guess / np.maximum(1.0, signal * guess / worth)
    low, high = worth, np.full_like(worth, np.inf)
    for _ in range(STEPS):
        stale, slope = _gathered_at(a, b, hours, age)
        stale, slope = (1 - signal) * stale + signal * hours, (1 - signal) * slope + signal
        is_early = stale < worth
        low, high = np.where(is_early, hours, low), np.where(is_early, high, hours)
        is_tiny = (stale < TINY) | (slope < TINY)
        stale, slope = np.where(is_tiny, worth, stale), np.where(is_tiny, 1.0, slope)
        hours = np.clip(hours * np.exp(np.log(worth / stale) * stale / (hours * slope)), low, high)
    return hours


def _gathered_at(a: Floats, b: Floats, hours: Floats, age: Floats) -> tuple[Floats, Floats]:
    """Stale hours expected to have gathered, in hours that feel shorter the older the last change is; the slope."""
    is_ageless = np.isnan(age)
    felt = np.where(is_ageless, hours, recency.felt_since(age, hours))
    stale, gone = _gathered(a, b, felt)
    divisor = np.where(felt > 0, felt, 1.0)
    share, evenness = stale / divisor, np.where(is_ageless, 1.0, recency.pace(age + hours) * hours / divisor)
    return share * hours, share + (gone - share) * evenness


def _gathered(a: Floats, b: Floats, hours: Floats) -> tuple[Floats, Floats]:
    """Stale hours expected to have gathered, and the probability that the copy is stale by then."""
    ratio, distance = hours / b, 1 - a
    x = np.log1p(ratio)
    gone = -np.expm1(-a * x)
    far = np.abs(distance)
    is_one = far == 0
    divisor = np.where(is_one, 1.0, distance)
    stale = np.where(
        far > CLEAR_OF_ONE,
        b * ((1 + ratio) * gone - a * ratio) / divisor,
        hours - b * np.where(is_one, x, np.expm1(np.minimum(distance, CLEAR_OF_ONE) * x) / divisor),
    )
    is_small = x * np.maximum(1.0, far) < SERIES_BELOW
    stale[is_small] = (a * b)[is_small] * _series(x[is_small], distance[is_small])
    return stale, gone


def _series(x: Floats, distance: Floats) -> Floats:
    """Sum of x^k/k! · (1 + c + … + c^(k-2)) over k from 2 to 8, with c the distance."""
    sums = [np.ones_like(x)]
    for _ in range(6):
        sums.append(1 + distance * sums[-1])
    total = sums.pop()
    for k in range(8, 2, -1):
        total = sums.pop() + x / k * total
    return x * x / 2 * total


def _floats(*given: ArrayLike) -> list[Floats]:
    """All as arrays of one shape."""
    return [*np.broadcast_arrays(*(np.asarray(each, dtype=np.float64) for each in given))]
