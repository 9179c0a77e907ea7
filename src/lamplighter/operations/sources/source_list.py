"""Sources as lists show them: filtered, sorted and counted in the database."""

from collections.abc import Sequence
from datetime import datetime

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.source import Source
from lamplighter.operations.jobs import job_waits
from lamplighter.operations.list_part import ListPart
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import source_lists, sources
from lamplighter.store.sources.source_lists import ListedSource, SourceFilter, SourceSort

#: sources with a part of the name that are looked at for one of the whole name
_ALIKE = 50


async def page(
    db: Connection,
    which: SourceFilter,
    *,
    sort: SourceSort,
    descending: bool,
    limit: int,
    offset: int,
    now: datetime | None = None,
) -> ListPart[ListedSource]:
    """One page of the sources that match; with `now`, what they wait for."""
    ids, total = await source_lists.page(db, which, sort=sort, descending=descending, limit=limit, offset=offset)
    return ListPart(rows=await _details(db, ids, now=now), total=total)


async def one(db: Connection, source_id: int, *, now: datetime | None = None) -> ListedSource:
    """One source as lists show it; with `now`, what it waits for."""
    for listed in await _details(db, [source_id], now=now):
        return listed
    raise NotFound(f"there is no source {source_id}", code="source_not_found")


async def named(db: Connection, text: str) -> Source:
    """The one source that somebody means by its URL, its name, or a part of either."""
    if (watched := await sources.by_url(db, text)) is not None:
        return watched
    which = SourceFilter(search=text)
    ids, total = await source_lists.page(db, which, sort=SourceSort.NAME, descending=False, limit=_ALIKE, offset=0)
    found = list((await sources.many(db, ids)).values())
    meant = [each for each in found if each.name.casefold() == text.casefold()] or found
    if len(meant) == 1:
        return meant[0]
    if not meant:
        raise BadInput(f"no source matches {text[:100]!r}; type a part of its name or URL", field="source")
    raise BadInput(f"{total} sources match {text[:100]!r}; type more of the name, or the URL", field="source")


async def _details(db: Connection, ids: Sequence[int], *, now: datetime | None) -> list[ListedSource]:
    rows = await source_lists.details(db, ids)
    waits = await job_waits.of_sources(db, ids, now=now) if now is not None else {}
    return [
        row._replace(waiting=(wait.why, wait.until)) if (wait := waits.get(row.source.id)) is not None else row
        for row in rows
    ]
