"""Everything that is fuzzed, by its name."""

from tests.security import targets_given, targets_pages, targets_values, targets_wire

_ALL = (*targets_wire.TARGETS, *targets_pages.TARGETS, *targets_values.TARGETS, *targets_given.TARGETS)
TARGETS = {each.name: each for each in _ALL}
