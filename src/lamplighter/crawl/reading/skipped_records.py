"""Run log lines for records that are not stored: one each, unless many share a reason."""

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter.model.run_log import LogAction
from lamplighter.store.pages.pages import Downloaded
from lamplighter.store.runs import run_log

#: a reason that a batch repeats more often than this is logged once, with the count
MOST_LINES = 20
#: reasons that differ only in the address are the same
_ADDRESS = re.compile(r"https?://\S+")


class SkippedRecord(NamedTuple):
    """A record not stored, and why."""

    page: Downloaded
    #: None when it had none
    title: str | None
    reason: str


def skip_lines(skips: Iterable[SkippedRecord], *, now: datetime) -> list[dict[str, Any]]:
    """The log lines of skipped records, grouped by run and reason."""
    alike: dict[tuple[int, str], list[SkippedRecord]] = defaultdict(list)
    for skip in skips:
        alike[skip.page.run_id, _ADDRESS.sub("…", skip.reason)].append(skip)
    lines: list[dict[str, Any]] = []
    for (_, reason), group in alike.items():
        if len(group) > MOST_LINES:
            lines.append(_line(group[0], f"skipped {len(group)} records: {reason}", now, reason, count=len(group)))
        else:
            lines += [
                _line(skip, f"skipped {skip.title or 'a record without a title'}: {skip.reason}", now, reason)
                for skip in group
            ]
    return lines


def _line(skip: SkippedRecord, message: str, now: datetime, reason: str, *, count: int = 1) -> dict[str, Any]:
    page = skip.page
    return run_log.line(
        page.run_id, LogAction.RECORDS_SKIPPED, message, at=now, url=page.url, reason=reason, count=count
    )
