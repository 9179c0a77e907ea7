"""Versions of pages: list them and read their stored content."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from lamplighter.errors import NotFound
from lamplighter.extract.charset import decode
from lamplighter.model.capture import Capture
from lamplighter.ports import Archive
from lamplighter.rules.pages import page_text
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import archived_pages, page_versions, pages
from lamplighter.store.pages.archived_pages import KeptPage
from lamplighter.store.pages.page_versions import Version

#: bytes of a version that are shown and compared
MOST_BYTES = 500_000
#: what the type of something readable holds
_READABLE = ("text/", "html", "xml", "json", "javascript", "yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPages:
    """A part of the pages of a source that have versions."""

    #: each with how many are kept
    pages: list[tuple[KeptPage, int]]
    total: int
    #: False for a source with so many pages that only the newest versions of all pages were looked at
    is_whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHistory:
    """A page and its versions."""

    page_id: int
    url: str
    #: the latest first
    versions: list[Version]
    total: int
    #: version -> records that the source showed after the run that fetched it; without those that are not known
    records: Mapping[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionText:
    """What a version said, to be read by people."""

    version: Version
    #: as the server sent them; of a body that other answers had before, its type alone
    headers: tuple[tuple[str, str], ...]
    #: as it came, and what a person would read of it; empty for what is no text
    source: str
    readable: str
    is_text: bool
    #: it is longer than what is shown
    was_cut: bool


async def listed(db: Connection, page_id: int, *, limit: int, offset: int) -> tuple[list[Version], int]:
    """The versions of a page, the latest first, and how many there are; a page that was never had has none."""
    if await pages.url_of(db, page_id) is None:
        raise NotFound(f"there is no page {page_id}", code="page_not_found")
    return await page_versions.of_page(db, page_id, limit=limit, offset=offset)


async def pages_of(db: Connection, source_id: int, *, search: str | None, limit: int, offset: int) -> KeptPages:
    """The pages of a source that have versions, what changed last first."""
    after = await archived_pages.not_looked_at(db, source_id)
    found, total = await archived_pages.listed(db, source_id, search=search, limit=limit, offset=offset, after=after)
    counts = await archived_pages.version_counts(db, [page.page_id for page in found])
    pages = [(page, counts.get(page.page_id, 0)) for page in found]
    return KeptPages(pages=pages, total=total, is_whole=after is None)


async def history(db: Connection, source_id: int, page_id: int, *, limit: int, offset: int) -> PageHistory:
    """A page of a source with its versions; NotFound when it is not one of its pages."""
    url = await archived_pages.url_of(db, source_id, page_id)
    if url is None:
        raise NotFound(f"this source has no page {page_id}", code="page_not_found")
    versions, total = await page_versions.of_page(db, page_id, limit=limit, offset=offset)
    records = await page_versions.records_after(db, page_id, source_id, limit=limit)
    return PageHistory(page_id=page_id, url=url, versions=versions, total=total, records=records)


async def text_of(db: Database, archive: Archive, page: PageHistory, number: int) -> VersionText:
    """What a version of a page said, as text."""
    async with db.read() as connection:
        version = await page_versions.one(connection, page.page_id, number)
    capture = await archive.capture(version.key) if version is not None else None
    if version is None or capture is None:
        raise _not_kept(page.page_id, number)
    had = capture.as_had(page.url, fetched_at=version.fetched_at, status=version.status)
    source = decode(had.body[:MOST_BYTES], _content_type(had)) if _is_text(had) else ""
    # A long page takes a moment to read: others are answered meanwhile.
    readable = await asyncio.to_thread(page_text.readable, source) if "<" in source else source
    return VersionText(
        version=version,
        headers=had.headers,
        source=source.replace("\r\n", "\n"),
        readable=readable,
        is_text=_is_text(had),
        was_cut=len(had.body) > MOST_BYTES,
    )


async def content(db: Database, archive: Archive, page_id: int, number: int) -> bytes:
    """What a version said, byte for byte as it was read."""
    async with db.read() as connection:
        version = await page_versions.one(connection, page_id, number)
    body = await archive.get(version.key) if version is not None else None
    if body is None:
        raise _not_kept(page_id, number)
    return body


def _not_kept(page_id: int, number: int) -> NotFound:
    message = f"page {page_id} has no stored version {number}; see its list of versions"
    return NotFound(message, code="version_not_found")


def _content_type(capture: Capture) -> str | None:
    return next((value for name, value in capture.headers if name.lower() == "content-type"), None)


def _is_text(capture: Capture) -> bool:
    kind = (_content_type(capture) or "text/html").lower()
    return any(word in kind for word in _READABLE) and b"\0" not in capture.body[:1000]
