"""Paging parameters: limit and offset, or page numbers for the task API."""

from typing import Annotated

from fastapi import Query

#: the most rows of one response
MOST = 250
#: the largest offset; a filter is better for finding rows beyond it
DEEPEST = 10_000_000

Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most.")]
Offset = Annotated[int, Query(ge=0, le=DEEPEST, description="How many to leave out first.")]
PageNumber = Annotated[int, Query(ge=1, le=DEEPEST, description="Which page, from 1.")]
PerPage = Annotated[int, Query(ge=1, le=100, description="How many on a page.")]


def offset_from(text: str) -> int:
    """The offset in a page's URL; 0 if it is not a number."""
    return min(int(text), DEEPEST) if text.isascii() and text.isdigit() and len(text) < 10 else 0
