"""Everything that is fuzzed, by its name."""

from tests.security import targets_given, targets_pages, targets_wire

TARGETS = {each.name: each for each in (*targets_wire.TARGETS, *targets_pages.TARGETS, *targets_given.TARGETS)}
