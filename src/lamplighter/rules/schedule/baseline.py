"""The interval of a source about which nothing is known yet."""

from datetime import timedelta

from lamplighter.errors import BadInput
from lamplighter.model.schedule import OrganisationType, PolicyName
from lamplighter.rules.schedule.policies import priority as computer

#: S0: how often each kind of organisation publishes
BY_ORGANISATION = {
    OrganisationType.UN: timedelta(days=1),
    OrganisationType.INGO: timedelta(days=2),
    OrganisationType.NGO: timedelta(days=3),
    OrganisationType.ACADEMIC: timedelta(days=7),
}
#: S0: where neither a frequency nor a kind of organisation is given
BY_YIELD = timedelta(days=3)
#: a source that changes more often than this is better read from a stream
SHORTEST = timedelta(minutes=1)
#: a source that is to be visited less often is better visited by hand
LONGEST = timedelta(days=366)


def baseline(
    interval: timedelta | None,
    organisation: OrganisationType | None,
    *,
    policy: PolicyName,
    priority: int,
    rate_limit: float,
    max_depth: int,
    default: timedelta | None,
) -> timedelta:
    """The interval that is set, else that of its kind of organisation, else the installation's, else its seed's."""
    if interval is not None:
        return interval
    if policy is PolicyName.PRIORITY:
        return computer.interval(priority, rate_limit, max_depth)
    if organisation is not None:
        return BY_ORGANISATION[organisation]
    if default is not None:
        return default
    if policy is PolicyName.YIELD_DAYS:
        return BY_YIELD
    return computer.interval(priority, rate_limit, max_depth)


def checked_interval(interval: timedelta) -> timedelta:
    """The interval, if it is within the allowed range; BadInput otherwise."""
    if not SHORTEST <= interval <= LONGEST:
        raise BadInput(f"an interval of {interval} is out of range; use one minute to one year")
    return interval
