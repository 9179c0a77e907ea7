"""Which pages a list of pages shows: what the frontier and the discovered links may be asked for alike."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Query

from lamplighter.operations import frontier
from lamplighter.store.page_lists import MOST_SEARCHED
from lamplighter.web.api.paging import Limit, Offset
from lamplighter.web.api.v1 import shapes_frontier as shapes
from lamplighter.web.api.values import Line
from lamplighter.web.view import ServiceView

_Word = Annotated[Line, Query(min_length=1, max_length=500)]
_ABOUT_SEARCH = (
    f"A part of the URL, looked for in the newest {MOST_SEARCHED:,} pages of the host or source, or of all; "
    "`total_is_exact` is false when there are older ones."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the query says."""

    source_id: UUID | None = None
    host: _Word | None = None
    search: Annotated[Line | None, Query(min_length=1, max_length=500, description=_ABOUT_SEARCH)] = None
    limit: Limit = 50
    offset: Offset = 0


PageQuery = Annotated[Wanted, Depends()]


async def listed(
    view: ServiceView, wanted: Wanted, name: str, shape: Callable[[Any], dict[str, Any]], **more: Any
) -> dict[str, Any]:
    """The part of a list that is wanted, newest pages first, under this name and in this shape."""
    limit, offset = wanted.limit, wanted.offset
    now = view.clock.now()
    which = frontier.Which(source_id=wanted.source_id, host=wanted.host, search=wanted.search, **more)
    found = await view.db.look(lambda db: frontier.listed(db, which, limit=limit, offset=offset, now=now))
    return shapes.part(name, [shape(page) for page in found.rows], found, limit=limit, offset=offset)
