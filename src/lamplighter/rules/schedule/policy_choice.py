"""Which scheduling policy holds for a source, and which bounds, once a person has set an interval?"""

from datetime import timedelta

from lamplighter.model.schedule import IntervalBounds, PolicyName
from lamplighter.rules.schedule.policies import hash_backoff, yield_days

#: policies that choose an interval whatever the baseline is
OPEN = (PolicyName.LEARNED, PolicyName.PRIORITY)


def chosen(said: PolicyName | None, *, has_interval: bool, default: PolicyName) -> PolicyName | None:
    """The policy of a source: the one that is named, else the one that keeps the interval that a person set.

    None leaves it to the installation (`default`): nothing is set, or its policy starts from the set interval. The
    priority policy knows no interval, so a set one is kept as it is; the learned one stays in its bounds.
    """
    is_to_be_kept = has_interval and (said or default) in OPEN
    return PolicyName.FIXED if is_to_be_kept and said != PolicyName.LEARNED else said


def overridden(
    said: PolicyName | None, *, adaptive: bool | None, sets_interval: bool, has_interval: bool, default: PolicyName
) -> PolicyName | None:
    """The policy after a person set a job's interval, or chose adaptive or not (seeds S1 and S4).

    Adaptive with an interval is hash back-off from it; not adaptive is exactly the interval. A person who sets an
    interval and says nothing of adaptive gets the source's policy if that starts from the interval.
    """
    if adaptive is False:
        return PolicyName.FIXED
    if sets_interval and (adaptive or (said or default) in OPEN):
        return said if said == PolicyName.LEARNED and not adaptive else PolicyName.HASH_BACKOFF
    if adaptive and (said or default) == PolicyName.FIXED:
        return PolicyName.HASH_BACKOFF if has_interval else PolicyName.LEARNED
    if adaptive and said is None and has_interval and default in OPEN:
        return PolicyName.HASH_BACKOFF
    return said


def bounds(
    policy: PolicyName,
    *,
    least: timedelta | None,
    most: timedelta | None,
    set_to: timedelta | None,
    baseline: timedelta,
    usual: IntervalBounds,
) -> IntervalBounds:
    """The bounds of a source: its own, else those of the interval that a person set, else the installation's.

    The installation's are widened to allow the baseline, and end where a policy's own cap does, so that jitter does not
    exceed that. The learned policy knows no baseline: an interval that a person set is kept, unless bounds open it.
    """
    lowest, highest = min(usual.least, baseline), max(usual.most, baseline)
    match policy:
        case PolicyName.LEARNED if set_to is not None:
            lowest = highest = set_to
        case PolicyName.HASH_BACKOFF:
            highest = max(hash_backoff.CAP, baseline)
        case PolicyName.YIELD_DAYS:
            highest = max(yield_days.MOST, baseline)
    if most is not None:
        lowest, highest = min(lowest, most), most
    if least is not None:
        lowest, highest = least, max(least, highest)
    return IntervalBounds(least=lowest, most=highest)
