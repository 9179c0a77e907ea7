"""Versions of pages: what stood there, and when."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Response
from pydantic import BaseModel

from lamplighter.operations import page_versions
from lamplighter.store.page_versions import Version
from lamplighter.web.api import page_ids
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.view import View

ROUTES = Routes("/api/v1/pages", tag="pages")
Number = Annotated[int, Path(ge=1, le=2**31 - 1, description="Counts up from 1 for each page.")]
#: what a site sent must never act as if it came from us: it is saved, not shown
_ONLY_TO_SAVE = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class PageVersion(BaseModel):
    """What a page was for a while."""

    number: int
    fetched_at: datetime
    #: when another version took its place; null of the latest
    superseded_at: datetime | None
    #: of the answer that brought it
    status: int
    size_bytes: int
    #: what it takes in the archive
    stored_bytes: int
    sha256: str


class PageVersions(BaseModel):
    """Versions of a page, the latest first."""

    versions: list[PageVersion]
    total: int
    limit: int
    offset: int


_EXAMPLE = {
    "number": 3,
    "fetched_at": "2026-03-02T12:00:00Z",
    "superseded_at": None,
    "status": 200,
    "size_bytes": 30112,
    "stored_bytes": 6120,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
}


@ROUTES.get(
    "/{page_id}/versions",
    response_model=PageVersions,
    example={"versions": [_EXAMPLE], "total": 1, "limit": 50, "offset": 0},
)
async def list_versions(page_id: UUID, view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The versions of a page that are kept, the latest first."""
    async with view.db.read() as db:
        found, total = await page_versions.listed(db, page_ids.number_of(page_id), limit=limit, offset=offset)
    return listed("versions", [_shown(version) for version in found], total=total, limit=limit, offset=offset)


@ROUTES.get("/{page_id}/versions/{number}/content", response_class=Response, success="The body, as it was read.")
async def content(page_id: UUID, number: Number, view: View) -> Response:
    """What a version said, as a file to be saved."""
    body = await page_versions.content(view.db, view.archive, page_ids.number_of(page_id), number)
    headers = _ONLY_TO_SAVE | {"Content-Disposition": f'attachment; filename="version-{number}.bin"'}
    return Response(body, media_type="application/octet-stream", headers=headers)


def _shown(version: Version) -> dict[str, Any]:
    return {
        "number": version.number,
        "fetched_at": version.fetched_at,
        "superseded_at": version.superseded_at,
        "status": version.status,
        "size_bytes": version.size_bytes,
        "stored_bytes": version.stored_bytes,
        "sha256": version.hash,
    }
