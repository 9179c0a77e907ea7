"""Was everybody polite? The sites' access logs, judged by the politeness witness."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from benchmarks.soak.sites import ROBOTS
from tests.origin import Hit
from tests.witness import Policy, RobotsText, Violation, Witness

#: how many violations are shown in full
_SHOWN: Final = 20


def witness(*, delay_seconds: float) -> Witness:
    """One who knows what every site of the soak may expect."""
    return Witness({"*": Policy(delay=delay_seconds, robots=[RobotsText(text=ROBOTS)])})


def hits_in(file: Path) -> Iterable[Hit]:
    """The access log of the sites' process, in order of arrival."""
    hits = []
    for line in file.read_text().splitlines():
        told = json.loads(line)
        del told["site"]
        hits.append(Hit(**told))
    return sorted(hits, key=lambda hit: hit.arrived)


def as_json(found: list[Violation]) -> dict[str, Any]:
    """How many violations of each rule, and the first of them."""
    return {
        "count": len(found),
        "rules": dict(Counter(violation.rule for violation in found)),
        "first": [str(violation) for violation in found[:_SHOWN]],
    }
