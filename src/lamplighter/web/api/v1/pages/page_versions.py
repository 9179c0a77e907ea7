"""Versions of pages: their contents over time."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Response
from pydantic import BaseModel

from lamplighter.operations.pages import page_versions
from lamplighter.web import page_ids
from lamplighter.web.api.envelope import listed, part_of, taken_from
from lamplighter.web.routes import Routes
from lamplighter.web.security_headers import ONLY_TO_SAVE
from lamplighter.web.values import Limit, Offset
from lamplighter.web.view import View

ROUTES = Routes("/api/v1/pages", tag="pages")
Number = Annotated[int, Path(ge=1, le=2**31 - 1, description="Counts up from 1 for each page.")]


class PageVersion(BaseModel):
    """A version of a page."""

    number: int
    fetched_at: datetime
    #: when the next version replaced it; null for the latest
    superseded_at: datetime | None
    #: of the response that contained it
    status: int
    size_bytes: int
    #: its size in the archive
    stored_bytes: int
    sha256: str = taken_from("hash")


@ROUTES.get("/{page_id}/versions", response_model=part_of("versions", PageVersion))
async def list_versions(page_id: UUID, view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The stored versions of a page, the latest first."""
    async with view.db.read() as db:
        found, total = await page_versions.listed(db, page_ids.number_of(page_id), limit=limit, offset=offset)
    return listed("versions", found, total=total, limit=limit, offset=offset)


@ROUTES.get("/{page_id}/versions/{number}/content", response_class=Response, success="The body, as it was read.")
async def content(page_id: UUID, number: Number, view: View) -> Response:
    """The content of a version, as a download."""
    body = await page_versions.content(view.db, view.storage.archive, page_ids.number_of(page_id), number)
    headers = ONLY_TO_SAVE | {"Content-Disposition": f'attachment; filename="version-{number}.bin"'}
    return Response(body, media_type="application/octet-stream", headers=headers)
