"""The audit log: actors, actions and changes."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field

from lamplighter.model.access import Role
from lamplighter.store.access import audit_log
from lamplighter.web.api.envelope import listed, part_of
from lamplighter.web.routes import Routes
from lamplighter.web.values import Limit, Line, Moment, Offset
from lamplighter.web.view import View

ROUTES = Routes("/api/v1/audit", tag="audit")
Word = Annotated[Line, Query(min_length=1, max_length=500)]


class EntryShape(BaseModel):
    """An audit log entry."""

    id: int
    at: datetime
    actor: str = Field(examples=["user:anna"])
    action: str = Field(examples=["user.change"])
    subject: str = Field(examples=["user:ben"])
    #: the values before and after; None where there are none
    before: dict[str, Any] | None = Field(examples=[{"role": "viewer"}])
    after: dict[str, Any] | None = Field(examples=[{"role": "operator"}])


@ROUTES.get("", role=Role.OPERATOR, response_model=part_of("entries", EntryShape))
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
    """Audit log entries, the newest first; from `since` to before `until`."""
    wanted = audit_log.AuditFilter(actor=actor, action=action, subject=subject, since=since, until=until)
    async with view.db.read() as db:
        rows = await audit_log.listed(db, wanted, limit=limit, offset=offset)
        return listed("entries", rows, total=await audit_log.count(db, wanted), limit=limit, offset=offset)
