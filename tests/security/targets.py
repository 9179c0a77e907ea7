"""Everything that is fuzzed, by its name."""

from tests.security import targets_answers, targets_given, targets_pages, targets_values, targets_wire

_MODULES = (targets_wire, targets_answers, targets_pages, targets_values, targets_given)
TARGETS = {each.name: each for module in _MODULES for each in module.TARGETS}
