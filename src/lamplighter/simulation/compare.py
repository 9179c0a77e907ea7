"""Which policy keeps copies freshest with the same number of fetches?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, log
from typing import Final

import numpy as np

from lamplighter.errors import BadInput
from lamplighter.simulation.contenders import RHYTHMS, Contender
from lamplighter.simulation.learned import replay_learned
from lamplighter.simulation.measures import PolicyResult, better_with, results
from lamplighter.simulation.replay import ReplayOutcome, replay
from lamplighter.simulation.trace import Floats, Trace

#: called with the running policy, and the share of its work that is done
Progress = Callable[[Contender, float], None]

_SEED: Final = 20260105
#: replays of each policy with other first visits, over which every figure is the mean
PHASES: Final = 3
#: sources on which a scale is searched before it is tried on all
_FEW: Final = 1_000
#: replays of learning to come this near to the budget
_LEARNED_TRIALS: Final = 4
_NEAR_ENOUGH: Final = 0.003


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The results of the policies on one trace with one budget."""

    #: fetches per day and source
    budget: float
    results: list[PolicyResult]
    #: sources that would be fresher with another policy than with `learned`, by the one that suits them best
    better_with: Mapping[Contender, int]
    #: staleness of the oracle over that of a fixed interval: what there is to gain by knowing how often sources change
    room: float


def usual_budget(trace: Trace) -> float:
    """Fetches per day and source of S1's and S4's rule as written: thirty minutes, doubled up to a day."""
    all_phases, phase = _in_all_phases(trace)
    as_written = replay(all_phases, RHYTHMS[Contender.HASH_BACKOFF](all_phases, 1.0, 1.0), phase=phase)
    assert as_written is not None
    return float(as_written.fetches.sum() / all_phases.source_days)


def few_of(trace: Trace, count: int) -> Trace:
    """This many of the sources, chosen at random but always the same."""
    return trace.only(np.sort(np.random.default_rng(_SEED).permutation(len(trace))[:count]))


def compare(
    trace: Trace, policies: Sequence[Contender], *, budget: float, on_progress: Progress = lambda policy, share: None
) -> Comparison:
    """Replays the trace under each policy; the budget is in fetches per day and source, the first copy included."""
    least = len(trace) / trace.source_days
    if not budget > least:
        raise BadInput(
            f"a budget of {budget:g} fetches per day and source does not even pay for the first copy"
            f" in {trace.days:.3g} days; give more than {least:.3g}"
        )
    marks = [policy for policy in (Contender.FIXED, Contender.ORACLE) if policy not in policies]
    outcomes = [
        *((policy, _outcomes(trace, policy, budget, on_progress)) for policy in policies),
        *((policy, _outcomes(trace, policy, budget, lambda policy, share: None)) for policy in marks),
    ]
    found = results(trace, outcomes, rng=np.random.default_rng(_SEED))
    stale = {result.policy: result.staleness for result in found}
    fixed, oracle = stale[Contender.FIXED], stale[Contender.ORACLE]
    return Comparison(
        budget=budget,
        results=found[: len(policies)],
        better_with=better_with(outcomes[: len(policies)]),
        room=oracle / fixed if fixed else 1.0,
    )


def _outcomes(trace: Trace, policy: Contender, budget: float, on_progress: Progress) -> list[ReplayOutcome]:
    """One outcome for each phase."""
    fetches = budget * trace.source_days
    on_progress(policy, 0.0)
    replayed = _learned if policy is Contender.LEARNED else partial(_rhythmic, policy)
    outcomes = replayed(trace, fetches, lambda share: on_progress(policy, share))
    on_progress(policy, 1.0)
    return outcomes


def _learned(trace: Trace, fetches: float, on_progress: Callable[[float], None]) -> list[ReplayOutcome]:
    """The outcomes that spend the budget.

    The price keeps to it well where sources are many. Where each fetch counts, the difference is corrected in another
    replay.
    """
    requested, outcomes = fetches, list[ReplayOutcome]()
    for number in range(PHASES):
        tried: list[ReplayOutcome] = []
        for _ in range(_LEARNED_TRIALS):
            outcome = replay_learned(
                trace,
                fetches=requested,
                phase=_phase(trace, number),
                rng=np.random.default_rng([_SEED, number]),
                on_progress=partial(_in_phase, number, on_progress),
            )
            tried.append(outcome)
            excess = float(outcome.fetches.sum()) / fetches
            if abs(excess - 1) <= _NEAR_ENOUGH:
                break
            requested /= excess
        outcomes.append(min(tried, key=lambda outcome: abs(float(outcome.fetches.sum()) - fetches)))
    return outcomes


def _in_phase(number: int, on_progress: Callable[[float], None], share: float) -> None:
    on_progress((number + share) / PHASES)


def _rhythmic(
    policy: Contender, trace: Trace, fetches: float, on_progress: Callable[[float], None]
) -> list[ReplayOutcome]:
    """The outcomes at the scale that spends the budget."""
    trials = 0

    def count() -> None:
        nonlocal trials
        trials += 1
        on_progress(trials / (trials + 1))

    outcome = _at_budget(trace, policy, fetches, _rough_scale(trace, policy, fetches), count)[1]
    return [outcome.only(slice(number * len(trace), (number + 1) * len(trace))) for number in range(PHASES)]


def _rough_scale(trace: Trace, policy: Contender, fetches: float) -> float:
    """Roughly the scale that spends the budget, searched on a few sources, where trials cost little."""
    # The rule that sets the usual budget must not be moved from its own numbers by the choice of the few.
    if len(trace) <= _FEW or policy is Contender.HASH_BACKOFF:
        return 1.0
    few = few_of(trace, _FEW)
    return _at_budget(few, policy, fetches * few.source_days / trace.source_days, 1.0, lambda: None)[0]


def _at_budget(
    trace: Trace, policy: Contender, fetches: float, first_scale: float, on_trial: Callable[[], None]
) -> tuple[float, ReplayOutcome]:
    """The scale at which all phases together spend the budget of each, and the outcome of all, one after the other."""
    mean_hours = 24 * trace.source_days / fetches
    all_phases, phase = _in_all_phases(trace)

    def replayed(scale: float, most_fetches: float) -> ReplayOutcome | None:
        on_trial()
        return replay(
            all_phases, RHYTHMS[policy](all_phases, scale, mean_hours), phase=phase, most_fetches=most_fetches
        )

    return at_budget(replayed, fetches=fetches * PHASES, first_scale=first_scale)


def _in_all_phases(trace: Trace) -> tuple[Trace, Floats]:
    """The sources once for each phase, and their phases."""
    repeated = trace.only(np.tile(np.arange(len(trace)), PHASES))
    return repeated, np.concatenate([_phase(trace, number) for number in range(PHASES)])


def _phase(trace: Trace, number: int) -> Floats:
    """How far into its first interval each source is visited again; never at once."""
    return np.random.default_rng([_SEED, number]).uniform(0.01, 1.0, len(trace))


#: share of the budget within which a result is accepted
_TOLERANCE: Final = 0.002
_MOST_TRIALS: Final = 40
#: multiple of the budget at which a replay stops counting
_TOO_MANY: Final = 2.0
#: how far beyond its goal the first step goes; every further one goes twice as far
_STRIDE: Final = 0.002
#: one of this many trials halves the bracket
_HALVE_EVERY: Final = 3


@dataclass(frozen=True, slots=True)
class _Trial:
    """The logarithms of a scale, and of its fetches over the budget's."""

    at: float
    excess: float


def at_budget(
    replayed: Callable[[float, float], ReplayOutcome | None], *, fetches: float, first_scale: float = 1.0
) -> tuple[float, ReplayOutcome]:
    """The scale whose fetches come closest to those of the budget, and its outcome.

    `replayed` takes a scale, and a number of fetches at which it may stop; a greater scale must not cost more.
    """
    dear: _Trial | None = None
    cheap: _Trial | None = None
    best: tuple[float, float, ReplayOutcome] | None = None
    for number in range(_MOST_TRIALS):
        at = _next_scale(dear, cheap, number) if number else log(first_scale)
        outcome = replayed(exp(at), fetches * _TOO_MANY)
        excess = log(int(outcome.fetches.sum()) / fetches if outcome is not None else _TOO_MANY)
        if outcome is not None and (best is None or abs(excess) < best[0]):
            best = (abs(excess), exp(at), outcome)
        if abs(excess) <= _TOLERANCE:
            break
        if excess > 0:
            dear = _Trial(at, excess)
        else:
            cheap = _Trial(at, excess)
    assert best is not None, "a great enough scale costs next to nothing"
    return best[1:]


def _next_scale(dear: _Trial | None, cheap: _Trial | None, number: int) -> float:
    """Strides that grow until the budget lies between two trials; then the line through them.

    Fetches go about as one over the scale, so on logarithms the line is nearly straight.
    """
    nearest = dear or cheap
    assert nearest is not None
    if dear is None or cheap is None:
        stride = _STRIDE * 2.0**number
        return nearest.at + nearest.excess + (stride if cheap is None else -stride)
    share = 0.5 if number % _HALVE_EVERY == 0 else dear.excess / (dear.excess - cheap.excess)
    return dear.at + (cheap.at - dear.at) * min(max(share, 0.02), 0.98)
