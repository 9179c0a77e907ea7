"""Which part of a list is wanted: by limit and offset, or by page as the task API has it."""

from typing import Annotated, Any

from fastapi import Query

#: the most rows of one answer
MOST = 250
#: further than this nobody pages; a filter serves better
DEEPEST = 10_000_000

Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most.")]
Offset = Annotated[int, Query(ge=0, le=DEEPEST, description="How many to leave out first.")]
PageNumber = Annotated[int, Query(ge=1, le=DEEPEST, description="Which page, from 1.")]
PerPage = Annotated[int, Query(ge=1, le=100, description="How many on a page.")]


def pagination(*, page: int, per_page: int, total: int) -> dict[str, int]:
    """Where we are in a list, in the task API's words."""
    return {"page": page, "per_page": per_page, "total": total, "total_pages": -(-total // per_page)}


def listed(name: str, rows: list[dict[str, Any]], *, total: int, limit: int, offset: int) -> dict[str, Any]:
    """A part of a list, and how long the whole is."""
    return {name: rows, "total": total, "limit": limit, "offset": offset}
