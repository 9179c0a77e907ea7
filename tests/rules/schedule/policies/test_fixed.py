"""The interval as given."""

from lamplighter.model.schedule import PolicyName
from lamplighter.rules.schedule.policies import POLICIES
from tests.rules.schedule.policies.policy_inputs import HOUR, asked

fixed = POLICIES[PolicyName.FIXED]


def test_what_was_found_does_not_matter() -> None:
    quiet = fixed(asked(baseline=5 * HOUR, unchanged_count=40, yielded=0))
    busy = fixed(asked(baseline=5 * HOUR, unchanged_count=0, yielded=40))

    assert quiet.interval == busy.interval == 5 * HOUR


def test_the_baseline_is_told() -> None:
    assert fixed(asked(baseline=5 * HOUR)).inputs == {"baseline_seconds": 18000.0}
