"""Is a record still there? Only a run that saw everything may say that a record is gone."""

from lamplighter.model.record import RecordKind

#: complete runs in a row that must miss a record before it counts as gone
GONE_AFTER = 2
#: kinds that listings show as long as they are offered; articles leave every front page without being withdrawn
WITHDRAWN_BY_ABSENCE = frozenset({RecordKind.JOB, RecordKind.PRODUCT, RecordKind.OTHER})


def is_missing(kind: RecordKind, *, was_listed: bool, is_listed_now: bool, own_page_is_dead: bool) -> bool:
    """Whether a complete run missed a record: its own page is dead, or every listing that once showed it dropped it."""
    return own_page_is_dead or (kind in WITHDRAWN_BY_ABSENCE and was_listed and not is_listed_now)


def saw_everything(
    *, is_full: bool, pages_had: int, pages_unknown: int, page_count: int, page_budget: int, overdue: bool
) -> bool:
    """Whether a run saw all there was: no page failed except by being dead, and none was left out.

    A run that requested only changes from an API saw a part, however well it went.
    """
    return is_full and pages_had > 0 and pages_unknown == 0 and page_count < page_budget and not overdue
