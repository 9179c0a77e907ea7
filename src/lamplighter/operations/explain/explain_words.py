"""Explanations as sentences: the verdict on a URL, and the reason for a revisit delay."""

from collections.abc import Mapping
from typing import Any

from lamplighter.rules.schedule import reasons

VERDICTS = {True: "would be fetched", False: "would not be fetched", None: "would be fetched if robots.txt allows it"}


def why_it_rests(rest: Mapping[str, Any]) -> str:
    """The reason for the revisit delay of a linked page."""
    match rest["why"]:
        case "gone":
            times = "twice" if rest["missing_count"] == 2 else f"{rest['missing_count']} times in a row"
            return f"gone, missing {times}"
        case "closed":
            return "closed: all its records are past their deadline or gone"
        case "learnt":
            return f"changes about every {reasons.span(rest['changes_every_seconds'])}"
        case _:
            return "its change rate is not known yet"
