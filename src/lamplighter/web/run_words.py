"""What a run came to, where there is little room: without what is nought, or without what stands beside it."""

import re

#: as crawl/finish.py counts up what a run brought
_COUNTS = re.compile(
    r"\d+ pages \((?P<pages>\d+ unchanged, \d+ refused, \d+ failed)\), \d+ records"
    r"(?:: (?P<records>\d+ new, \d+ changed(?:, \d+ as before)?(?:, \d+ skipped)?))?"
)


def without_noughts(message: str) -> str:
    """The message, its counts shortened: 61 pages (1 refused), 120 records: 48 new, 72 as before."""
    return _COUNTS.sub(_shortened, message)


def beyond_counts(message: str) -> str:
    """What a message says besides its counts; empty when it says nothing else."""
    return _COUNTS.sub("", message).strip(" ;,")


def _shortened(found: re.Match[str]) -> str:
    whole, pages, records = found[0], _some(found["pages"]), _some(found["records"] or "")
    head = whole.partition(" (")[0] + (f" ({pages})" if pages else "")
    tail = whole.partition("), ")[2].partition(":")[0] + (f": {records}" if records else "")
    return f"{head}, {tail}"


def _some(counts: str) -> str:
    return ", ".join(each for each in counts.split(", ") if each and not each.startswith("0 "))
