"""The audit log: who did what, and what it changed."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from lamplighter.model.access import Role
from lamplighter.store import audit_log
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line, Moment
from lamplighter.web.view import View

ROUTES = Routes("/api/v1/audit", tag="audit")

Word = Annotated[Line, Query(min_length=1, max_length=500)]


class EntryShape(BaseModel):
    """Something that somebody did."""

    id: int
    at: datetime
    actor: str
    action: str
    subject: str
    #: what was, and what is; None where there was or is nothing
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class AuditList(BaseModel):
    """A part of the log."""

    entries: list[EntryShape]
    total: int
    limit: int
    offset: int


_EXAMPLE = {
    "id": 41,
    "at": "2026-03-01T08:00:00Z",
    "actor": "user:anna",
    "action": "user.change",
    "subject": "user:ben",
    "before": {"role": "viewer"},
    "after": {"role": "operator"},
}


@ROUTES.get(
    "",
    role=Role.OPERATOR,
    response_model=AuditList,
    example={"entries": [_EXAMPLE], "total": 1, "limit": 50, "offset": 0},
)
async def list_entries(
    view: View,
    actor: Word | None = None,
    action: Word | None = None,
    subject: Word | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Any:
    """What was done, the newest first; `since` is included, `until` is not."""
    wanted = audit_log.Wanted(actor=actor, action=action, subject=subject, since=since, until=until)
    async with view.db.read() as db:
        rows = [asdict(entry) for entry in await audit_log.listed(db, wanted, limit=limit, offset=offset)]
        return listed("entries", rows, total=await audit_log.count(db, wanted), limit=limit, offset=offset)
