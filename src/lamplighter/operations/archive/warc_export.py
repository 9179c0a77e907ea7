"""Exports versions of pages as one WARC file, piece by piece, so that memory use does not grow with their number."""

from collections.abc import AsyncIterator
from typing import NamedTuple

from lamplighter import __version__
from lamplighter.ports import Archive
from lamplighter.rules.formats import warc
from lamplighter.rules.formats.warc import EarlierRecord
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import page_versions
from lamplighter.store.pages.page_versions import ExportedVersion, VersionFilter

#: versions looked up at once; between two pieces nothing is held, neither rows nor a transaction
_AT_ONCE = 200
#: bodies that were written and can be referred to; a body that comes again after so many others is written again
_MOST_REMEMBERED = 100_000


class WarcPiece(NamedTuple):
    """A part of the file."""

    content: bytes
    #: False of a version whose body is not kept any more
    is_whole: bool = True


async def export(db: Database, archive: Archive, wanted: VersionFilter, *, name: str) -> AsyncIterator[WarcPiece]:
    """A record about the file, then one for every wanted version, in the order in which they came."""
    yield WarcPiece(warc.info(name, software=f"lamplighter/{__version__}"))
    written: dict[int, EarlierRecord] = {}
    after = 0
    while True:
        async with db.read() as connection:
            versions = await page_versions.exported(connection, wanted, after=after, limit=_AT_ONCE)
        for version in versions:
            yield await _piece(archive, version, written)
        if len(versions) < _AT_ONCE:
            return
        after = versions[-1].id


async def _piece(archive: Archive, version: ExportedVersion, written: dict[int, EarlierRecord]) -> WarcPiece:
    if (earlier := written.get(version.body_id)) is not None:
        return WarcPiece(warc.revisit(version.url, version.fetched_at, same_as=earlier))
    found = await archive.capture(version.key)
    if found is None:
        return WarcPiece(b"", is_whole=False)
    capture = found.as_had(version.url, fetched_at=version.fetched_at, status=version.status)
    if len(written) < _MOST_REMEMBERED:
        written[version.body_id] = EarlierRecord.of(capture)
    return WarcPiece(warc.response(capture))
