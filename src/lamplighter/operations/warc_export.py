"""Versions of pages as one WARC file, handed out piece by piece, so that any number of them fits."""

from collections.abc import AsyncIterator
from typing import NamedTuple

from lamplighter import __version__
from lamplighter.ports import Archive
from lamplighter.rules import warc
from lamplighter.rules.warc import Earlier
from lamplighter.store import page_versions
from lamplighter.store.database import Database
from lamplighter.store.page_versions import ExportedVersion, Wanted

#: versions looked up at once; between two pieces nothing is held, neither rows nor a transaction
_AT_ONCE = 200
#: bodies that were written and can be referred to; a body that comes again after so many others is written again
_MOST_REMEMBERED = 100_000


class Piece(NamedTuple):
    """A part of the file."""

    content: bytes
    #: False of a version whose body is not kept any more
    is_whole: bool = True


async def count(db: Database, wanted: Wanted) -> int:
    """How many versions are wanted."""
    async with db.read() as connection:
        return await page_versions.count_wanted(connection, wanted)


async def export(db: Database, archive: Archive, wanted: Wanted, *, name: str) -> AsyncIterator[Piece]:
    """A record about the file, then one for every wanted version, in the order in which they came."""
    yield Piece(warc.info(name, software=f"lamplighter/{__version__}"))
    written: dict[int, Earlier] = {}
    after = 0
    while True:
        async with db.read() as connection:
            versions = await page_versions.exported(connection, wanted, after=after, limit=_AT_ONCE)
        for version in versions:
            yield await _piece(archive, version, written)
        if len(versions) < _AT_ONCE:
            return
        after = versions[-1].id


async def _piece(archive: Archive, version: ExportedVersion, written: dict[int, Earlier]) -> Piece:
    if (earlier := written.get(version.body_id)) is not None:
        return Piece(warc.revisit(version.url, version.fetched_at, same_as=earlier))
    found = await archive.capture(version.key)
    if found is None:
        return Piece(b"", is_whole=False)
    capture = found.as_had(version.url, fetched_at=version.fetched_at, status=version.status)
    if len(written) < _MOST_REMEMBERED:
        written[version.body_id] = Earlier.of(capture)
    return Piece(warc.response(capture))
