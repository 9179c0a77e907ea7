"""What a page was before: its versions, and what each of them said."""

from lamplighter.errors import NotFound
from lamplighter.ports import Archive
from lamplighter.store import page_versions, pages
from lamplighter.store.database import Connection, Database
from lamplighter.store.page_versions import Version


async def listed(db: Connection, page_id: int, *, limit: int, offset: int) -> tuple[list[Version], int]:
    """The versions of a page, the latest first, and how many there are; a page that was never had has none."""
    if await pages.url_of(db, page_id) is None:
        raise NotFound(f"there is no page {page_id}", code="page_not_found")
    return await page_versions.of_page(db, page_id, limit=limit, offset=offset)


async def content(db: Database, archive: Archive, page_id: int, number: int) -> bytes:
    """What a version said, byte for byte as it was read."""
    async with db.read() as connection:
        version = await page_versions.one(connection, page_id, number)
    body = await archive.get(version.key) if version is not None else None
    if body is None:
        message = (
            f"page {page_id} has no version {number} that is still kept; its list of versions shows those that are"
        )
        raise NotFound(message, code="version_not_found")
    return body
