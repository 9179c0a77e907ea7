"""An explanation in words: what keeps a URL from being asked for, and why a page rests."""

from collections.abc import Iterator, Mapping
from typing import Any

from lamplighter.operations.explain import Explanation
from lamplighter.rules import reasons

VERDICTS = {
    True: "would be asked for",
    False: "would not be asked for",
    None: "would be asked for if robots.txt allows it",
}


def obstacles(found: Explanation) -> Iterator[str]:
    """Everything that stands between the URL and a request, in the order in which a request would meet it."""
    return (obstacle.why for obstacle in found.obstacles)


def why_it_rests(rest: Mapping[str, Any]) -> str:
    """Why a linked page is left alone for as long as it is."""
    match rest["why"]:
        case "gone":
            times = "twice" if rest["missing_count"] == 2 else f"{rest['missing_count']} times in a row"
            return f"gone, not there {times}"
        case "closed":
            return "closed and fading, all that it shows is past its deadline or gone"
        case "learnt":
            return f"changes about every {reasons.span(rest['changes_every_seconds'])}"
        case _:
            return "how often it changes is not known yet"
