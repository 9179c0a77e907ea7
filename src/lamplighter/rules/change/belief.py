"""How often does a page change, and when is the next visit worth its price? One belief, as plain floats.

The rate of changes per hour is believed to be Gamma distributed, with shape `a` and `b` hours. All times are hours.
`beliefs` has the same formulas for many rows at once; a change to a formula here must be made there too.
"""

import math

from lamplighter.model.schedule import Belief
from lamplighter.rules.change import recency

#: changes worth of evidence that are kept; what is older fades, so that a site that wakes up is noticed
EVIDENCE_CAP = 8.0
#: numbers of a belief outside these bounds are corrupt
LEAST_SHAPE, MOST_SHAPE = 1e-6, 1e6
LEAST_HOURS, MOST_HOURS = 1e-6, 1e9
#: hours: no gap longer than a century is reported
LONGEST_GAP = 100 * 365.25 * 24
#: a probability below this has lost its digits
TINY = 1e-300
#: below this, differences of nearly equal numbers cost more digits than the first terms of the series do
SERIES_BELOW = 0.03
#: from this distance of the shape to 1 on, dividing by the distance is harmless
CLEAR_OF_ONE = 0.5
#: steps of Newton's before the bracket is merely halved, and halvings that exhaust any bracket of floats
NEWTON_STEPS, MOST_STEPS = 12, 150
#: a step of Newton's smaller than this is the last: what it leaves is the square of it
NEAR = 1e-7
#: of the normal distribution: a tenth lies above
TENTH = 1.2815515655446004


def unchanged(belief: Belief, hours: float) -> Belief:
    """After hours in which nothing changed."""
    return Belief(a=belief.a, b=belief.b + hours)


def changed(belief: Belief, hours: float) -> Belief:
    """After hours in which it changed at least once: the Gamma with the mean and variance of what is then known.

    With z_k = 1 - exp(-(a+k)x) and x = ln(1 + hours/b), the variance over the squared mean is
    (a+1)/a · z₀z₂/z₁² - 1. Here it is rearranged so that at most half of it cancels, whatever a and x are.
    """
    a, x = belief.a, math.log1p(hours / belief.b)
    z0 = -math.expm1(-a * x)
    if z0 < TINY:
        return Belief(a=a + 1, b=belief.b + hours / 2)
    z1 = -math.expm1(-(a + 1) * x)
    z2 = -math.expm1(-(a + 2) * x)
    spread = (z0 / z1) * (z2 / z1) / a - math.exp(-a * x) * (math.expm1(-x) / z1) ** 2
    return Belief(a=1 / spread, b=belief.b * (z0 / z1) / (a * spread))


def counted(belief: Belief, hours: float, count: int) -> Belief:
    """After hours in which it changed exactly so many times."""
    return Belief(a=belief.a + count, b=belief.b + hours)


def capped(belief: Belief, *, shape: float = 0.0) -> Belief:
    """The same rate with what was observed beyond the prior's shape capped, and with numbers inside valid bounds."""
    scale = min(1.0, (shape + EVIDENCE_CAP) / belief.a)
    return Belief(a=max(belief.a * scale, LEAST_SHAPE), b=min(max(belief.b * scale, LEAST_HOURS), MOST_HOURS))


def sound(a: float | None, b: float | None, *, otherwise: Belief) -> Belief:
    """The stored belief if its numbers are valid, else `otherwise`."""
    if a is None or b is None:
        return otherwise
    # Comparisons with NaN are false, so it is rejected like every other invalid number.
    if LEAST_SHAPE <= a <= MOST_SHAPE and LEAST_HOURS <= b <= MOST_HOURS:
        return Belief(a=a, b=b)
    return otherwise


def survival(belief: Belief, hours: float, *, age: float | None = None) -> float:
    """Probability that our copy is still good after so many hours."""
    return math.exp(-belief.a * math.log1p(recency.counted(age, hours) / belief.b))


def stale_hours(belief: Belief, hours: float, *, signal: float = 0.0, age: float | None = None) -> float:
    """Hours of so many in which our copy is expected to be stale; `signal`: probability that it already is.

    With an `age`, the belief is about felt hours (see `recency`), and the last change was so long ago when they began.
    """
    stale, *_ = _gathered_at(belief.a, belief.b, hours, age)
    return (1 - signal) * stale + signal * hours


def stale_hours_if_changed(belief: Belief, hours: float, *, age: float | None = None) -> float:
    """Hours of so many in which our copy is expected to have been stale, now that it turns out to be."""
    stale, gone, _ = _gathered_at(belief.a, belief.b, hours, age)
    return stale / gone if gone > TINY else hours / 2


def wait_hours(
    belief: Belief,
    *,
    price: float,
    weight: float = 1.0,
    signal: float = 0.0,
    age: float | None = None,
    least: float,
    most: float,
) -> float:
    """Hours after which the stale time that is expected to have gathered, times its weight, meets the price."""
    worth = price / weight
    if worth >= most:  # staleness never gathers faster than time passes
        return most
    if worth < TINY:
        return least
    return min(max(_time_for(belief.a, belief.b, worth, signal, age), least), most)


def gap_range(belief: Belief) -> tuple[float, float]:
    """The range of hours between two changes that holds with a probability of four fifths."""
    # The least believable gap belongs to the highest believable rate, and the other way round.
    usual = min(belief.b / belief.a, LONGEST_GAP)
    fastest, slowest = _quantile(belief.a, 0.9, TENTH), _quantile(belief.a, 0.1, -TENTH)
    low, high = (belief.b / rate if belief.b < LONGEST_GAP * rate else LONGEST_GAP for rate in (fastest, slowest))
    return min(low, usual), max(high, usual)


def _quantile(a: float, probability: float, deviation: float) -> float:
    """Below which Gamma(a, 1) lies with this probability, to a few percent.

    Wilson and Hilferty's cube of a normal variable serves large shapes. For small ones it falls below the
    first term of the distribution function, which no quantile does.
    """
    cube = 1 - 1 / (9 * a) + deviation / (3 * math.sqrt(a))
    first_term = math.exp((math.log(probability) + math.lgamma(a + 1)) / a)
    return max(a * cube**3, first_term)


def _time_for(a: float, b: float, worth: float, signal: float, age: float | None) -> float:
    """Hours after which `worth` stale hours are expected.

    Newton's steps on logarithms of both: there the curve is nearly straight, its slope always between about 0.8 and 2.
    Every step narrows a bracket; whatever leaves it, or takes too long, is replaced by the bracket's middle.
    """
    pace = recency.pace(age) if age is not None else 1.0
    hours = worth + math.sqrt(2 * worth * b / (a * pace))
    if signal * hours > worth:
        hours = worth / signal
    low, high = worth, math.inf
    for step in range(MOST_STEPS):
        stale, _, slope = _gathered_at(a, b, hours, age)
        stale, slope = (1 - signal) * stale + signal * hours, (1 - signal) * slope + signal
        if stale < TINY or slope < TINY:  # so little that the guess, which is the limit, is as good as it gets
            return hours
        low, high = (hours, high) if stale < worth else (low, hours)
        move = math.log(worth / stale) * stale / (hours * slope)
        target = hours * math.exp(move)
        if abs(move) < NEAR:
            return target
        is_safe = step < NEWTON_STEPS and low <= target <= high
        hours = target if is_safe else math.sqrt(low) * math.sqrt(min(high, 4 * hours))
    return hours


def _gathered_at(a: float, b: float, hours: float, age: float | None) -> tuple[float, float, float]:
    """The same as `_gathered`, in hours that feel shorter the longer the last change is ago; and the first one's slope.

    Within one span they are taken to be of equal length: it is short against the age, or the age does not matter. They
    are the shorter the longer the span is, which is why the slope is a little less than the probability.
    """
    if age is None:
        stale, gone = _gathered(a, b, hours)
        return stale, gone, gone
    felt = recency.felt_since(age, hours)
    if felt <= 0:
        return 0.0, 0.0, 0.0
    stale, gone = _gathered(a, b, felt)
    share, evenness = stale / felt, recency.pace(age + hours) * hours / felt
    return share * hours, gone, share + (gone - share) * evenness


def _gathered(a: float, b: float, hours: float) -> tuple[float, float]:
    """Stale hours expected to have gathered, and the probability that the copy is stale by then.

    All three forms are the same function: hours - ∫S. Each is used where it keeps its digits.
    """
    ratio, distance = hours / b, 1 - a
    x = math.log1p(ratio)
    gone = -math.expm1(-a * x)
    if x * max(1.0, abs(distance)) < SERIES_BELOW:
        return a * b * _series(x, distance), gone
    if abs(distance) > CLEAR_OF_ONE:
        return b * ((1 + ratio) * gone - a * ratio) / distance, gone
    return hours - b * (math.expm1(distance * x) / distance if distance else x), gone


def _series(x: float, distance: float) -> float:
    """Sum of x^k/k! · (1 + c + … + c^(k-2)) over k from 2 to 8, with c the distance."""
    c = distance
    h3 = 1 + c
    h4 = 1 + c * h3
    h5 = 1 + c * h4
    h6 = 1 + c * h5
    h7 = 1 + c * h6
    h8 = 1 + c * h7
    tail = h5 + x / 6 * (h6 + x / 7 * (h7 + x / 8 * h8))
    return x * x / 2 * (1 + x / 3 * (h3 + x / 4 * (h4 + x / 5 * tail)))
